package wire_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// process is a running server.
type process struct {
	*program.Process
	b      *testing.B
	token  string
	client *http.Client
}

// serve starts a server with the given settings in addition to those that all servers have, and returns when it
// can answer every request. The server ends with the benchmark at the latest.
func (w *world) serve(settings ...string) *process {
	w.Helper()
	p := &process{b: w.B, client: newClient()}
	command := exec.Command(w.binary, append([]string{"serve", "--demo", "--no-demo-past", "--addr", "127.0.0.1:0", "--log-level", "warn"}, settings...)...)
	var log bytes.Buffer
	command.Stderr = &log
	var err error
	if p.Process, err = program.Start(command); err != nil {
		w.Fatalf("%v: %s", err, log.String())
	}
	w.Cleanup(p.Stop)
	if p.token, err = program.Token(w.Context(), p.client, p.Base, "demo", "demo-secret"); err != nil {
		w.Fatal(err)
	}
	return p
}

// newClient returns a client with one connection that does not request compressed responses.
func newClient() *http.Client {
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableCompression: true}}
}

// shutDown ends the process gracefully, which writes pending entries to Redis.
func (p *process) shutDown() {
	p.b.Helper()
	p.client.CloseIdleConnections()
	if err := p.Signal(syscall.SIGTERM); err != nil {
		p.b.Fatal(err)
	}
	p.Await()
}

// get requests a path and returns the response body.
func (p *process) get(path string) []byte {
	p.b.Helper()
	request, err := http.NewRequest(http.MethodGet, p.Base+path, nil)
	if err != nil {
		p.b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+p.token)
	return send(p.b, p.client, request)
}

// send sends a request that must succeed and returns the response body.
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

// run runs a command of the program until it ends.
func (w *world) run(input io.Reader, arguments ...string) {
	w.Helper()
	command := exec.Command(w.binary, arguments...)
	command.Stdin = input
	if output, err := command.CombinedOutput(); err != nil {
		w.Fatal(fmt.Errorf("%s: %w: %s", arguments[0], err, output))
	}
}
