package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	work "github.com/filmstrip/filmstrip/internal/jobs"
	"github.com/filmstrip/filmstrip/resolvers/editing"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// The kinds of the jobs.
const (
	changeKind = "changeVideos"
	undoKind   = "undoChange"
)

// The files of the jobs, which only jobs read. A selection is a list of editing.VideoOutcome, and changes are a list of
// steps, both as JSON values one after the other.
const (
	selectionFile = "selection"
	changesFile   = "changes"
)

var internalFiles = []string{selectionFile, changesFile}

// changeInput is the input of a job.
type changeInput struct {
	Selected int                  `json:"selected"`
	Change   *editing.VideoChange `json:"change,omitempty"`
	// Undoes is the job that an undo undoes.
	Undoes string `json:"undoes,omitempty"`
}

// changeResult is the result of a job.
type changeResult struct {
	Changed   int                    `json:"changed"`
	Unchanged int                    `json:"unchanged"`
	Failed    int                    `json:"failed"`
	Problems  []editing.VideoOutcome `json:"problems,omitempty"`
}

// maxProblems is the number of problems in a result.
const maxProblems = 100

func (r *changeResult) add(outcome editing.VideoOutcome) {
	switch {
	case outcome.Problem != "":
		r.Failed++
		if len(r.Problems) < maxProblems {
			r.Problems = append(r.Problems, outcome)
		}
	case outcome.Changed:
		r.Changed++
	default:
		r.Unchanged++
	}
}

func shownChange(job *store.Job, undoable bool) (*graph.VideoChangeJob, error) {
	var input changeInput
	if err := json.Unmarshal(job.Input, &input); err != nil {
		return nil, err
	}
	shown := &graph.VideoChangeJob{Selected: input.Selected, Undoes: values.OrNil(catalogue.ID(input.Undoes))}
	if job.Result == nil {
		return shown, nil
	}
	var result changeResult
	if err := json.Unmarshal(job.Result, &result); err != nil {
		return nil, err
	}
	shown.Undoable = undoable && result.Changed > 0
	shown.Result = &graph.VideoChangeResult{
		Changed: result.Changed, Unchanged: result.Unchanged, Failed: result.Failed,
		Problems: values.Map(result.Problems, func(one editing.VideoOutcome) *graph.VideoChangeProblem {
			return &graph.VideoChangeProblem{Video: one.ID, Problem: one.Problem}
		}),
	}
	return shown, nil
}

// StartChangeOfVideos starts to change the videos of a selection.
func (r *Resolver) StartChangeOfVideos(ctx context.Context, selection graph.VideoSelectionInput, input graph.VideoChangeInput) (*graph.Job, error) {
	change := &editing.VideoChange{AddSubjects: input.AddSubjects, RemoveSubjects: input.RemoveSubjects, Set: input.Set, Retired: input.Retired}
	if err := change.Check(); err != nil {
		return nil, err
	}
	ids, err := r.selected(ctx, selection)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, inputs.Invalid("selection", "no video matches")
	}
	videos := values.Map(ids, func(id catalogue.ID) editing.VideoOutcome { return editing.VideoOutcome{ID: id} })
	return r.addChange(ctx, changeKind, changeInput{Selected: len(videos), Change: change}, videos)
}

func (r *Resolver) selected(ctx context.Context, selection graph.VideoSelectionInput) ([]catalogue.ID, error) {
	switch {
	case (selection.Ids != nil) == (selection.List != nil):
		return nil, inputs.Invalid("selection", "needs exactly one of ids and list")
	case selection.List != nil:
		return r.config.Search.ListedIDs(ctx, selection.List.State, selection.List.Query, selection.List.Filter, editing.MaxVideos)
	case len(selection.Ids) > editing.MaxVideos:
		return nil, inputs.Invalid("selection.ids", "has %d ids, at most %d are allowed", len(selection.Ids), editing.MaxVideos)
	}
	return values.Distinct(selection.Ids), nil
}

// addChange adds a job with a selection.
func (r *Resolver) addChange(ctx context.Context, kind string, input changeInput, videos []editing.VideoOutcome) (*graph.Job, error) {
	return r.add(ctx, kind, input, func(job *store.Job) error {
		run := &work.Run{Job: job, Store: r.config.Store}
		file, err := run.NewFile(ctx, selectionFile, "application/json")
		if err != nil {
			return err
		}
		return errors.Join(json.NewEncoder(file).Encode(videos), file.Flush())
	})
}

// UndoJob starts to undo a job.
func (r *Resolver) UndoJob(ctx context.Context, id catalogue.ID) (*graph.Job, error) {
	job, err := r.find(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case job == nil:
		return nil, inputs.NotFound("job", string(id))
	case job.Kind != changeKind && job.Kind != undoKind:
		return nil, inputs.Invalid("id", "only jobs that changed videos can be undone")
	case !job.State.Ended():
		return nil, fault.Errorf(fault.Conflict, "the job %q has not ended: cancel it first", id)
	}
	steps, _, err := r.steps(ctx, job.ID)
	if err != nil {
		return nil, err
	}
	if steps == nil {
		return nil, fault.Errorf(fault.NotFound, "the record of the changes of the job %q was deleted", id)
	}
	var changed []editing.VideoOutcome
	for _, step := range steps {
		for _, one := range step.Done {
			if one.Changed {
				changed = append(changed, one)
			}
		}
	}
	if len(changed) == 0 {
		return nil, fault.Errorf(fault.Conflict, "the job %q changed nothing", id)
	}
	return r.addChange(ctx, undoKind, changeInput{Selected: len(changed), Undoes: job.ID}, changed)
}

// step is a part of a record of changes: what a job is about to change, with the versions before, or what it has done.
// The two precede and follow the transaction on the catalogue, which a crash may separate.
type step struct {
	Plan []editing.VideoOutcome `json:"plan,omitempty"`
	Done []editing.VideoOutcome `json:"done,omitempty"`
}

// steps returns the record of a job, and its file; nil: there is none.
func (r *Resolver) steps(ctx context.Context, job string) (steps []step, file *store.File, err error) {
	file, err = r.fileOf(ctx, job, changesFile)
	if err != nil || file == nil {
		return nil, nil, err
	}
	steps = []step{}
	err = r.decode(ctx, file, func(decoder *json.Decoder) error {
		var one step
		if err := decoder.Decode(&one); err != nil {
			return err
		}
		steps = append(steps, one)
		return nil
	})
	return steps, file, err
}

func (r *Resolver) fileOf(ctx context.Context, job, name string) (*store.File, error) {
	files, err := r.config.Store.FilesOf(ctx, job)
	for _, file := range files {
		if file.Name == name {
			return file, err
		}
	}
	return nil, err
}

// decode calls next until the end of a file.
func (r *Resolver) decode(ctx context.Context, file *store.File, next func(*json.Decoder) error) error {
	decoder := json.NewDecoder(work.OpenFile(ctx, r.config.Store, file, 0))
	for {
		if err := next(decoder); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// atOnce is the number of videos of one transaction, during which nobody else changes the catalogue.
const atOnce = 50

// runChange is the work.Func of changes.
func (r *Resolver) runChange(ctx context.Context, run *work.Run) error {
	var input changeInput
	if err := json.Unmarshal(run.Input, &input); err != nil {
		return err
	}
	return r.inBatches(ctx, run, func(ctx context.Context, videos []editing.VideoOutcome) ([]editing.VideoOutcome, error) {
		ids := values.Map(videos, func(one editing.VideoOutcome) catalogue.ID { return one.ID })
		return r.config.Editing.ChangeVideos(ctx, ids, input.Change)
	})
}

// runUndo is the work.Func of undoing.
func (r *Resolver) runUndo(ctx context.Context, run *work.Run) error {
	return r.inBatches(ctx, run, r.config.Editing.UndoVideos)
}

// inBatches does something with the videos of a selection, and records what became of each. A job that was interrupted
// continues after its record.
func (r *Resolver) inBatches(ctx context.Context, run *work.Run, do func(context.Context, []editing.VideoOutcome) ([]editing.VideoOutcome, error)) error {
	ctx = account.WithCaller(ctx, &account.Caller{ClientID: run.Actor.Client, User: run.Actor.User})
	at, err := r.resume(ctx, run)
	if err != nil {
		return err
	}
	for len(at.left) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := at.left[:min(atOnce, len(at.left))]
		if _, again := at.planned[batch[0].ID]; !again {
			plan, err := r.config.Editing.Versions(ctx, batch)
			if err != nil {
				return err
			}
			if err := at.note(step{Plan: plan}); err != nil {
				return err
			}
		}
		done, err := do(ctx, batch)
		if err != nil {
			return err
		}
		if err := at.finish(done); err != nil {
			return err
		}
	}
	return nil
}

// progress is how far a job has come with its selection.
type progress struct {
	run *work.Run
	// record is the file of the steps. What is committed is recorded, even if the job is being canceled.
	record *work.Writer
	result *changeResult
	// planned holds the versions of videos before what the job was about to do when it was interrupted.
	planned map[catalogue.ID]int64
	left    []editing.VideoOutcome
	total   int
}

// resume returns the progress of a job according to its record.
func (r *Resolver) resume(ctx context.Context, run *work.Run) (*progress, error) {
	selection, err := r.selection(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	steps, file, err := r.steps(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	p := &progress{run: run, result: &changeResult{}, planned: map[catalogue.ID]int64{}, left: selection, total: len(selection)}
	if lasting := context.WithoutCancel(ctx); file != nil {
		p.record = run.Writer(lasting, file)
	} else if p.record, err = run.NewFile(lasting, changesFile, "application/json"); err != nil {
		return nil, err
	}
	run.Result = p.result
	for _, step := range steps {
		for _, one := range step.Plan {
			p.planned[one.ID] = one.Version
		}
		p.count(step.Done)
	}
	p.advance()
	return p, nil
}

func (p *progress) note(one step) error {
	return errors.Join(json.NewEncoder(p.record).Encode(one), p.record.Flush())
}

// finish records what became of the next videos.
func (p *progress) finish(done []editing.VideoOutcome) error {
	for i := range done {
		// Before the crash, this job has changed the video.
		if before, again := p.planned[done[i].ID]; again && !done[i].Changed && done[i].Version > before {
			done[i].Changed = true
		}
	}
	if err := p.note(step{Done: done}); err != nil {
		return err
	}
	p.count(done)
	p.advance()
	return nil
}

func (p *progress) count(done []editing.VideoOutcome) {
	for _, one := range done {
		p.result.add(one)
	}
	p.left = p.left[len(done):]
}

func (p *progress) advance() { p.run.Advance(int64(p.total-len(p.left)), int64(p.total)) }

// selection returns the videos of a job.
func (r *Resolver) selection(ctx context.Context, job string) (videos []editing.VideoOutcome, err error) {
	file, err := r.fileOf(ctx, job, selectionFile)
	if err != nil {
		return nil, err
	}
	if file == nil {
		return nil, fault.Errorf(fault.NotFound, "the selection of the job was deleted")
	}
	err = json.NewDecoder(work.OpenFile(ctx, r.config.Store, file, 0)).Decode(&videos)
	return videos, err
}
