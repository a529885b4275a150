package apptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// LearnTime is how long tests wait for a server to learn of a change. An idle machine needs less than a second.
const LearnTime = 20 * time.Second

// VideoWithTranscript returns the ID of a video with a transcript that every account sees.
func (s *Server) VideoWithTranscript() string {
	s.Helper()
	token := s.Token
	defer func() { s.Token = token }()
	s.LogIn(demo.Account, demo.Secret)
	for _, video := range s.Document(s.Base + "/v1/videos?size=50").Videos() {
		if id := video.At("id").(string); s.Status("/v1/videos/"+id+"/transcript", s.Token) == http.StatusOK {
			return id
		}
	}
	s.Fatal("no video has a transcript")
	return ""
}

// PlayAnyVideo finds a video with a stream of the demo, and fetches its playlists, a segment, poster and preview as a
// player does, without a token.
func (s *Server) PlayAnyVideo() {
	s.Helper()
	token := s.Token
	defer func() { s.Token = token }()
	for _, video := range s.Document(s.Index().Link("searchVideos", map[string]string{"size": "500"})).Videos() {
		s.Token = token
		video = s.Document(video.Link("self", nil))
		playback := Document{s, video.At("playback").(map[string]any)}
		poster := playback.Link("thumbnail", map[string]string{"thumbnailWidth": "320"})
		if !strings.HasPrefix(poster, s.Base) {
			continue // another server has the stream
		}
		s.Token = ""
		s.wantMedia(poster, "image/")
		s.wantMedia(playback.Link("videoPreview", map[string]string{"thumbnailWidth": "160", "thumbnailCount": "4"}), "image/")
		variant := s.firstOf(playback.Link("hlsStream", nil))
		segment := s.firstOf(variant)
		if content := s.wantMedia(segment, "video/"); len(content) < 1000 || content[0] != 0x47 {
			s.Errorf("%s is not an MPEG transport stream of %d bytes", segment, len(content))
		}
		return
	}
	s.Error("no video of the demo plays")
}

func (s *Server) wantMedia(address, contentType string) []byte {
	s.Helper()
	response, body := s.Request("GET", address, "", "")
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), contentType) || len(body) == 0 {
		s.Errorf("%s: %d %s, %d bytes", address, response.StatusCode, response.Header.Get("Content-Type"), len(body))
	}
	return body
}

// firstOf returns the first URL of a playlist.
func (s *Server) firstOf(playlist string) string {
	s.Helper()
	content := s.wantMedia(playlist, "application/vnd.apple.mpegurl")
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return Must(Must(url.Parse(playlist))(s).Parse(line))(s).String()
		}
	}
	s.Fatalf("%s names nothing: %s", playlist, content)
	return ""
}

// QueryGraphQL sends a query to the GraphQL endpoint.
func (s *Server) QueryGraphQL(query string) string {
	s.Helper()
	body := Must(json.Marshal(map[string]string{"query": query}))(s)
	answer, text := s.Request("POST", s.Base+"/graphql", "application/json", string(body))
	if answer.StatusCode != 200 || bytes.Contains(text, []byte(`"errors"`)) {
		s.Fatalf("%s: %s %s", query, answer.Status, text)
	}
	return string(text)
}

// PlaybackPath is the path of the endpoint for playback events.
const PlaybackPath = "/v1/events/playback"

// PlaybackOf returns the body of a playback event of a video.
func PlaybackOf(video string) string {
	return fmt.Sprintf(`{"videoId":%q,"segmentStartSeconds":1,"segmentEndSeconds":2,"captureTime":"2026-01-02T03:04:05Z"}`, video)
}

// LagAllowed is how far processes may be behind a write of another process.
const LagAllowed = time.Second

// Unlimited are the flags of a demo without rate limits.
var Unlimited = []string{"--demo", "--client-rate", "0", "--token-rate", "0", "--unauthorized-rate", "0", "--login-rate", "0", "--user-login-rate", "0"}

// URLThrough returns the URL of a server behind a link.
func URLThrough(t testing.TB, server *testservers.Server, link *testservers.Link) string {
	t.Helper()
	address := Must(url.Parse(server.URL))(t)
	address.Host = link.Addr
	return address.String()
}

// LastLines returns the last n lines of a text.
func LastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// ThreeVideos returns a data directory with three videos.
func ThreeVideos(t *testing.T, title string) (data string) {
	t.Helper()
	data = t.TempDir()
	lines := `{"format":1,"kind":"channel","ref":"c","name":"Channel"}` + "\n"
	for n := range 3 {
		lines += fmt.Sprintf(`{"format":1,"kind":"video","ref":"%d","title":"%s %d","channel":"c","releasedOn":"2020-01-01","playback":{"duration":"PT1M","stream":"https://example.org/a.m3u8"}}`+"\n", n, title, n)
	}
	Succeed(t, "import", "--data", data, WriteFile(t, "lines.jsonl", lines))
	return data
}

// SchoolStore returns a store with the account school and generated events of it. run runs a command on the store;
// where are the flags that select it.
func SchoolStore(t testing.TB, engine Engines, events int) (run func(args ...string) string, where []string) {
	t.Helper()
	where = EmptyStore(t, engine)
	run = func(args ...string) string { t.Helper(); return Succeed(t, append(args, where...)...) }
	run("accounts", "create", "school", "--name", "School", "--tier", "basic")
	if events > 0 {
		run("generate", "events", "--count", strconv.Itoa(events), "--account", "school", "--append")
	}
	return run, where
}

// RegisterLine returns the import line of a register: a video whose title states its number and its value.
func RegisterLine(register, value int) string {
	return fmt.Sprintf(`{"format":1,"kind":"video","source":"registers","ref":"r%d","id":"%s","title":"Register %d stands at %d","channel":"c","playback":{"duration":"PT1M","stream":"https://media.example.org/r.m3u8"},"releasedOn":"2020-01-01"}`+"\n",
		register, RegisterID(register), register, value)
}

// RegisterID returns the ID of the video of a register.
func RegisterID(register int) string { return fmt.Sprintf("ffffffffffffffffffff%04x", register) }

// RegistersChannel is the import line of the channel of all registers.
const RegistersChannel = `{"format":1,"kind":"channel","source":"registers","ref":"c","name":"The registers"}` + "\n"

// ShortVideo returns the URL of a video of the demo that has captions and takes 30 seconds.
func (s *Server) ShortVideo() string {
	s.Helper()
	found := s.Document(s.Base + "/v1/videos?duration=PT30S-PT31S&size=100")
	videos, _ := found.At("_embedded", "videos").([]any)
	for _, one := range videos {
		video := Document{Server: s, Fields: one.(map[string]any)}
		thumbnail, _ := video.At("playback", "_links", "thumbnail", "href").(string)
		if strings.Contains(thumbnail, "/v1/media/") && video.Link("captions", nil) != "" {
			return video.Link("self", nil)
		}
	}
	s.Fatal("no video of the demo plays for half a minute")
	return ""
}

// CreateEmbed creates an embed of a video, as soon as the server knows the account's origins.
func (s *Server) CreateEmbed(video string) (made newEmbed) {
	s.Helper()
	Await(s, "the account has pages", func() bool {
		response, body := s.Request(http.MethodPost, s.Base+"/v1/videos/"+video+"/embeds", "", "")
		return response.StatusCode == http.StatusCreated && json.Unmarshal(body, &made) == nil
	})
	return made
}

// newEmbed is a new embed in a response.
type newEmbed struct{ URL, HTML string }
