package events_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestResponsesFollowTheSync traces the system calls of a server that receives events of several clients at once. It
// verifies that the server writes each 201 only after a sync of the write-ahead log ended that began after all frames
// of the commit had been written, including the frame with this event.
func TestResponsesFollowTheSync(t *testing.T) {
	file := filepath.Join(t.TempDir(), "calls")
	s := underStrace(t, file)
	const clients, each = 8, 15
	var sending sync.WaitGroup
	for client := range clients {
		sending.Go(func() {
			for i := range each {
				path, body := apptest.PlaybackPath, apptest.PlaybackOf(videoOfCall(client, i))
				if i%5 == 0 {
					path, body = path+"/batch", "["+body+"]"
				}
				if answer, err := s.Report(path, body, ""); err != nil || answer.Status != http.StatusCreated {
					t.Error(answer, err)
				}
			}
		})
	}
	sending.Wait()
	s.Stop(syscall.SIGTERM)
	judged, err := checkCalls(apptest.Must(os.ReadFile(file))(t))
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

// underStrace starts a server under strace, where tracing is allowed.
func underStrace(t *testing.T, file string) *apptest.Server {
	t.Helper()
	if output, err := exec.Command(testservers.Program(t, "strace", "strace"), "-f", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		testservers.Missing(t, "strace", fmt.Sprintf("%v: %s", err, output))
	}
	data := t.TempDir()
	apptest.Start(t, "--demo", "--data", data).Stop(os.Interrupt) // importing the demo takes half a minute under strace
	strace := []string{
		"strace", "-I", "2", "-f", "-yy", "-s", "8192", "-e", "signal=none", "-e", "trace=read,write,pwrite64,fsync,fdatasync", "-o", file,
	}
	s := apptest.StartUnder(t, strace, "--demo", "--data", data)
	s.LogIn(demo.OperatorAccount, demo.Secret)
	return s
}

// systemCall is a traced call. It began and ended at lines of the trace.
type systemCall struct {
	name, file, text string
	began, ended     int
}

// readCalls parses the output of strace. A call that other calls interrupted is on two lines.
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

// fileOfCall returns the file of a call in the output of strace: a path, or TCP:[FROM->TO].
func fileOfCall(text string) string {
	if strings.HasPrefix(text, "TCP") {
		connection, _, _ := strings.Cut(text, "]")
		return connection
	}
	path, _, _ := strings.Cut(text, ">")
	return path
}

var playedVideo = regexp.MustCompile(`videoId\\":\\"([0-9a-f]{24})`)

// callReport is the result of a trace.
type callReport struct {
	synced map[string]bool // videos whose events were synced before they were acknowledged
	syncs  int
}

// checkCalls compares each 201 with the writes and syncs before it.
func checkCalls(trace []byte) (callReport, error) {
	var faults []error
	result := callReport{synced: map[string]bool{}}
	asked := map[string]string{} // the video of the last request, by connection
	written := map[string]int{}  // the line at which the write of a video's event to the log ended
	var syncs []systemCall       // completed syncs
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
		case !strings.HasSuffix(call.file, app.EventsFile+"-wal"):
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

// syncedBetween reports whether a sync began after a write had ended, and ended before a response began. A write at 0
// means that there was none.
func syncedBetween(syncs []systemCall, written, answered int) bool {
	for _, sync := range syncs {
		if written > 0 && sync.began > written && sync.ended < answered {
			return true
		}
	}
	return false
}

// TestCheckCalls verifies that judgeCalls detects a response that precedes its sync.
func TestCheckCalls(t *testing.T) {
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
		result, err := checkCalls([]byte(strings.Join(c.calls, "\n")))
		if (err == nil) != c.sound || result.synced["ca11ca11ca11000000000001"] != c.sound {
			t.Errorf("%s: %v, %v", name, result, err)
		}
	}
}
