package jobs_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	work "github.com/filmstrip/filmstrip/internal/jobs"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// failing is a store of jobs whose appends fail from one on.
type failing struct {
	jobStore
	left int
}

type jobStore = store.Jobs

func (f *failing) AppendFile(ctx context.Context, id string, offset int64, bytes []byte) error {
	if f.left--; f.left < 0 {
		return fault.Errorf(fault.Unavailable, "the process died")
	}
	return f.jobStore.AppendFile(ctx, id, offset, bytes)
}

// TestInterruptedChange checks that a job which changed videos, and died before it could record them, records them when it
// continues, so that they can be undone.
func TestInterruptedChange(t *testing.T) {
	opened, err := sqlite.OpenJobs(t.Context(), filepath.Join(t.TempDir(), "jobs.db"))
	resolverstest.Must(t, err)
	defer opened.Close()
	flaky := &failing{jobStore: opened, left: 1 << 20}
	var config resolvers.Config
	resolverstest.NewSchema(t, func(c *resolvers.Config) {
		c.Jobs = flaky
		config = *c
	})
	runner := work.New(work.Options{Store: flaky, Kinds: resolvers.New(config).JobKinds(), Logger: slog.New(slog.DiscardHandler), Claim: time.Millisecond, Beats: make(chan time.Time)})
	state := func() catalogue.State {
		states, err := config.Catalogue.States(t.Context(), []catalogue.ID{resolverstest.Floating})
		resolverstest.Must(t, err)
		return states[0]
	}
	before := state()

	job := &store.Job{
		ID: work.NewID(), Kind: "changeVideos", Actor: account.Actor{Client: "console", User: "ada"},
		Input: []byte(`{"selected":1,"change":{"retired":true}}`),
	}
	file, err := (&work.Run{Job: job, Store: flaky}).NewFile(t.Context(), "selection", "application/json")
	resolverstest.Must(t, err)
	resolverstest.Must(t, json.NewEncoder(file).Encode([]map[string]any{{"id": resolverstest.Floating}}))
	resolverstest.Must(t, file.Flush())
	resolverstest.Must(t, flaky.AddJob(t.Context(), job))
	flaky.left = 1 // the plan is recorded, what was done is not
	if ran, err := runner.RunNext(t.Context()); !ran || fault.CodeOf(err) != fault.Unavailable {
		t.Fatal(ran, err)
	}
	changed := state()
	if !changed.Retired || changed.Version == before.Version {
		t.Fatalf("the video is %+v", changed)
	}
	flaky.left = 1 << 20
	for ended := false; !ended; { // the claim ends after a millisecond
		_, err := runner.RunNext(t.Context())
		resolverstest.Must(t, err)
		found, err := flaky.Job(t.Context(), job.ID)
		resolverstest.Must(t, err)
		ended = found.State.Ended()
		if ended && (found.State != store.JobDone || !strings.Contains(string(found.Result), `"changed":1`)) {
			t.Errorf("%s %s %s", found.State, found.Result, found.Error)
		}
	}
	if got := state(); got.Version != changed.Version {
		t.Errorf("the video changed again: %+v", got)
	}
}
