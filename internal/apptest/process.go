package apptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// Process is a server that another program started, such as strace.
type Process struct {
	*testing.T
	Process *exec.Cmd
	Base    string
	token   string
	Client  *http.Client
	log     bytes.Buffer // read after the process has ended
	ending  sync.Once
}

// StartProcess starts a server with a command, to which it adds the address, and waits until the server is ready.
func StartProcess(t *testing.T, command string, arguments ...string) *Process {
	t.Helper()
	address := testservers.FreeAddress(t)
	s := &Process{T: t, Base: "http://" + address, Client: &http.Client{
		Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 16},
	}}
	s.Process = exec.Command(command, append(arguments, "--addr", address)...)
	s.Process.Stderr = &s.log
	s.Process.WaitDelay = time.Minute // the server may outlive the program that started it
	if err := s.Process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.End)
	for deadline := time.Now().Add(2 * time.Minute); !s.ready(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.End()
			t.Fatalf("the server does not become ready: %s", LastLines(s.log.String(), 10))
		}
	}
	s.logIn()
	return s
}

// End stops the process with SIGTERM and waits for its end. Later calls do nothing.
func (s *Process) End() {
	s.ending.Do(func() {
		_ = s.ServerProcess().Signal(syscall.SIGTERM)
		late := time.AfterFunc(time.Minute, func() {
			s.Error("SIGTERM does not end the server")
			_ = s.Process.Process.Kill()
		})
		_ = s.Process.Wait()
		late.Stop()
	})
}

// ServerProcess returns the process that the command started, or that of the command itself: if strace ends before its
// child, it omits the last system calls.
func (s *Process) ServerProcess() *os.Process {
	pid := s.Process.Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return s.Process.Process
	}
	var child int
	if _, err := fmt.Sscan(string(children), &child); err != nil {
		return s.Process.Process
	}
	return Must(os.FindProcess(child))(s)
}

func (s *Process) ready() bool {
	response, err := s.Client.Get(s.Base + "/readyz")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (s *Process) logIn() {
	s.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {demo.OperatorAccount}, "client_secret": {demo.Secret}}
	response := Must(s.Client.PostForm(s.Base+"/v1/token", form))(s)
	defer response.Body.Close()
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Token == "" {
		s.Fatalf("there is no token: %s %v", response.Status, err)
	}
	s.token = answer.Token
}

// Report sends events.
func (s *Process) Report(path, body, key string) (Answer, error) {
	request, err := http.NewRequest(http.MethodPost, s.Base+path, strings.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	began := time.Now()
	response, err := s.Client.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return Answer{"POST " + path, response.StatusCode, response.Header.Get("Retry-After"), text, time.Since(began)}, err
}

// Play reports a playback of a video, alone or as a batch.
func (s *Process) Play(video string, batch bool) error {
	path, body := PlaybackPath, PlaybackOf(video)
	if batch {
		path, body = path+"/batch", "["+body+"]"
	}
	answer, err := s.Report(path, body, "")
	if err == nil && answer.Status != http.StatusCreated {
		err = errors.New(answer.String())
	}
	return err
}
