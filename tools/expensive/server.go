package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// server is the process under attack.
type server struct {
	command *exec.Cmd
	folder  string // removed at the end
	base    string
	token   string
	client  *http.Client
}

// startServer starts the program on a catalogue, which it generates where there is none.
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
	s.command = exec.Command(of.filmstrip, "serve", "--demo", "--addr", "127.0.0.1:0", "--data", data, "--anonymous", "playback",
		"--client-rate", "0", "--token-rate", "0", "--anonymous-rate", "0", "--unauthorized-rate", "0", "--login-rate", "0",
		"--picture-rate", "0", "--log-level", "error")
	output, err := s.command.StdoutPipe()
	if err != nil {
		return err
	}
	s.command.Stderr = os.Stderr
	if err := s.command.Start(); err != nil {
		return err
	}
	for lines := bufio.NewScanner(output); s.base == "" && lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) > 0 && strings.HasPrefix(words[len(words)-1], "http://") {
			s.base = words[len(words)-1]
		}
	}
	if s.base == "" {
		return errors.New("the server did not say where it listens")
	}
	go func() { _, _ = io.Copy(io.Discard, output) }()
	return s.signIn()
}

func (s *server) stop() {
	if s.command != nil && s.command.Process != nil {
		_ = s.command.Process.Kill()
		_ = s.command.Wait()
	}
	_ = os.RemoveAll(s.folder)
}

// signIn gets the token of the operator, who may ask for everything.
func (s *server) signIn() error {
	var answer struct {
		Token string `json:"access_token"`
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"demo-operator"}, "client_secret": {"demo-secret"}}
	response, err := s.client.PostForm(s.base+"/v1/token", form)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	s.token = answer.Token
	return nil
}

// send sends a request and returns the status and the body.
func (s *server) send(r concrete) (status int, body []byte, err error) {
	request, err := http.NewRequest(r.method, s.base+r.path, bytes.NewReader(r.body))
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
	status, body, err := s.send(concrete{method: http.MethodGet, path: path, signedIn: true})
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s is answered %d: %.300s", path, status, body)
	}
	return json.Unmarshal(body, into)
}

// processorTime is what the threads of the process have used, to the nanosecond.
func (s *server) processorTime() (sum time.Duration, err error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.command.Process.Pid))
	if err != nil || len(files) == 0 {
		return 0, errors.Join(err, errors.New("the process does not run, or this system has no /proc/PID/task"))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		used, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(used, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		sum += time.Duration(n)
	}
	return sum, nil
}
