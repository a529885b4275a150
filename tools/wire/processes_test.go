package wire_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// process is a running server.
type process struct {
	*program.Server
	b *testing.B
}

// serve starts a server with the given settings in addition to those that all servers have, and returns when it
// can answer every request. The server ends with the benchmark at the latest.
func (w *world) serve(settings ...string) *process {
	w.Helper()
	command := exec.Command(w.binary, append([]string{"serve", "--demo", "--no-demo-past", "--addr", "127.0.0.1:0", "--log-level", "warn"}, settings...)...)
	var log bytes.Buffer
	command.Stderr = &log
	server, err := program.StartServer(w.Context(), command, newClient(), "demo", "demo-secret")
	if err != nil {
		w.Fatalf("%v: %s", err, log.String())
	}
	w.Cleanup(server.Stop)
	return &process{server, w.B}
}

// newClient returns a client with one connection that does not request compressed responses.
func newClient() *http.Client {
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableCompression: true}}
}

// shutDown ends the process gracefully, which writes pending entries to Redis.
func (p *process) shutDown() {
	p.b.Helper()
	p.Client.CloseIdleConnections()
	if err := p.Terminate(); err != nil {
		p.b.Fatal(err)
	}
}

// get requests a path and returns the response body.
func (p *process) get(path string) []byte {
	p.b.Helper()
	answer, err := p.Get(path, false)
	if err != nil {
		p.b.Fatal(err)
	}
	return answer.Body
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
