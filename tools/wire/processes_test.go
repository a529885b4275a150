package wire_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a server that runs.
type process struct {
	b       *testing.B
	command *exec.Cmd
	ended   chan struct{}
	base    string
	token   string
	client  *http.Client
	log     bytes.Buffer // read when it has ended
}

// serve starts a server with settings beside those that all have, and returns when it can answer
// everything. It ends with the benchmark at the latest.
func (w *world) serve(settings ...string) *process {
	w.Helper()
	p := &process{b: w.B, ended: make(chan struct{}), client: newClient()}
	p.command = exec.Command(w.binary, append([]string{"serve", "--demo", "--addr", "127.0.0.1:0", "--log-level", "warn"}, settings...)...)
	p.command.Stderr = &p.log
	output, err := p.command.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		w.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	for p.base == "" && lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) > 0 && strings.HasPrefix(words[len(words)-1], "http://") {
			p.base = words[len(words)-1]
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, output)
		_ = p.command.Wait()
		close(p.ended)
	}()
	w.Cleanup(p.kill)
	if p.base == "" {
		<-p.ended
		w.Fatalf("the server did not say where it listens: %s", p.log.String())
	}
	p.logIn()
	return p
}

// newClient makes a client of one connection, which takes no compressed answers.
func newClient() *http.Client {
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableCompression: true}}
}

// stop ends the process in order: what it has for Redis is written.
func (p *process) stop() {
	p.b.Helper()
	p.client.CloseIdleConnections()
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		p.b.Fatal(err)
	}
	<-p.ended
}

func (p *process) kill() {
	_ = p.command.Process.Kill()
	<-p.ended
}

func (p *process) logIn() {
	p.b.Helper()
	response, err := p.client.PostForm(p.base+"/v1/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {"demo"}, "client_secret": {"demo-secret"},
	})
	if err != nil {
		p.b.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Token == "" {
		p.b.Fatalf("no token: %s %v", response.Status, err)
	}
	p.token = answer.Token
}

// get asks for a path and reads the answer whole.
func (p *process) get(path string) []byte {
	p.b.Helper()
	request, err := http.NewRequest(http.MethodGet, p.base+path, nil)
	if err != nil {
		p.b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+p.token)
	return send(p.b, p.client, request)
}

// send sends a request that must succeed and reads the answer whole.
func send(b *testing.B, client *http.Client, request *http.Request) []byte {
	b.Helper()
	response, err := client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("%s: %s %v: %s", request.URL, response.Status, err, body[:min(len(body), 500)])
	}
	return body
}

// run runs a command of the program to its end.
func (w *world) run(input io.Reader, arguments ...string) {
	w.Helper()
	command := exec.Command(w.binary, arguments...)
	command.Stdin = input
	if output, err := command.CombinedOutput(); err != nil {
		w.Fatal(fmt.Errorf("%s: %w: %s", arguments[0], err, output))
	}
}
