// Package jobs runs jobs of the store: each process runs one at a time, and continues those of a process that has died.
package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/store"
)

// NewID returns the ID of a new job or file.
func NewID() string { return string(catalogue.RandomID()) }

// Func does the work of one kind of job. It may run again from the start after a crash, so repeating it must do no harm.
// An error with a code of package fault fails the job with its message; with the code Unavailable, the job runs again
// later. After the context has ended, it returns soon.
type Func func(ctx context.Context, run *Run) error

// Run is one job in progress.
type Run struct {
	*store.Job
	Store store.Jobs
	// Result and Details are stored as JSON when the job ends, even with an error; nil: none.
	Result, Details any

	done, total atomic.Int64
}

// Advance reports progress. It does not wait.
func (r *Run) Advance(done, total int64) {
	r.done.Store(done)
	r.total.Store(total)
}

func (r *Run) progress() store.JobProgress {
	return store.JobProgress{Done: r.done.Load(), Total: r.total.Load()}
}

// Options configure a Runner.
type Options struct {
	Store  store.Jobs
	Kinds  map[string]Func
	Logger *slog.Logger
	// Claim is how long other processes wait for one that does not send heartbeats; 0: 30 s.
	Claim time.Duration
	// Poll is the time between two looks for jobs of other processes; 0: 2 s.
	Poll time.Duration
	// Beats causes heartbeats; nil: one a second.
	Beats <-chan time.Time
}

// MaxAttempts is how often a job is begun or continued before it fails, because it may be what ends the processes.
const MaxAttempts = 10

// Runner runs jobs.
type Runner struct {
	options Options
	kinds   []string
	holder  string
	wake    chan struct{}
	task    background.Task
}

// New returns a Runner that does nothing until Run or RunNext is called.
func New(options Options) *Runner {
	options.Claim = cmp.Or(options.Claim, 30*time.Second)
	options.Poll = cmp.Or(options.Poll, 2*time.Second)
	r := &Runner{
		options: options, holder: NewID(), wake: make(chan struct{}, 1),
		task: background.Task{Name: "run jobs", Logger: options.Logger},
	}
	for kind := range options.Kinds {
		r.kinds = append(r.kinds, kind)
	}
	slices.Sort(r.kinds)
	return r
}

// Wake makes Run look for a job at once.
func (r *Runner) Wake() { background.Signal(r.wake) }

// Run runs jobs until the context ends. It gives an unfinished job back, so that another process continues it.
func (r *Runner) Run(ctx context.Context) {
	for ctx.Err() == nil {
		ran := false
		worked := r.task.Try(ctx, func(ctx context.Context) (err error) {
			ran, err = r.RunNext(ctx)
			return err
		})
		if worked && !ran {
			background.Sleep(ctx, r.options.Poll, r.wake)
		}
	}
}

// Errors that end the context of a job.
var (
	errCanceled = errors.New("jobs: the job was canceled")
	errLost     = errors.New("jobs: another process has the job")
)

// RunNext runs the next job, and reports whether there was one. The error is one of the store; that of a job is part of
// the job.
func (r *Runner) RunNext(ctx context.Context) (ran bool, err error) {
	job, err := r.options.Store.ClaimJob(ctx, r.kinds, r.holder, r.options.Claim)
	if err != nil || job == nil {
		return false, err
	}
	run := &Run{Job: job, Store: r.options.Store}
	run.Advance(job.Progress.Done, job.Progress.Total)
	switch {
	case job.CancelRequested:
		return true, r.finish(ctx, run, errCanceled)
	case job.Attempts > MaxAttempts:
		return true, r.finish(ctx, run, fault.Errorf(fault.Conflict, "the job was interrupted %d times", MaxAttempts))
	}
	return true, r.finish(ctx, run, r.do(ctx, run))
}

// do runs a job and sends heartbeats meanwhile. It returns the reason why the job ended early.
func (r *Runner) do(ctx context.Context, run *Run) error {
	working, stop := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		r.beat(ctx, run, stop, ended)
	}()
	err := background.Protect(working, func(ctx context.Context) error { return r.options.Kinds[run.Kind](ctx, run) })
	close(ended)
	<-beating
	if cause := context.Cause(working); err != nil && (errors.Is(cause, errCanceled) || errors.Is(cause, errLost)) {
		return cause
	}
	return err
}

func (r *Runner) beat(ctx context.Context, run *Run, stop context.CancelCauseFunc, ended <-chan struct{}) {
	beats := r.options.Beats
	if beats == nil {
		ticks := time.NewTicker(time.Second)
		defer ticks.Stop()
		beats = ticks.C
	}
	for {
		select {
		case <-ended:
			return
		case <-beats:
		}
		cancel, err := r.options.Store.HeartbeatJob(ctx, run.ID, r.holder, run.progress(), r.options.Claim)
		switch {
		case fault.CodeOf(err) == fault.Conflict:
			stop(errLost)
			return
		case err != nil: // until the claim ends, a later heartbeat may work
			r.options.Logger.DebugContext(ctx, "the heartbeat of a job failed", "job", run.ID, "error", err)
		case cancel:
			stop(errCanceled)
		}
	}
}

// finishTime is how long the end of a job may take to be stored while the process stops.
const finishTime = 5 * time.Second

// finish stores how a job ended, or gives it back if it has not.
func (r *Runner) finish(ctx context.Context, run *Run, ended error) error {
	stopped := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	end := store.JobEnd{State: store.JobDone, Progress: run.progress()}
	switch code := fault.CodeOf(ended); {
	case ended == nil:
	case errors.Is(ended, errLost):
		return nil
	case errors.Is(ended, errCanceled):
		end.State = store.JobCancelled
	case stopped:
		return r.giveBack(ctx, run, 0)
	case code == fault.Unavailable && run.Attempts < MaxAttempts:
		return errors.Join(r.giveBack(ctx, run, r.options.Claim), ended)
	case code == fault.Internal:
		r.options.Logger.ErrorContext(ctx, "a job failed", "job", run.ID, "kind", run.Kind, "error", ended)
		end.State, end.Error = store.JobFailed, "an internal error occurred; the log has the cause"
	default:
		var known *fault.Error
		errors.As(ended, &known)
		end.State, end.Error = store.JobFailed, known.Message
	}
	var err error
	if end.Result, err = encoded(run.Result); err != nil {
		return err
	}
	if end.Details, err = encoded(run.Details); err != nil {
		return err
	}
	return ignoreLost(r.options.Store.FinishJob(ctx, run.ID, r.holder, end))
}

// giveBack lets another process continue a job after a pause.
func (r *Runner) giveBack(ctx context.Context, run *Run, pause time.Duration) error {
	_, err := r.options.Store.HeartbeatJob(ctx, run.ID, r.holder, run.progress(), pause)
	return ignoreLost(err)
}

// ignoreLost returns nil for the error of a lost claim: another process has the job.
func ignoreLost(err error) error {
	if fault.CodeOf(err) == fault.Conflict {
		return nil
	}
	return err
}

func encoded(value any) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	return json.Marshal(value)
}
