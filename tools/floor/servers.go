package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
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
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// server is a process under load.
type server struct {
	command *exec.Cmd
	base    string
	token   string
	client  *http.Client
	folder  string
}

const connections = 4

// start runs a command that prints its base address as the last word of a line, and gets a token.
func start(command *exec.Cmd, folder string) (*server, error) {
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	s := &server{command: command, folder: folder, client: &http.Client{
		Timeout:   time.Minute,
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true},
	}}
	lines := bufio.NewScanner(output)
	for s.base == "" && lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) > 0 && strings.HasPrefix(words[len(words)-1], "http://") {
			s.base = words[len(words)-1]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, output) }()
	if s.base == "" {
		s.stop()
		return nil, errors.New("the server did not say where it listens")
	}
	return s, s.logIn()
}

func startService(binary string) (*server, error) {
	folder, err := os.MkdirTemp("", "filmstrip-floor-")
	if err != nil {
		return nil, err
	}
	// A rate that is never met is counted all the same, as in production.
	return start(exec.Command(binary, "serve", "--demo", "--addr", "127.0.0.1:0", "--data", folder, "--client-rate", "1000000000"), folder)
}

func startFloor(path string, body []byte, header http.Header) (*server, error) {
	folder, err := os.MkdirTemp("", "filmstrip-floor-")
	if err != nil {
		return nil, err
	}
	answer, err := json.Marshal(recorded{Path: path, Body: body, Header: header})
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
	return start(exec.Command(self, "--serve-floor", folder), folder)
}

func (s *server) stop() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
	_ = os.RemoveAll(s.folder)
}

func (s *server) logIn() error {
	response, err := s.client.PostForm(s.base+"/v1/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {"demo"}, "client_secret": {"demo-secret"},
	})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Token string `json:"access_token"`
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	s.token = answer.Token
	return err
}

func (s *server) request(path string, compress bool) (*http.Request, error) {
	request, err := http.NewRequest(http.MethodGet, s.base+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	if compress {
		request.Header.Set("Accept-Encoding", "gzip")
	}
	return request, nil
}

func (s *server) get(path string, compress bool) ([]byte, http.Header, error) {
	request, err := s.request(path, compress)
	if err != nil {
		return nil, nil, err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, response.Status, body)
	}
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
		return "", fmt.Errorf("the demo shows no video: %w", err)
	}
	return page.Embedded.Videos[0].ID, nil
}

// load sends requests over a few connections and returns the CPU time of the server for each, in
// microseconds.
func (s *server) load(path string, requests int, compress bool) (float64, error) {
	before, err := s.cpu()
	if err != nil {
		return 0, err
	}
	var wait sync.WaitGroup
	faults := make(chan error, connections)
	for range connections {
		wait.Go(func() {
			for range requests / connections {
				request, err := s.request(path, compress)
				if err == nil {
					var response *http.Response
					if response, err = s.client.Do(request); err == nil {
						err = discard(response)
					}
				}
				if err != nil {
					faults <- err
					return
				}
			}
		})
	}
	wait.Wait()
	close(faults)
	if err := <-faults; err != nil {
		return 0, err
	}
	after, err := s.cpu()
	return (after - before) / float64(requests), err
}

// cpu is the CPU time of the process so far, in microseconds: the sum over its threads.
func (s *server) cpu() (float64, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	var total float64
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // the thread has ended
		}
		nanoseconds, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseFloat(nanoseconds, 64)
		if err != nil {
			return 0, err
		}
		total += n / 1000
	}
	return total, nil
}

func replaceVideo(path, id string) string { return strings.ReplaceAll(path, "{video}", id) }

func matching(only string) []target {
	var chosen []target
	for _, target := range targets {
		if strings.Contains(target.name, only) {
			chosen = append(chosen, target)
		}
	}
	return chosen
}

// recorded is the answer that the floor gives.
type recorded struct {
	Path   string
	Body   []byte
	Header http.Header
}

const answerFile = "answer.json"

// serveFloor is the floor: the router, the token check, the bytes.
func serveFloor(ctx context.Context, folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, answerFile))
	if err != nil {
		return err
	}
	var answer recorded
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	accounts, err := sqlite.OpenAccounts(ctx, filepath.Join(folder, "accounts.db"))
	if err != nil {
		return err
	}
	defer accounts.Close()
	if err := authtest.Put(ctx, accounts, authtest.Customer("demo", "demo-secret", nil)...); err != nil {
		return err
	}
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
