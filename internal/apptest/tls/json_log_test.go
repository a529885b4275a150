package tls_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// checkJSON verifies that each line of an output is a JSON object with the fields of a log line, and returns the
// messages.
func checkJSON(t *testing.T, output string) (messages string) {
	t.Helper()
	for line := range strings.Lines(output) {
		var entry struct {
			Time       time.Time
			Level, Msg string
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Time.IsZero() || entry.Level == "" || entry.Msg == "" {
			t.Errorf("no line of a log (%v): %s", err, line)
		}
		messages += entry.Msg + "\n"
	}
	return messages
}

// sendRaw sends bytes to an address, over TLS or not, and waits until the server closes the connection.
func sendRaw(t *testing.T, address, text string, secure bool) {
	t.Helper()
	var connection net.Conn = apptest.Must(net.Dial("tcp", address))(t)
	if secure {
		connection = tls.Client(connection, &tls.Config{InsecureSkipVerify: true, ServerName: "localhost"}) // the test sends nothing secret
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(3 * time.Second))
	_, _ = io.WriteString(connection, text)
	_, _ = io.Copy(io.Discard, connection)
}

// TestJSONLog verifies that a server with --log-format json prints nothing but JSON lines, whatever it receives.
func TestJSONLog(t *testing.T) {
	_, certificate, key := testservers.Certificate(t)
	s := apptest.Start(t, "--demo", "--log-format", "json", "--log-level", "debug", "--access-log", "all", "--tls-cert", certificate, "--tls-key", key,
		"--metrics-addr", "127.0.0.1:0", "--traces", "http://"+testservers.FreeAddress(t), "--trace-sample", "1")
	address := strings.TrimPrefix(s.Base, "https://")
	for _, text := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n", // plain HTTP
		"\x16\x03\x01\x00\x05hello", "\x00\xff\n{\"level\":\"forged\"}\n",
	} {
		sendRaw(t, address, text, false)
	}
	for _, text := range []string{
		"GET\r\n\r\n", "GET /\x01\"\n HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
		"GET /?" + strings.Repeat("x", 1<<21) + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /v1/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
		"GET /graphql HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 7\r\n\r\n",
		"GET /v1/videos%0A%22 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\"\r\nUser-Agent: \"{\r\nConnection: close\r\n\r\n",
	} {
		sendRaw(t, address, text, true)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // as above
	response := apptest.Must(client.Post(s.Base+"/v1/token", "application/x-www-form-urlencoded", strings.NewReader("grant_type=client_credentials&client_id=%0A%22%7B&client_secret=x")))(t)
	response.Body.Close()
	s.Stop(syscall.SIGTERM)
	if said := checkJSON(t, s.Printed()); !strings.Contains(said, "Filmstrip demo: "+s.Base) {
		t.Errorf("standard output is\n%s", s.Printed())
	}
	said := checkJSON(t, s.Logged())
	for _, want := range []string{"starting", "TLS handshake error", "authentication refused", "request", "spans cannot be sent", "stopping"} {
		if !strings.Contains(said, want) {
			t.Errorf("the log does not mention %q:\n%s", want, said)
		}
	}
}

// TestJSONLogOfANewServer verifies that the hints for a new installation, and the reason for which a server ends, are
// JSON lines.
func TestJSONLogOfANewServer(t *testing.T) {
	data := t.TempDir()
	apptest.Succeed(t, "migrate", "--data", data)
	s := apptest.Start(t, "--log-format", "json", "--data", data)
	s.AwaitPrinted("filmstrip accounts create house")
	if said := checkJSON(t, s.Printed()); !strings.Contains(said, "there are no accounts yet") {
		t.Errorf("standard output is\n%s", s.Printed())
	}
	// Another server cannot use the same address.
	var out, faults bytes.Buffer
	second := apptest.Bounded(t, apptest.Binary(t), "serve", "--log-format", "json", "--addr", strings.TrimPrefix(s.Base, "http://"), "--data", t.TempDir())
	second.Stdout, second.Stderr = &out, &faults
	if err := second.Run(); err == nil || second.ProcessState.ExitCode() != 1 {
		t.Errorf("the second server ends with %v", err)
	}
	if said := checkJSON(t, out.String()+faults.String()); !strings.Contains(said, "the server failed") || !strings.Contains(faults.String(), "address already in use") {
		t.Errorf("the log does not say why the server ended:\n%s", faults.String())
	}
	s.Stop(syscall.SIGTERM)
	checkJSON(t, s.Logged())
}
