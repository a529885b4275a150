package limits_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// upload is a request whose body never ends.
type upload struct {
	net.Conn
	answers chan *http.Response
	last    string // the rest to send
}

// startUpload sends all but the last byte of a body, and reads the response at the same time.
func startUpload(s *apptest.Server, path, body string) *upload {
	s.Helper()
	u := &upload{Conn: apptest.Must(net.Dial("tcp", strings.TrimPrefix(s.Base, "http://")))(s), answers: make(chan *http.Response, 1), last: body[len(body)-1:]}
	s.Cleanup(func() { _ = u.Close() })
	go func() {
		answer, err := http.ReadResponse(bufio.NewReader(u), nil)
		if err == nil {
			u.answers <- answer
		}
	}()
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		path, strings.TrimPrefix(s.Base, "http://"), s.Token, len(body))
	_, _ = io.WriteString(u, head+body[:len(body)-1]) // the server need not read the whole body
	return u
}

// answer returns the response to an upload if it arrives within a time, or nil.
func (u *upload) answer(within time.Duration) *http.Response {
	select {
	case answer := <-u.answers:
		return answer
	case <-time.After(within):
		return nil
	}
}

// TestSlowUploadsAreBounded verifies that slow uploads of one client, on any number of connections, never occupy more
// memory than the client's share, on both APIs together. The server refuses further uploads with 503 and
// Retry-After. Single events still pass, and so do the large bodies of other clients.
func TestSlowUploadsAreBounded(t *testing.T) {
	s := apptest.Start(t, "--demo", "--body-memory", "16")
	s.LogIn(demo.OperatorAccount, demo.Secret)
	event := `{"videoId":"1001","segmentStartSeconds":0,"segmentEndSeconds":9,"captureTime":"` + time.Now().UTC().Format(time.RFC3339) + `"}`
	batch := "[" + event + strings.Repeat(" ", 2<<20-len(event)-2) + "]"
	operation := `{"query":"{ __typename }"` + strings.Repeat(" ", 1<<20-26) + "}"
	var blocked, refused []*upload
	for i := range 20 {
		path, body := "/v1/events/playback/batch", batch
		if i%4 == 3 {
			path, body = "/graphql", operation
		}
		u := startUpload(s, path, body)
		answer := u.answer(300 * time.Millisecond)
		if answer == nil {
			blocked = append(blocked, u)
			continue
		}
		refused = append(refused, u)
		text := string(apptest.Must(io.ReadAll(answer.Body))(t))
		if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" || !strings.Contains(text, `"message":"too many large requests of this client`) {
			t.Errorf("upload %d is answered %s %v %s", i, answer.Status, answer.Header, text)
		}
	}
	if len(blocked) == 0 || len(blocked) > 8 || len(refused) < 12 {
		t.Errorf("%d uploads are held, %d are refused", len(blocked), len(refused))
	}
	post := func(path, body string) int {
		answer, _ := s.Send("POST", path, s.Token, body, "Content-Type", "application/json")
		return answer.StatusCode
	}
	if got := post("/v1/events/playback", event); got != http.StatusCreated {
		t.Errorf("a single event is answered %d", got)
	}
	if got := post("/v1/events/playback/batch", batch); got != http.StatusServiceUnavailable {
		t.Errorf("another batch is answered %d", got)
	}
	other := *s
	other.LogIn(demo.Account, demo.Secret)
	if answer, _ := s.Send("POST", "/v1/events/playback/batch", other.Token, batch, "Content-Type", "application/json"); answer.StatusCode != http.StatusCreated {
		t.Errorf("a batch of another client is answered %s", answer.Status)
	}
	for i, u := range blocked {
		if i%2 == 0 {
			_ = u.Close() // a client that hangs up returns its memory as well
			continue
		}
		_, _ = io.WriteString(u, u.last)
	}
	deadline := time.Now().Add(10 * time.Second)
	for post("/v1/events/playback/batch", batch) != http.StatusCreated {
		if time.Now().After(deadline) {
			t.Fatal("the memory of the uploads is not returned")
		}
		time.Sleep(50 * time.Millisecond)
	}
}
