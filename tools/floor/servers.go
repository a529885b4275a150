package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/mux"

	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/tools/internal/program"
)

const (
	connections = 4

	answerFile = "answer.json"

	// Both sides know one client.
	clientID     = "floor"
	clientSecret = "floor-secret"
)

// startService starts the service over a catalogue that it generates in the folder. The client's rate limit is never
// reached, but requests are counted for it, as in production.
func startService(ctx context.Context, binary, folder string) (*program.Server, error) {
	options := generate.Options{Videos: 1000, Seed: 1, TranscriptWords: 120, Material: true, Schools: 200}
	if err := errors.Join(program.Import(ctx, binary, folder, options), program.AddClient(ctx, folder, clientID, clientSecret)); err != nil {
		return nil, err
	}
	return start(exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--data", folder, "--client-rate", "1000000000"))
}

// startFloor starts the floor, which answers every request for the path with the body and headers of an answer. The folder
// contains them.
func startFloor(folder, path string, of program.Answer) (*program.Server, error) {
	answer, err := json.Marshal(recorded{Path: path, Body: of.Body, Header: of.Header})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, answerFile), answer, 0o600); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start(exec.Command(self, "--serve-floor", folder))
}

// start starts a server under load.
func start(command *exec.Cmd) (*program.Server, error) {
	command.Stderr = os.Stderr
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}}
	return program.StartServer(context.Background(), command, client, clientID, clientSecret)
}

// anyVideo returns the ID of a video of the service.
func anyVideo(service *program.Server) (string, error) {
	page, err := service.Get("/v1/videos?size=1", false)
	if err != nil {
		return "", err
	}
	videos, err := program.VideosOf(page.Body)
	if err != nil || len(videos) == 0 {
		return "", errors.Join(errors.New("the catalogue shows no video"), err)
	}
	return videos[0], nil
}

// load sends requests over a few connections and returns the processor time of the server per request.
func load(s *program.Server, path string, requests int, compress bool) (time.Duration, error) {
	before, err := s.ProcessorTime()
	if err != nil {
		return 0, err
	}
	var sending sync.WaitGroup
	faults := make(chan error, connections)
	for range connections {
		sending.Go(func() {
			for range requests / connections {
				if _, err := s.Get(path, compress); err != nil {
					faults <- err
					return
				}
			}
		})
	}
	sending.Wait()
	close(faults)
	if err := <-faults; err != nil {
		return 0, err
	}
	after, err := s.ProcessorTime()
	return (after - before) / time.Duration(requests), err
}

// recorded is the response of the floor.
type recorded struct {
	Path   string
	Body   []byte
	Header http.Header
}

// serveFloor serves the floor: router, token check, recorded bytes.
func serveFloor(ctx context.Context, folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, answerFile))
	if err != nil {
		return err
	}
	var answer recorded
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	if err := program.AddClient(ctx, folder, clientID, clientSecret); err != nil {
		return err
	}
	accounts, err := sqlite.OpenAccounts(ctx, filepath.Join(folder, program.AccountsFile))
	if err != nil {
		return err
	}
	defer accounts.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	base := "http://" + listener.Addr().String()
	service, err := auth.New(ctx, auth.Config{Accounts: accounts, Issuer: base})
	if err != nil {
		return err
	}
	defer service.Close()
	router := mux.NewRouter()
	router.Handle("/v1/token", service.TokenHandler())
	path, _, _ := strings.Cut(answer.Path, "?")
	router.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if _, err := service.Verifier().Authenticate(r); err != nil {
			auth.Refuse(w, r, err)
			return
		}
		for _, name := range []string{"Content-Type", "Content-Encoding"} {
			if value := answer.Header.Get(name); value != "" {
				w.Header().Set(name, value)
			}
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(answer.Body)))
		_, _ = w.Write(answer.Body)
	})
	fmt.Println("floor at", base)
	return http.Serve(listener, router) //nolint:gosec // a measuring tool on loopback
}
