package main

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
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestTheAnswerFollowsTheSync looks at the system calls of a server that takes events of several clients at
// once: each 201 is written to its connection after a sync of the write-ahead log has ended that began when all
// frames of the commit had been written, the one with this very event among them.
func TestTheAnswerFollowsTheSync(t *testing.T) {
	file := filepath.Join(t.TempDir(), "calls")
	s := underStrace(t, file)
	const clients, each = 8, 15
	var sending sync.WaitGroup
	for client := range clients {
		sending.Go(func() {
			for i := range each {
				if err := s.play(videoOfCall(client, i), i%5 == 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	sending.Wait()
	s.end()
	judged, err := judgeCalls(must(os.ReadFile(file))(t))
	if err != nil {
		t.Error(err)
	}
	for client := range clients {
		for i := range each {
			if video := videoOfCall(client, i); !judged.synced[video] {
				t.Errorf("the event of %s was acknowledged, and no system call shows it", video)
			}
		}
	}
	t.Logf("%d answers follow %d syncs of the log", len(judged.synced), judged.syncs)
}

func videoOfCall(client, i int) string { return fmt.Sprintf("ca11ca11ca11%06x%06x", client, i) }

// underStrace starts a server whose system calls are written down, where that is allowed.
func underStrace(t *testing.T, file string) *apart {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		testservers.Missing(t, "strace", err.Error())
	}
	if output, err := exec.Command("strace", "-f", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		testservers.Missing(t, "strace", fmt.Sprintf("%v: %s", err, output))
	}
	return startApart(t, "strace", "-I", "2", "-f", "-yy", "-s", "8192", "-e", "signal=none",
		"-e", "trace=read,write,pwrite64,fsync,fdatasync", "-o", file,
		must(binary())(t), "serve", "--demo", "--data", t.TempDir())
}

// apart is a server in a process of its own.
type apart struct {
	*testing.T
	process *exec.Cmd
	base    string
	token   string
	client  *http.Client
	log     bytes.Buffer // read when the process has ended
	ending  sync.Once
}

// startApart starts a server by a command, which lacks the address only, and waits until it is ready.
func startApart(t *testing.T, command string, arguments ...string) *apart {
	t.Helper()
	address := freeAddress(t)
	s := &apart{T: t, base: "http://" + address, client: &http.Client{
		Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 16},
	}}
	s.process = exec.Command(command, append(arguments, "--addr", address)...)
	s.process.Stderr = &s.log
	s.process.WaitDelay = time.Minute // what is started by another program may outlive that
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	for deadline := time.Now().Add(2 * time.Minute); !s.ready(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.end()
			t.Fatalf("it does not become ready: %s", lastLines(s.log.String(), 10))
		}
	}
	s.logIn()
	return s
}

func (s *apart) end() {
	s.ending.Do(func() {
		_ = s.server().Signal(syscall.SIGTERM)
		late := time.AfterFunc(time.Minute, func() {
			s.Error("SIGTERM does not end it")
			_ = s.process.Process.Kill()
		})
		_ = s.process.Wait()
		late.Stop()
	})
}

// server is the process that the command has started, or the command itself: strace leaves out the last calls
// where it is told to end before who makes them.
func (s *apart) server() *os.Process {
	pid := s.process.Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return s.process.Process
	}
	var child int
	if _, err := fmt.Sscan(string(children), &child); err != nil {
		return s.process.Process
	}
	return must(os.FindProcess(child))(s)
}

func (s *apart) ready() bool {
	response, err := s.client.Get(s.base + "/readyz")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (s *apart) logIn() {
	s.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {demoOperator}, "client_secret": {demoSecret}}
	response := must(s.client.PostForm(s.base+"/v1/token", form))(s)
	defer response.Body.Close()
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Token == "" {
		s.Fatalf("there is no token: %s %v", response.Status, err)
	}
	s.token = answer.Token
}

// tell hands events in.
func (s *apart) tell(path, body, key string) (answer, error) {
	request, err := http.NewRequest(http.MethodPost, s.base+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	began := time.Now()
	response, err := s.client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{"POST " + path, response.StatusCode, response.Header.Get("Retry-After"), text, time.Since(began)}, err
}

const playbackPath = "/v1/events/playback"

// playbackOf is a body that tells that a video was played.
func playbackOf(video string) string {
	return fmt.Sprintf(`{"videoId":%q,"segmentStartSeconds":1,"segmentEndSeconds":2,"captureTime":"2026-01-02T03:04:05Z"}`, video)
}

// play tells that a video was played, alone or as a batch.
func (s *apart) play(video string, batch bool) error {
	path, body := playbackPath, playbackOf(video)
	if batch {
		path, body = path+"/batch", "["+body+"]"
	}
	told, err := s.tell(path, body, "")
	if err == nil && told.status != http.StatusCreated {
		err = errors.New(told.String())
	}
	return err
}

// systemCall is one of the calls that are looked at. It began and ended at lines of the trace.
type systemCall struct {
	name, file, text string
	began, ended     int
}

// readCalls reads what strace wrote: a call that others came in between is on two lines.
func readCalls(trace []byte) (calls []systemCall) {
	begun := map[string]systemCall{} // by thread
	for i, line := range strings.Split(string(trace), "\n") {
		thread, text, _ := strings.Cut(line, " ")
		text = strings.TrimLeft(text, " ")
		if rest, resumed := strings.CutPrefix(text, "<... "); resumed {
			call := begun[thread]
			_, rest, _ = strings.Cut(rest, " resumed>")
			call.text += rest
			call.ended = i
			calls = append(calls, call)
			continue
		}
		name, rest, ok := strings.Cut(text, "(")
		_, rest, opened := strings.Cut(rest, "<")
		if !ok || !opened {
			continue
		}
		call := systemCall{name: name, file: fileOfCall(rest), text: rest, began: i, ended: i}
		if strings.HasSuffix(text, "<unfinished ...>") {
			begun[thread] = call
			continue
		}
		calls = append(calls, call)
	}
	return calls
}

// fileOfCall is what strace says of a call's file: a path, or TCP:[FROM->TO].
func fileOfCall(text string) string {
	if strings.HasPrefix(text, "TCP") {
		connection, _, _ := strings.Cut(text, "]")
		return connection
	}
	path, _, _ := strings.Cut(text, ">")
	return path
}

var playedVideo = regexp.MustCompile(`videoId\\":\\"([0-9a-f]{24})`)

// judged is what system calls show.
type judged struct {
	synced map[string]bool // videos whose events were on the disk before they were acknowledged
	syncs  int
}

// judgeCalls holds each 201 against what was written and synced before it.
func judgeCalls(trace []byte) (judged, error) {
	var faults []error
	result := judged{synced: map[string]bool{}}
	asked := map[string]string{} // the video of the last request, by connection
	written := map[string]int{}  // when the write of a video's event to the log ended
	var syncs []systemCall       // that have ended
	for _, call := range readCalls(trace) {
		switch connection := strings.HasPrefix(call.file, "TCP"); {
		case connection && call.name == "read":
			if found := playedVideo.FindStringSubmatch(call.text); found != nil {
				asked[call.file] = found[1]
			}
		case connection && strings.Contains(call.text, `"HTTP/1.1 201 `):
			if video := asked[call.file]; syncedBetween(syncs, written[video], call.began) {
				result.synced[video] = true
			} else {
				faults = append(faults, fmt.Errorf("line %d: the event of %s is acknowledged before it is on the disk", call.began+1, video))
			}
		case !strings.HasSuffix(call.file, eventsFile+"-wal"):
		case call.name == "pwrite64":
			for _, video := range eventVideo.FindAllString(call.text, -1) {
				if _, known := written[video]; !known {
					written[video] = call.ended
				}
			}
		case strings.HasSuffix(call.name, "sync") && strings.HasSuffix(call.text, "= 0"):
			syncs = append(syncs, call)
		}
	}
	result.syncs = len(syncs)
	return result, errors.Join(faults...)
}

var eventVideo = regexp.MustCompile(`ca11ca11ca11[0-9a-f]{12}`)

// syncedBetween reports whether a sync began after a write had ended, and ended before an answer began. A write
// at 0 was none.
func syncedBetween(syncs []systemCall, written, answered int) bool {
	for _, sync := range syncs {
		if written > 0 && sync.began > written && sync.ended < answered {
			return true
		}
	}
	return false
}

// TestJudgeCalls: an answer that comes too early is found.
func TestJudgeCalls(t *testing.T) {
	const (
		start  = `7 write(1</dev/null>, "x", 1) = 1`
		ask    = `7 read(9<TCP:[127.0.0.1:80->127.0.0.1:99]>, "POST {\"videoId\":\"ca11ca11ca11000000000001\"", 4096) = 9`
		wrote  = `8 pwrite64(5</data/events.db-wal>, "\1\2ca11ca11ca11000000000001\3", 4096, 32) = 4096`
		synced = `8 fdatasync(5</data/events.db-wal>) = 0`
		other  = `8 fdatasync(6</data/accounts.db-wal>) = 0`
		failed = `8 fdatasync(5</data/events.db-wal>) = -1 EIO (Input/output error)`
		begins = `8 fdatasync(5</data/events.db-wal> <unfinished ...>`
		ends   = `8 <... fdatasync resumed>) = 0`
		answer = `7 write(9<TCP:[127.0.0.1:80->127.0.0.1:99]>, "HTTP/1.1 201 Created\r\n", 99) = 99`
		nobody = `7 write(9<TCP:[127.0.0.1:80->127.0.0.1:98]>, "HTTP/1.1 201 Created\r\n", 99) = 99`
	)
	for name, c := range map[string]struct {
		calls []string
		sound bool
	}{
		"in order":                    {[]string{start, ask, wrote, synced, answer}, true},
		"the sync is interrupted":     {[]string{start, ask, wrote, begins, start, ends, answer}, true},
		"no sync":                     {[]string{start, ask, wrote, answer}, false},
		"the sync comes later":        {[]string{start, ask, wrote, answer, synced}, false},
		"the sync came before":        {[]string{start, ask, synced, wrote, answer}, false},
		"the sync began before":       {[]string{start, ask, begins, wrote, ends, answer}, false},
		"the sync ends later":         {[]string{start, ask, wrote, begins, answer, ends}, false},
		"the sync failed":             {[]string{start, ask, wrote, failed, answer}, false},
		"another file is synced":      {[]string{start, ask, wrote, other, answer}, false},
		"nothing was written":         {[]string{start, ask, synced, answer}, false},
		"nobody asked on this answer": {[]string{start, ask, wrote, synced, nobody}, false},
	} {
		result, err := judgeCalls([]byte(strings.Join(c.calls, "\n")))
		if (err == nil) != c.sound || result.synced["ca11ca11ca11000000000001"] != c.sound {
			t.Errorf("%s: %v, %v", name, result, err)
		}
	}
}
