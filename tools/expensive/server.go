package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// startServer starts the program on a catalogue, which it generates in the folder if necessary.
func startServer(s settings, folder string) (*program.Server, error) {
	data := s.data
	if data == "" {
		data = filepath.Join(folder, "data")
		options := generate.Options{Videos: s.videos, Seed: 1, Material: true, TranscriptWords: 60, Schools: 5000}
		if err := program.Import(context.Background(), s.filmstrip, data, options); err != nil {
			return nil, err
		}
	}
	serve := exec.Command(s.filmstrip, "serve", "--demo", "--no-demo-past", "--addr", "127.0.0.1:0", "--data", data, "--anonymous", "playback",
		"--client-rate", "0", "--token-rate", "0", "--anonymous-rate", "0", "--unauthorized-rate", "0", "--login-rate", "0",
		"--picture-rate", "0", "--log-level", "error")
	serve.Stderr = os.Stderr
	client := &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 1},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	// The operator has every permission.
	return program.StartServer(context.Background(), serve, client, "demo-operator", "demo-secret")
}

// send sends a request and returns the status.
func send(s *program.Server, r request) (status int, err error) {
	sent := program.Request{Method: r.method, Path: r.path, ContentType: r.contentType, Body: r.body}
	if r.signedIn {
		sent.Token = s.Token
	}
	answer, err := sent.Send(context.Background(), s.Client, s.Base)
	if answer.Status == http.StatusUnauthorized && r.signedIn {
		err = errors.Join(err, s.SignIn(context.Background()))
	}
	return answer.Status, err
}

// get reads a document as the operator.
func get(s *program.Server, path string, into any) error {
	answer, err := s.Get(path, false)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer.Body, into)
}
