package backup_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/backup"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// dataEnvironment names the data directory of a process that only makes a backup. The tests start this process from
// their own binary.
const dataEnvironment, dirEnvironment = "FILMSTRIP_TEST_BACKUP_DATA", "FILMSTRIP_TEST_BACKUP_DIR"

func TestMain(m *testing.M) {
	if data := os.Getenv(dataEnvironment); data != "" {
		if _, err := backup.Write(context.Background(), options(data, os.Getenv(dirEnvironment))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var files = []string{"usage.db", "events.db"}

func options(data, dir string) backup.Options {
	return backup.Options{Data: data, Dir: dir, Files: files, Usage: "usage.db", Events: "events.db", Program: "test", Progress: silent{}}
}

type silent struct{}

func (silent) Begin(string, int64) {}
func (silent) Advance(int64, int)  {}
func (silent) End()                {}

// log opens a data directory with an event log of at least the given size.
func log(t *testing.T, data string, megabytes int) *sqlite.Events {
	t.Helper()
	usage, err := sqlite.OpenUsage(t.Context(), filepath.Join(data, "usage.db"))
	if err != nil {
		t.Fatal(err)
	}
	events, err := sqlite.OpenEvents(t.Context(), filepath.Join(data, "events.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = usage.Close(), events.Close() })
	for written := 0; written < megabytes<<20; {
		submission := event.Submission{Received: now()}
		for range 4000 {
			submission.Events = append(submission.Events, play(2000))
			written += 4096 // each event occupies a page
		}
		if _, err := events.Append(t.Context(), []event.Submission{submission}); err != nil {
			t.Fatal(err)
		}
	}
	return events
}

func now() event.Instant { return event.InstantOf(time.Now()) }

// play returns an event with incompressible metadata of the given size.
func play(size int) event.Event {
	text := make([]byte, size/2)
	_, _ = rand.Read(text)
	at := now()
	return event.Event{
		ID: event.NewID(at), Kind: event.Playback, At: at, Received: at, Account: "school", Video: "5c542abf5438cdbcb56df0bf", End: 1000,
		Metadata: []byte(`{"text":"` + hex.EncodeToString(text) + `"}`),
	}
}

// TestBesideWriters appends 20 events per second, each in a transaction of its own, while another process makes a
// backup. It checks that the backup completes and is sound, and that it contains all events stored before it began and
// no part of a later one. "make measure" runs the test with gigabytes, and requires that no write
// takes longer than 100 ms, or than the slowest write without a backup.
func TestBesideWriters(t *testing.T) {
	megabytes, measuring := 24, false
	if text := os.Getenv("FILMSTRIP_TEST_MEASURE"); text != "" {
		var err error
		if megabytes, err = strconv.Atoi(text); err != nil {
			t.Fatalf("FILMSTRIP_TEST_MEASURE is the size of the log in MB: %v", err)
		}
		measuring = true
	}
	data := t.TempDir()
	events := log(t, data, megabytes)
	idle := 200 * time.Millisecond
	if measuring {
		idle = 30 * time.Second
	}
	alone := write(t, events, func() bool { idle -= 50 * time.Millisecond; return idle <= 0 })

	dir := filepath.Join(t.TempDir(), "backup")
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), dataEnvironment+"="+data, dirEnvironment+"="+dir)
	process.Stderr = os.Stderr
	before, err := events.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	if measuring {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, process.Process.Pid, 10) // as the command does
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	beside := write(t, events, func() bool {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("the backup: %v", err)
			}
			return true
		default:
			return false
		}
	})
	took := time.Since(began)
	m, err := backup.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.LastEvent < before || m.LastEvent > before+event.Position(len(beside)) || m.Counted != 0 {
		t.Errorf("the log ended at %d before, and %d were appended meanwhile: %+v", before, len(beside), m)
	}
	copied, err := sqlite.OpenEvents(t.Context(), filepath.Join(dir, "events.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if head, err := copied.Head(t.Context()); err != nil || head != m.LastEvent {
		t.Errorf("the copy ends at %d, %v", head, err)
	}
	if !measuring {
		return
	}
	slowest := beside[len(beside)-1]
	fmt.Printf("backup of %d MB: %s; %d writes beside it: median %s, 99%% within %s, slowest %s; without it %s, %s, %s\n",
		m.Files[1].Size>>20, took.Round(time.Millisecond), len(beside), beside[len(beside)/2], beside[len(beside)*99/100], slowest,
		alone[len(alone)/2], alone[len(alone)*99/100], alone[len(alone)-1])
	if limit := max(100*time.Millisecond, alone[len(alone)-1]); slowest > limit {
		t.Errorf("a write took %s beside the backup", slowest)
	}
}

// write appends an event 20 times a second until done returns true. It returns how long each append took, in order.
func write(t *testing.T, events *sqlite.Events, done func() bool) (took []time.Duration) {
	t.Helper()
	for tick := time.NewTicker(50 * time.Millisecond); !done(); {
		<-tick.C
		began := time.Now()
		if _, err := events.Append(t.Context(), []event.Submission{{Received: now(), Events: []event.Event{play(200)}}}); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took
}

// TestNothingIsLeft checks that a failed backup leaves no files, and that the remains of a killed backup do not prevent
// the next one.
func TestNothingIsLeft(t *testing.T) {
	data, parent := t.TempDir(), t.TempDir()
	log(t, data, 1)
	dir := filepath.Join(parent, "backup")
	o := options(data, dir)
	o.Files = append(slices.Clone(files), "missing.db")
	if _, err := backup.Write(t.Context(), o); err == nil || !strings.Contains(err.Error(), "missing.db") {
		t.Errorf("a file that is missing: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := backup.Write(ended, options(data, dir)); err == nil {
		t.Error("the context had ended")
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(data, "missing.db")); err == nil {
		t.Error("the backup created the missing file")
	}
	killed := dir + ".partial"
	if err := os.Mkdir(killed, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(killed, "events.db"), []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Write(t.Context(), options(data, dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(killed); err == nil {
		t.Error("files of the killed backup are left")
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[entry.IsDir()]; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestADamagedFileIsNoBackup checks that Write refuses a damaged database and names the damaged file.
func TestADamagedFileIsNoBackup(t *testing.T) {
	data := t.TempDir()
	events := log(t, data, 1)
	if err := events.Close(); err != nil {
		t.Fatal(err)
	}
	dir, path := filepath.Join(t.TempDir(), "backup"), filepath.Join(data, "events.db")
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []int64{size / 2, 0} { // 0: not even a database
		for at := from; at < size; at += 4096 {
			if _, err := file.WriteAt([]byte("damaged damaged damaged"), at&^4095); err != nil {
				t.Fatal(err)
			}
		}
		_, err := backup.Write(t.Context(), options(data, dir))
		if err == nil || !strings.Contains(err.Error(), "events.db is damaged, and a damaged file cannot be backed up") {
			t.Errorf("from %d, the error is %v", from, err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a backup exists")
	}
}
