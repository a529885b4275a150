package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

func freeAddress(t testing.TB) string {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	return listener.Addr().String()
}

func registerLine(register, value int) string {
	return fmt.Sprintf(`{"format":1,"kind":"video","source":"registers","ref":"r%d","id":"%s","title":"Register %d stands at %d","channel":"c","playback":{"duration":"PT1M","stream":"https://media.example.org/r.m3u8"},"releasedOn":"2020-01-01"}`+"\n",
		register, registerID(register), register, value)
}

func registerID(register int) string { return fmt.Sprintf("ffffffffffffffffffff%04x", register) }

const registersChannel = `{"format":1,"kind":"channel","source":"registers","ref":"c","name":"The registers"}` + "\n"

// shortVideo is the address of a video of the demo that plays for half a minute, and has captions.
func (s *server) shortVideo() string {
	s.Helper()
	found := s.document(s.base + "/v1/videos?duration=PT30S-PT31S&size=100")
	videos, _ := found.at("_embedded", "videos").([]any)
	for _, one := range videos {
		video := document{server: s, fields: one.(map[string]any)}
		thumbnail, _ := video.at("playback", "_links", "thumbnail", "href").(string)
		if strings.Contains(thumbnail, "/v1/media/") && video.link("captions", nil) != "" {
			return video.link("self", nil)
		}
	}
	s.Fatal("no video of the demo plays for half a minute")
	return ""
}

// embedded asks for the address of a video, as soon as the server knows the account's origins.
func (s *server) embedded(video string) (made madeEmbed) {
	s.Helper()
	awaitFor(s, "the account has pages", func() bool {
		response, body := s.request(http.MethodPost, s.base+"/v1/videos/"+video+"/embeds", "", "")
		return response.StatusCode == http.StatusCreated && json.Unmarshal(body, &made) == nil
	})
	return made
}

// madeEmbed is what a server answers to who asks for an embed.
type madeEmbed struct{ URL, HTML string }
