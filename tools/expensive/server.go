package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/filmstrip/filmstrip/internal/generate"
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
		options := generate.Options{Videos: of.videos, Seed: 1, Material: true, TranscriptWords: 60, Schools: 5000}
		if err := program.Import(context.Background(), of.filmstrip, data, options); err != nil {
			return err
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
	s.token, err = program.Token(context.Background(), s.client, s.Base, "demo-operator", "demo-secret")
	return err
}

// send sends a request and returns the status and the body.
func (s *server) send(r request) (status int, body []byte, err error) {
	sent := program.Request{Method: r.method, Path: r.path, ContentType: r.contentType, Body: r.body}
	if r.signedIn {
		sent.Token = s.token
	}
	answer, err := sent.Send(context.Background(), s.client, s.Base)
	if answer.Status == http.StatusUnauthorized && r.signedIn {
		err = errors.Join(err, s.signIn())
	}
	return answer.Status, answer.Body, err
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
