package apptest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is the program in a separate process.
type Server struct {
	testing.TB
	Process *exec.Cmd
	Base    string
	Token   string
	Printed func() string
	Logged  func() string // complete once the process has ended
	Ended   chan error
}

var announced = regexp.MustCompile(`Filmstrip(?: demo:| serves) (https?://[^\s"]+)`)

// Start starts the program on a free port of loopback and waits until it answers.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	process := exec.Command(Binary(t), append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	process.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	var faults bytes.Buffer
	process.Stderr = &faults
	out := Must(process.StdoutPipe())(t)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	s := &Server{TB: t, Process: process, Logged: faults.String, Ended: make(chan error, 1)}
	t.Cleanup(func() { _ = process.Process.Kill() })
	bases := s.read(out)
	select {
	case s.Base = <-bases:
	case <-time.After(time.Minute):
		t.Fatal("the server does not start")
	}
	if s.Base == "" {
		t.Fatalf("the server ended at once: %v: %s", <-s.Ended, faults.String())
	}
	return s
}

// read collects the output of the process, and sends the base URL that the process announces, or "" if it ends.
func (s *Server) read(out io.Reader) <-chan string {
	var (
		mutex sync.Mutex
		text  strings.Builder
	)
	s.Printed = func() string { mutex.Lock(); defer mutex.Unlock(); return text.String() }
	bases := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			mutex.Lock()
			fmt.Fprintln(&text, lines.Text())
			mutex.Unlock()
			if found := announced.FindStringSubmatch(lines.Text()); found != nil {
				bases <- found[1]
			}
		}
		close(bases)
		s.Ended <- s.Process.Wait()
	}()
	return bases
}

// Stop sends a signal, after which the process must exit with status 0.
func (s *Server) Stop(signal os.Signal) {
	s.Helper()
	if err := s.Process.Process.Signal(signal); err != nil {
		s.Fatal(err)
	}
	select {
	case err := <-s.Ended:
		if err != nil {
			s.Errorf("%v ends the server with %v", signal, err)
		}
	case <-time.After(30 * time.Second):
		s.Fatalf("%v does not end the server", signal)
	}
}

// Request sends a request, with the token if there is one, and reads the response.
func (s *Server) Request(method, address, contentType, body string) (*http.Response, []byte) {
	s.Helper()
	request := Must(http.NewRequestWithContext(s.Context(), method, address, strings.NewReader(body)))(s)
	if s.Token != "" {
		request.Header.Set("Authorization", "Bearer "+s.Token)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response := Must(http.DefaultClient.Do(request))(s)
	defer response.Body.Close()
	return response, Must(io.ReadAll(response.Body))(s)
}

// LogIn requests a token for a client and sends it with all later requests.
func (s *Server) LogIn(client, secret string) {
	s.Helper()
	s.Token = ""
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret}}
	_, body := s.Request("POST", s.Base+"/v1/token", "application/x-www-form-urlencoded", form.Encode())
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Token == "" {
		s.Fatalf("no token: %s", body)
	}
	s.Token = answer.Token
}

// AwaitPrinted waits for a text on standard output, and returns all output.
func (s *Server) AwaitPrinted(text string) string {
	s.Helper()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(s.Printed(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("the server never prints %q:\n%s", text, s.Printed())
		}
	}
	return s.Printed()
}

// RunBeside runs a command, which must exit with a status, and returns its output.
func (s *Server) RunBeside(status int, args ...string) string {
	s.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out, faults bytes.Buffer
	process := exec.CommandContext(ctx, Binary(s), args...)
	process.Stdout, process.Stderr = &out, &faults
	_ = process.Run() // the exit status is compared below
	if got := process.ProcessState.ExitCode(); got != status {
		s.Errorf("filmstrip %s: status %d, not %d: %s%s", strings.Join(args, " "), got, status, out.String(), faults.String())
	}
	return out.String()
}

// In returns the server for a subtest, without a token.
func (s *Server) In(t testing.TB) *Server {
	part := *s
	part.TB, part.Token = t, ""
	return &part
}

// Send sends a request, with a token unless it is "", and reads the response. header lists names and values in turn.
func (s *Server) Send(method, path, token, body string, header ...string) (*http.Response, []byte) {
	s.Helper()
	request := Must(http.NewRequestWithContext(s.Context(), method, s.Base+path, strings.NewReader(body)))(s)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	// Redirects are not followed.
	response := Must(http.DefaultTransport.RoundTrip(request))(s)
	defer response.Body.Close()
	return response, Must(io.ReadAll(response.Body))(s)
}

// Post sends a form and decodes the JSON of the response.
func (s *Server) Post(path string, form url.Values, header ...string) (*http.Response, map[string]any) {
	s.Helper()
	response, body := s.Send("POST", path, "", form.Encode(), append(header, "Content-Type", "application/x-www-form-urlencoded")...)
	var answer map[string]any
	if len(body) > 0 {
		if err := json.Unmarshal(body, &answer); err != nil {
			s.Fatalf("%s: %d %s", path, response.StatusCode, body)
		}
	}
	return response, answer
}

// Tokens requests tokens for a client.
func (s *Server) Tokens(client, secret string, header ...string) map[string]any {
	s.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret}}
	response, answer := s.Post("/v1/token", form, header...)
	if response.StatusCode != http.StatusOK {
		s.Fatalf("%s gets no token: %d %v", client, response.StatusCode, answer)
	}
	return answer
}

// Access requests an access token for a client.
func (s *Server) Access(client, secret string, header ...string) string {
	s.Helper()
	return s.Tokens(client, secret, header...)["access_token"].(string)
}

// Refresh uses a refresh token.
func (s *Server) Refresh(client, token string) (*http.Response, map[string]any) {
	s.Helper()
	return s.Post("/v1/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token}})
}

// Status returns the status of a GET request with a token.
func (s *Server) Status(path, token string, header ...string) int {
	s.Helper()
	response, _ := s.Send("GET", path, token, "", header...)
	return response.StatusCode
}

// AwaitStatus waits until requests with the token are answered with a status.
func (s *Server) AwaitStatus(want int) {
	s.Helper()
	s.Await(want, func() int {
		response, _ := s.Request("GET", s.Base+"/v1/videos", "", "")
		return response.StatusCode
	})
}

// Await waits, at most LearnTime, until a function returns a status.
func (s *Server) Await(want int, status func() int) {
	s.Helper()
	got := status()
	for end := time.Now().Add(LearnTime); got != want && time.Now().Before(end); got = status() {
		time.Sleep(100 * time.Millisecond)
	}
	if got != want {
		s.Fatalf("the server answers %d, not %d", got, want)
	}
}
