package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// server is a process under load.
type server struct {
	*program.Process
	token  string
	client *http.Client
	folder string
}

const (
	connections = 4

	accountsFile = "accounts.db"
	answerFile   = "answer.json"

	// Both sides know one client.
	clientID     = "floor"
	clientSecret = "floor-secret"
)

// startService starts the service over a generated catalogue. The client's rate limit is never reached, but
// requests are counted for it, as in production.
func startService(ctx context.Context, binary string) (*server, error) {
	folder, err := os.MkdirTemp("", "filmstrip-floor-")
	if err != nil {
		return nil, err
	}
	serve := exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--data", folder, "--client-rate", "1000000000")
	return start(serve, folder, func() error {
		return errors.Join(importCatalogue(ctx, binary, folder), addClient(ctx, folder))
	})
}

func importCatalogue(ctx context.Context, binary, folder string) error {
	lines, writer := io.Pipe()
	go func() {
		writer.CloseWithError(generate.Write(writer, generate.Options{
			Videos: 1000, Seed: 1, TranscriptWords: 120, Material: true, Schools: 200,
		}))
	}()
	command := exec.CommandContext(ctx, binary, "import", "--data", folder, "-")
	command.Stdin = lines
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("import: %w: %s", err, output)
	}
	return nil
}

func addClient(ctx context.Context, folder string) error {
	accounts, err := sqlite.OpenAccounts(ctx, filepath.Join(folder, accountsFile))
	if err != nil {
		return err
	}
	return errors.Join(authtest.Put(ctx, accounts, authtest.Customer(clientID, clientSecret, nil)...), accounts.Close())
}

// startFloor starts the floor, which answers every request for the path with the given body and headers.
func startFloor(path string, body []byte, header http.Header) (*server, error) {
	folder, err := os.MkdirTemp("", "filmstrip-floor-")
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start(exec.Command(self, "--serve-floor", folder), folder, func() error {
		answer, err := json.Marshal(recorded{Path: path, Body: body, Header: header})
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, answerFile), answer, 0o600)
	})
}

// start prepares the folder, which it owns from now on, starts the server, and gets a token.
func start(command *exec.Cmd, folder string, prepare func() error) (*server, error) {
	s := &server{folder: folder, client: &http.Client{
		Timeout:   time.Minute,
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true},
	}}
	command.Stderr = os.Stderr
	err := prepare()
	if err == nil {
		s.Process, err = program.Start(command)
	}
	if err == nil {
		s.token, err = s.Token(s.client, clientID, clientSecret)
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *server) stop() {
	if s.Process != nil {
		s.Stop()
	}
	_ = os.RemoveAll(s.folder)
}

// send sends a request and returns the response, whose status is 200.
func (s *server) send(path string, compress bool) (*http.Response, error) {
	request, err := http.NewRequest(http.MethodGet, s.Base+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	if compress {
		request.Header.Set("Accept-Encoding", "gzip")
	}
	response, err := s.client.Do(request)
	if err == nil && response.StatusCode != http.StatusOK {
		_ = response.Body.Close()
		return nil, fmt.Errorf("%s: %s", path, response.Status)
	}
	return response, err
}

func (s *server) get(path string, compress bool) ([]byte, http.Header, error) {
	response, err := s.send(path, compress)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return body, response.Header, err
}

func (s *server) anyVideo() (string, error) {
	body, _, err := s.get("/v1/videos?size=1", false)
	if err != nil {
		return "", err
	}
	var page struct {
		Embedded struct{ Videos []struct{ ID string } } `json:"_embedded"`
	}
	if err := json.Unmarshal(body, &page); err != nil || len(page.Embedded.Videos) == 0 {
		return "", errors.Join(errors.New("the catalogue shows no video"), err)
	}
	return page.Embedded.Videos[0].ID, nil
}

// load sends requests over a few connections and returns the processor time of the server per request.
func (s *server) load(path string, requests int, compress bool) (time.Duration, error) {
	before, err := s.ProcessorTime()
	if err != nil {
		return 0, err
	}
	var sending sync.WaitGroup
	faults := make(chan error, connections)
	for range connections {
		sending.Go(func() {
			for range requests / connections {
				response, err := s.send(path, compress)
				if err == nil {
					_, err = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
				}
				if err != nil {
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
	if err := addClient(ctx, folder); err != nil {
		return err
	}
	accounts, err := sqlite.OpenAccounts(ctx, filepath.Join(folder, accountsFile))
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
