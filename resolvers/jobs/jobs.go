// Package jobs starts and shows jobs: imports of uploads, changes of many videos, and maintenance.
package jobs

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/imports"
	work "github.com/filmstrip/filmstrip/internal/jobs"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/editing"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	searches "github.com/filmstrip/filmstrip/resolvers/search"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// Config lists what jobs need. Without a Store, there are no jobs here.
type Config struct {
	Store store.Jobs
	// Wake makes this process look for jobs at once; nil: it finds them later.
	Wake     func()
	Imports  *imports.Imports
	Editing  *editing.Resolver
	Search   *searches.Resolver
	Registry *registry.Registry
	// CanMaintain returns an error with the code Unavailable, which says why, if a task of maintenance cannot run here.
	CanMaintain func(kind string) error
	// FilesPath is the path below which the files of jobs are served.
	FilesPath string
}

// Resolver resolves the fields about jobs.
type Resolver struct{ config Config }

// New makes a resolver.
func New(config Config) *Resolver { return &Resolver{config} }

// kinds are the kinds of jobs in the store, by their names in the schema.
var kinds = map[graph.JobKind]string{
	graph.JobKindImport: imports.Kind, graph.JobKindChangeVideos: changeKind, graph.JobKindUndo: undoKind,
	graph.JobKindVerifyUsage: work.VerifyUsage, graph.JobKindReindex: work.Reindex, graph.JobKindBackup: work.Backup,
}

// Kinds returns what jobs do, except maintenance.
func (r *Resolver) Kinds() map[string]work.Func {
	return map[string]work.Func{imports.Kind: r.config.Imports.Run, changeKind: r.runChange, undoKind: r.runUndo}
}

// store returns the store of jobs, and the account of the caller.
func (r *Resolver) store(ctx context.Context) (store.Jobs, string, error) {
	if r.config.Store == nil {
		return nil, "", fault.Errorf(fault.Unavailable, "this server runs no jobs")
	}
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, "", err
	}
	if caller.Account == nil {
		return r.config.Store, "", nil
	}
	return r.config.Store, caller.Account.ID, nil
}

// add starts a job with an input, and with what prepare stores for it.
func (r *Resolver) add(ctx context.Context, kind string, input any, prepare func(job *store.Job) error) (*graph.Job, error) {
	jobs, of, err := r.store(ctx)
	if err != nil {
		return nil, err
	}
	job := &store.Job{ID: work.NewID(), Kind: kind, Account: of, Actor: authz.Actor(account.CallerOf(ctx))}
	if job.Input, err = json.Marshal(input); err != nil {
		return nil, err
	}
	if err := prepare(job); err != nil {
		return nil, err
	}
	if err := jobs.AddJob(ctx, job); err != nil {
		return nil, err
	}
	if r.config.Wake != nil {
		r.config.Wake()
	}
	return r.shown(ctx, job)
}

// maxPage is the largest page of jobs.
const maxPage = 100

// Jobs returns a page of jobs, the newest first.
func (r *Resolver) Jobs(ctx context.Context, kind *graph.JobKind, first int, after *string) (*graph.JobConnection, error) {
	if err := paging.CheckSize(first, maxPage); err != nil {
		return nil, err
	}
	jobs, of, err := r.store(ctx)
	if err == nil {
		err = check(ctx, kinds[values.Or(kind)])
	}
	if err != nil {
		return nil, err
	}
	below, err := paging.Number(after)
	if err != nil {
		return nil, err
	}
	list, err := jobs.Jobs(ctx, store.JobQuery{Account: of, Kind: kinds[values.Or(kind)], Below: below, Limit: first + 1})
	if err != nil {
		return nil, err
	}
	list, info := paging.Cut(list, first, func(last *store.Job) string { return paging.Cursor(last.Number) })
	nodes, err := r.shownAll(ctx, list)
	return &graph.JobConnection{Nodes: nodes, PageInfo: info}, err
}

// Job returns a job, or nil if there is none.
func (r *Resolver) Job(ctx context.Context, id catalogue.ID) (*graph.Job, error) {
	job, err := r.find(ctx, id)
	if err != nil || job == nil {
		return nil, err
	}
	return r.shown(ctx, job)
}

// find returns a job of the caller's account, or nil if there is none.
func (r *Resolver) find(ctx context.Context, id catalogue.ID) (*store.Job, error) {
	jobs, of, err := r.store(ctx)
	if err != nil {
		return nil, err
	}
	job, err := jobs.Job(ctx, string(id))
	if err != nil || job == nil || job.Account != of {
		return nil, err
	}
	return job, check(ctx, job.Kind)
}

// CancelJob cancels a job.
func (r *Resolver) CancelJob(ctx context.Context, id catalogue.ID) (*graph.Job, error) {
	job, err := r.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if job == nil {
		return nil, inputs.NotFound("job", string(id))
	}
	if isMaintenance(job.Kind) {
		if err := account.Require(ctx, account.ManageSystem); err != nil {
			return nil, err
		}
	}
	if err := r.config.Store.CancelJob(ctx, job.ID); err != nil {
		return nil, err
	}
	return r.Job(ctx, id)
}

// shown returns a job as operators see it.
func (r *Resolver) shown(ctx context.Context, job *store.Job) (*graph.Job, error) {
	shown, err := r.shownAll(ctx, []*store.Job{job})
	if err != nil {
		return nil, err
	}
	return shown[0], nil
}

// shownAll reads what belongs to jobs once for all of them.
func (r *Resolver) shownAll(ctx context.Context, list []*store.Job) ([]*graph.Job, error) {
	names, err := r.config.Registry.StaffNames(ctx, values.Map(list, func(job *store.Job) string { return job.Actor.User }))
	if err != nil {
		return nil, err
	}
	files, err := r.config.Store.FilesOf(ctx, values.Map(list, func(job *store.Job) string { return job.ID })...)
	if err != nil {
		return nil, err
	}
	filesOf := map[string][]*store.File{}
	for _, file := range files {
		filesOf[file.Job] = append(filesOf[file.Job], file)
	}
	nodes := make([]*graph.Job, len(list))
	for i, job := range list {
		if nodes[i], err = r.shownWith(job, names, filesOf[job.ID]); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

func (r *Resolver) shownWith(job *store.Job, names map[string]string, files []*store.File) (shown *graph.Job, err error) {
	shown = &graph.Job{
		ID: catalogue.ID(job.ID), State: graph.JobState(job.State), Client: job.Actor.Client, User: values.OrNil(job.Actor.User), UserName: values.OrNil(names[job.Actor.User]),
		CreatedAt: job.CreatedAt, StartedAt: values.OrNil(job.StartedAt), EndedAt: values.OrNil(job.EndedAt),
		Done: job.Progress.Done, Total: job.Progress.Total, CancelRequested: job.CancelRequested, Error: values.OrNil(job.Error), Files: []*graph.JobFile{},
	}
	undoable := false
	for _, file := range files {
		if undoable = undoable || file.Name == changesFile; !slices.Contains(internalFiles, file.Name) {
			shown.Files = append(shown.Files, &graph.JobFile{Name: file.Name, Size: file.Received, Path: r.config.FilesPath + file.ID})
		}
	}
	for kind, name := range kinds {
		if name == job.Kind {
			shown.Kind = kind
		}
	}
	switch job.Kind {
	case imports.Kind:
		shown.Import, err = shownImport(job)
	case changeKind, undoKind:
		shown.Change, err = shownChange(job, undoable)
	default:
		shown.Maintenance, err = shownReport(job)
	}
	return shown, err
}

func shownImport(job *store.Job) (*graph.ImportJob, error) {
	var input imports.Input
	if err := json.Unmarshal(job.Input, &input); err != nil {
		return nil, err
	}
	shown := &graph.ImportJob{
		Upload: catalogue.ID(input.Upload), FileName: input.FileName, DryRun: input.DryRun, Strict: input.Strict, Prune: input.Prune,
	}
	if input.Mapping != nil {
		shown.Mapping = shownMapping(input.Mapping)
	}
	if job.Result != nil {
		var r imports.Result
		if err := json.Unmarshal(job.Result, &r); err != nil {
			return nil, err
		}
		shown.Result = &graph.ImportResult{
			Added: r.Added, Changed: r.Changed, Unchanged: r.Unchanged, Rejected: r.Rejected, Pruned: r.Pruned, Kept: r.Kept, Kinds: []*graph.ImportKindResult{},
			NothingWritten: r.NothingWritten, PruneRefused: values.OrNil(r.PruneRefused), CollectionsKept: values.OrNil(r.CollectionsKept),
			Held: r.Held, Differences: r.Differences, Hidden: r.Hidden, Omitted: r.Omitted,
		}
		for kind, c := range r.ByKind {
			shown.Result.Kinds = append(shown.Result.Kinds, &graph.ImportKindResult{
				Kind: string(kind), Added: c.Added, Changed: c.Changed, Unchanged: c.Unchanged, Rejected: c.Rejected, Pruned: c.Pruned, Kept: c.Kept,
			})
		}
		slices.SortFunc(shown.Result.Kinds, func(a, b *graph.ImportKindResult) int { return strings.Compare(a.Kind, b.Kind) })
	}
	if job.Details != nil {
		var d imports.Details
		if err := json.Unmarshal(job.Details, &d); err != nil {
			return nil, err
		}
		shown.Findings = &graph.ImportFindings{
			Differences: shownFindings(d.Differences), Held: shownFindings(d.Held), Problems: shownFindings(d.Problems),
			Rejected: values.Map(d.Rejected, func(line imports.Rejected) *graph.RejectedLine {
				return &graph.RejectedLine{Line: line.Line, Reasons: line.Reasons}
			}),
		}
	}
	return shown, nil
}

func shownFindings(list []imports.Finding) []*graph.ImportFinding {
	return values.Map(list, func(f imports.Finding) *graph.ImportFinding {
		return &graph.ImportFinding{
			Line: values.OrNil(f.Line), Kind: values.OrNil(string(f.Kind)), ID: values.OrNil(string(f.ID)), Field: values.OrNil(f.Field), Problem: f.Problem,
		}
	})
}
