package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// server is the process under test.
type server struct {
	*program.Process
	folder string // removed at the end
	token  string
	client *http.Client
}

// startServer starts the program on a catalogue, which it generates if necessary.
func startServer(s settings) (*server, error) {
	folder, err := os.MkdirTemp("", "filmstrip-expensive-")
	if err != nil {
		return nil, err
	}
	started := &server{folder: folder, client: &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 1},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if err := started.start(s); err != nil {
		started.stop()
		return nil, err
	}
	return started, nil
}

func (s *server) start(of settings) error {
	data := of.data
	if data == "" {
		data = filepath.Join(s.folder, "data")
		lines := filepath.Join(s.folder, "lines.jsonl")
		generate := exec.Command("sh", "-c", `"$0" generate --videos "$1" --material --transcript-words 60 --schools 5000 >"$2" && "$0" import --data "$3" "$2"`,
			of.filmstrip, strconv.Itoa(of.videos), lines, data)
		if output, err := generate.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, output)
		}
	}
	serve := exec.Command(of.filmstrip, "serve", "--demo", "--no-demo-past", "--addr", "127.0.0.1:0", "--data", data, "--anonymous", "playback",
		"--client-rate", "0", "--token-rate", "0", "--anonymous-rate", "0", "--unauthorized-rate", "0", "--login-rate", "0",
		"--picture-rate", "0", "--log-level", "error")
	serve.Stderr = os.Stderr
	var err error
	if s.Process, err = program.Start(serve); err != nil {
		return err
	}
	return s.signIn()
}

func (s *server) stop() {
	if s.Process != nil {
		s.Stop()
	}
	_ = os.RemoveAll(s.folder)
}

// signIn gets the token of the operator, who has every permission.
func (s *server) signIn() (err error) {
	s.token, err = s.Token(s.client, "demo-operator", "demo-secret")
	return err
}

// send sends a request and returns the status and the body.
func (s *server) send(r request) (status int, body []byte, err error) {
	request, err := http.NewRequest(r.method, s.Base+r.path, bytes.NewReader(r.body))
	if err != nil {
		return 0, nil, err
	}
	if r.contentType != "" {
		request.Header.Set("Content-Type", r.contentType)
	}
	if r.signedIn {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	if response.StatusCode == http.StatusUnauthorized && r.signedIn {
		return response.StatusCode, body, errors.Join(err, s.signIn())
	}
	return response.StatusCode, body, err
}

// get reads a document as the operator.
func (s *server) get(path string, into any) error {
	status, body, err := s.send(request{method: http.MethodGet, path: path, signedIn: true})
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s is answered %d: %.300s", path, status, body)
	}
	return json.Unmarshal(body, into)
}
