package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/jobs"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

func open(t *testing.T) store.Jobs {
	t.Helper()
	opened, err := sqlite.OpenJobs(t.Context(), filepath.Join(t.TempDir(), "jobs.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// runner returns a runner of the kind "work", and the channel of its heartbeats.
func runner(in store.Jobs, work jobs.Func) (*jobs.Runner, chan time.Time) {
	beats := make(chan time.Time)
	return jobs.New(jobs.Options{
		Store: in, Kinds: map[string]jobs.Func{"work": work}, Logger: slog.New(slog.DiscardHandler), Beats: beats,
	}), beats
}

func add(t *testing.T, to store.Jobs) string {
	t.Helper()
	job := &store.Job{ID: jobs.NewID(), Kind: "work", Account: "a"}
	if err := to.AddJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	return job.ID
}

func runNext(t *testing.T, r *jobs.Runner, want bool) {
	t.Helper()
	if ran, err := r.RunNext(t.Context()); err != nil || ran != want {
		t.Fatalf("ran is %t, %v", ran, err)
	}
}

func jobOf(t *testing.T, in store.Jobs, id string) *store.Job {
	t.Helper()
	job, err := in.Job(t.Context(), id)
	if err != nil || job == nil {
		t.Fatal(job, err)
	}
	return job
}

func TestJobsRun(t *testing.T) {
	for name, test := range map[string]struct {
		err   error
		panic bool
		state store.JobState
		text  string
	}{
		"done":             {state: store.JobDone},
		"refused":          {err: fault.InvalidRequest("the file is empty"), state: store.JobFailed, text: "the file is empty"},
		"an unknown error": {err: errors.New("secret"), state: store.JobFailed, text: "an internal error occurred; the log has the cause"},
		"a panic":          {panic: true, state: store.JobFailed, text: "an internal error occurred; the log has the cause"},
	} {
		t.Run(name, func(t *testing.T) {
			in := open(t)
			r, _ := runner(in, func(_ context.Context, run *jobs.Run) error {
				run.Advance(3, 4)
				run.Result, run.Details = map[string]int{"a": 1}, []int{2}
				if test.panic {
					panic("secret")
				}
				return test.err
			})
			runNext(t, r, false)
			job := jobOf(t, in, add(t, in))
			runNext(t, r, true)
			got := jobOf(t, in, job.ID)
			if got.State != test.state || got.Error != test.text || got.Progress != (store.JobProgress{Done: 3, Total: 4}) ||
				string(got.Result) != `{"a":1}` || string(got.Details) != "[2]" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// forgetful is a store in which the claim of a holder ends at once.
type forgetful struct{ jobStore }

type jobStore = store.Jobs

func (f forgetful) ClaimJob(ctx context.Context, kinds []string, holder string, _ time.Duration) (*store.Job, error) {
	return f.jobStore.ClaimJob(ctx, kinds, holder, 0)
}

// TestLostJobs checks that a runner continues the job of a process that sends no heartbeats, and that the process, should
// it live, stops and changes nothing.
func TestLostJobs(t *testing.T) {
	in := open(t)
	id := add(t, in)
	continued, done := make(chan struct{}), make(chan struct{})
	stuck, beats := runner(forgetful{in}, func(ctx context.Context, _ *jobs.Run) error {
		other, _ := runner(in, func(_ context.Context, run *jobs.Run) error { run.Result = "by the other"; return nil })
		runNext(t, other, true)
		close(continued)
		<-ctx.Done()
		return ctx.Err()
	})
	go func() {
		<-continued
		for {
			select {
			case beats <- time.Time{}:
			case <-done:
				return
			}
		}
	}()
	runNext(t, stuck, true)
	close(done)
	if job := jobOf(t, in, id); job.State != store.JobDone || string(job.Result) != `"by the other"` || job.Attempts != 2 {
		t.Errorf("%+v", job)
	}
}

func TestJobsAreCanceled(t *testing.T) {
	in := open(t)
	id := add(t, in)
	var beats chan time.Time
	var r *jobs.Runner
	r, beats = runner(in, func(ctx context.Context, run *jobs.Run) error {
		if err := in.CancelJob(ctx, run.ID); err != nil {
			return err
		}
		beats <- time.Time{} // only a heartbeat after the cancellation learns of it
		<-ctx.Done()
		run.Result = "half of it"
		return ctx.Err()
	})
	runNext(t, r, true)
	if job := jobOf(t, in, id); job.State != store.JobCancelled || string(job.Result) != `"half of it"` {
		t.Errorf("%+v", job)
	}
}

// TestStoppedProcess checks that a process that stops gives its job back, and that a job which ends processes fails in
// the end.
func TestStoppedProcess(t *testing.T) {
	in := open(t)
	id := add(t, in)
	for range jobs.MaxAttempts {
		ctx, stop := context.WithCancel(t.Context())
		r, _ := runner(in, func(ctx context.Context, _ *jobs.Run) error { stop(); return ctx.Err() })
		if ran, err := r.RunNext(ctx); err != nil || !ran {
			t.Fatal(ran, err)
		}
		if job := jobOf(t, in, id); job.State != store.JobRunning {
			t.Fatalf("%+v", job)
		}
	}
	r, _ := runner(in, func(context.Context, *jobs.Run) error { t.Error("it ran again"); return nil })
	runNext(t, r, true)
	if job := jobOf(t, in, id); job.State != store.JobFailed || !strings.Contains(job.Error, "10 times") {
		t.Errorf("%+v", job)
	}
}

func TestUnavailableEnginesAreTriedAgain(t *testing.T) {
	in := open(t)
	id := add(t, in)
	r, _ := runner(in, func(context.Context, *jobs.Run) error { return fault.Errorf(fault.Unavailable, "the disk is full") })
	if _, err := r.RunNext(t.Context()); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if job := jobOf(t, in, id); job.State != store.JobRunning {
		t.Errorf("%+v", job)
	}
}

func TestFiles(t *testing.T) {
	in := open(t)
	want := bytes.Repeat([]byte("0123456789a"), 300_000)
	id := add(t, in)
	r, _ := runner(in, func(ctx context.Context, run *jobs.Run) error {
		for range 2 { // the second attempt replaces the file of the first
			file, err := run.NewFile(ctx, "a.csv", "text/csv")
			if err != nil {
				return err
			}
			if _, err := io.Copy(file, bytes.NewReader(want)); err != nil {
				return err
			}
			if err := file.Flush(); err != nil {
				return err
			}
		}
		return nil
	})
	runNext(t, r, true)
	files, err := in.FilesOf(t.Context(), id)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if got, err := io.ReadAll(jobs.OpenFile(t.Context(), in, files[0], 5)); err != nil || !bytes.Equal(got, want[5:]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	half := io.MultiReader(bytes.NewReader(want[:7]), iotestErr{})
	if n, err := jobs.Copy(t.Context(), in, files[0].ID, int64(len(want)), half); n != 7 || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("appended %d, %v", n, err)
	}
	open := jobs.OpenFile(t.Context(), in, files[0], 0)
	if _, err := open.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	if err := in.DeleteFile(t.Context(), files[0].ID); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(open); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that is deleted while it is read ends with %v after %d more bytes", err, len(rest))
	}
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }
