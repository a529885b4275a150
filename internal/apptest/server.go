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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is the program in a separate process.
type Server struct {
	testing.TB
	Process *exec.Cmd
	// program is the process of filmstrip: Process, or the one that Process started.
	program *os.Process
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
	return StartUnder(t, nil, args...)
}

// StartUnder is Start for a program that another one starts, such as strace, whose command it appends the program's to.
func StartUnder(t testing.TB, command []string, args ...string) *Server {
	t.Helper()
	command = slices.Concat(command, []string{Binary(t), "serve", "--addr", "127.0.0.1:0"}, args)
	process := exec.Command(command[0], command[1:]...)
	process.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	var faults bytes.Buffer
	process.Stderr = &faults
	out := Must(process.StdoutPipe())(t)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	s := &Server{TB: t, Process: process, program: process.Process, Logged: faults.String, Ended: make(chan error, 1)}
	t.Cleanup(func() {
		_ = s.program.Kill()
		_ = process.Process.Kill()
	})
	bases := s.read(out)
	select {
	case s.Base = <-bases:
	case <-time.After(time.Minute):
		t.Fatal("the server does not start")
	}
	if s.Base == "" {
		t.Fatalf("the server ended at once: %v: %s", <-s.Ended, faults.String())
	}
	if child, ok := childOf(process.Process.Pid); ok {
		s.program = Must(os.FindProcess(child))(t)
	}
	return s
}

// childOf returns the only process that a process has started, if there is one.
func childOf(pid int) (child int, ok bool) {
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return 0, false
	}
	_, err = fmt.Sscan(string(children), &child)
	return child, err == nil
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
	if err := s.program.Signal(signal); err != nil {
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

// do sends a request, with a token unless it is "", and reads the response. header lists names and values in turn.
func (s *Server) do(
	send func(*http.Request) (*http.Response, error), method, address, token, body string, header ...string,
) (*http.Response, []byte, error) {
	request, err := http.NewRequestWithContext(s.Context(), method, address, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := send(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, text, err
}

// Request sends a request, with the token if there is one, and reads the response.
func (s *Server) Request(method, address, contentType, body string) (*http.Response, []byte) {
	s.Helper()
	var header []string
	if contentType != "" {
		header = []string{"Content-Type", contentType}
	}
	response, text, err := s.do(http.DefaultClient.Do, method, address, s.Token, body, header...)
	if err != nil {
		s.Fatal(err)
	}
	return response, text
}

// LogIn requests a token for a client and sends it with all later requests.
func (s *Server) LogIn(client, secret string) {
	s.Helper()
	s.Token = s.Access(client, secret)
}

// Report sends events with the token.
func (s *Server) Report(path, body, key string) (Answer, error) {
	header := []string{"Content-Type", "application/json"}
	if key != "" {
		header = append(header, "Idempotency-Key", key)
	}
	began := time.Now()
	response, text, err := s.do(http.DefaultClient.Do, "POST", s.Base+path, s.Token, body, header...)
	if response == nil {
		return Answer{}, err
	}
	return Answer{"POST " + path, response.StatusCode, response.Header.Get("Retry-After"), text, time.Since(began)}, err
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

// Send sends a request, with a token unless it is "", and reads the response, without following a redirect. header lists
// names and values in turn.
func (s *Server) Send(method, path, token, body string, header ...string) (*http.Response, []byte) {
	s.Helper()
	response, text, err := s.do(http.DefaultTransport.RoundTrip, method, s.Base+path, token, body, header...)
	if err != nil {
		s.Fatal(err)
	}
	return response, text
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
