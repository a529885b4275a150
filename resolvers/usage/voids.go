package usage

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/usage"
)

// Voids takes plays out of the counts and puts them back, as store.Usage does, once everything received so far is counted.
// The selection of one event needs only its ID.
type Voids interface {
	Void(ctx context.Context, void usage.Void) (usage.Void, error)
	UndoVoid(ctx context.Context, id string, by usage.VoidAct) (usage.Void, error)
	PreviewVoid(ctx context.Context, selection usage.Selection) ([]usage.Sum, error)
}

// maxVoidID is the most characters of an ID that a caller chooses.
const maxVoidID = 100

func (r *Resolver) Voids(ctx context.Context, of *string, first int, before *string) (*graph.VoidConnection, error) {
	if err := paging.CheckSize(first, paging.MaxSize); err != nil {
		return nil, err
	}
	below, err := paging.Number(before)
	if err != nil {
		return nil, err
	}
	if r.config.Counts == nil {
		return nil, errNoUsage
	}
	voids, err := r.config.Counts.Voids(ctx)
	if err != nil {
		return nil, err
	}
	voids = slices.DeleteFunc(voids, func(v usage.Void) bool {
		return below > 0 && v.Made.Number >= below || of != nil && !slices.Contains(v.Accounts, *of)
	})
	slices.Reverse(voids)
	voids, info := paging.Cut(voids, first, func(last usage.Void) string { return paging.Cursor(last.Made.Number) })
	return &graph.VoidConnection{PageInfo: info, Nodes: values.Map(voids, shownVoid)}, nil
}

func (r *Resolver) Void(ctx context.Context, id string) (*graph.Void, error) {
	if r.config.Counts == nil {
		return nil, errNoUsage
	}
	voids, err := r.config.Counts.Voids(ctx)
	if err != nil {
		return nil, err
	}
	if void := voids.Find(id); void != nil {
		return shownVoid(*void), nil
	}
	return nil, nil
}

func (r *Resolver) VoidPreview(ctx context.Context, selection graph.VoidSelection) ([]*graph.VoidedPlays, error) {
	if r.config.Voids == nil {
		return nil, errNoUsage
	}
	selected, err := r.selectionOf(ctx, selection)
	if err != nil {
		return nil, err
	}
	sums, err := r.config.Voids.PreviewVoid(ctx, selected)
	if err != nil {
		return nil, err
	}
	return values.Map(sums, func(sum usage.Sum) *graph.VoidedPlays {
		return &graph.VoidedPlays{
			Account: sum.Account, Month: sum.Month, Client: sum.Client, Billable: !sum.Sandbox, Sealed: values.OrNil(sum.Sealed),
			Plays: sum.Plays, Milliseconds: sum.Milliseconds, Seconds: usage.Seconds(sum.Milliseconds),
		}
	}), nil
}

// selectionOf reads which plays are selected. It adds the account of a client in the registry.
func (r *Resolver) selectionOf(ctx context.Context, input graph.VoidSelection) (usage.Selection, error) {
	s := usage.Selection{Event: values.Or(input.Event), Account: values.Or(input.Account), Client: values.Or(input.Client), Video: strings.ToLower(values.Or(input.Video))}
	if input.From != nil {
		s.From = event.InstantOf(*input.From)
	}
	if input.To != nil {
		s.To = event.InstantOf(*input.To)
	}
	if s.Event != "" || s.Client == "" {
		return s, nil
	}
	client, err := registry.Record[*account.Client](ctx, r.config.Registry, account.KindClient.Key(s.Client))
	switch {
	case err != nil:
		return s, err
	case client != nil && s.Account == "":
		s.Account = client.AccountID
	case client != nil && s.Account != client.AccountID:
		return s, fault.InvalidRequest("client %q belongs to account %q, not to %q", s.Client, client.AccountID, s.Account)
	case s.Account == "":
		return s, fault.Errorf(fault.NotFound, "there is no client %q; for a deleted client, name its account too", fault.Shorten(s.Client))
	}
	return s, nil
}

// VoidPlays adds an entry to the audit log of each account before it takes plays out, so that no play is taken out
// without one. It finishes even if the request ends.
func (r *Resolver) VoidPlays(ctx context.Context, selection graph.VoidSelection, reason string, id *string) (*graph.Void, error) {
	void := usage.Void{ID: values.Or(id)}
	switch {
	case id == nil:
		void.ID = rand.Text()
	case void.ID == "" || len(void.ID) > maxVoidID || strings.ContainsFunc(void.ID, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, inputs.Invalid("id", "must be 1 to %d printable ASCII characters without spaces", maxVoidID)
	}
	by, err := r.act(ctx, reason)
	if err != nil {
		return nil, err
	}
	void.Made = by
	if void.Selection, err = r.selectionOf(ctx, selection); err != nil {
		return nil, err
	}
	known, err := r.config.Counts.Voids(ctx)
	if err != nil {
		return nil, err
	}
	if before := known.Find(void.ID); before != nil {
		void.Made.At = before.Made.At
	} else if err := r.noteBeforehand(ctx, &void); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	made, err := r.config.Voids.Void(ctx, void)
	if err != nil {
		return nil, err
	}
	// An account whose plays were received in the meantime has no entry yet.
	if err := r.noteVoid(ctx, made.Accounts, &made); err != nil {
		return nil, err
	}
	return shownVoid(made), nil
}

// noteBeforehand adds an entry to the audit log of each account whose plays a new void would take out.
func (r *Resolver) noteBeforehand(ctx context.Context, void *usage.Void) error {
	sums, err := r.config.Voids.PreviewVoid(ctx, void.Selection)
	if err != nil {
		return err
	}
	if len(sums) == 0 {
		return fault.Errorf(fault.NotFound, "the selection contains no counted plays")
	}
	accounts := values.Map(sums, func(sum usage.Sum) string { return sum.Account })
	return r.noteVoid(ctx, values.Distinct(accounts), void)
}

// UndoVoid adds entries to the audit log like VoidPlays. It first checks that the void can be undone, because a restore
// repeats what is recorded.
func (r *Resolver) UndoVoid(ctx context.Context, id, reason string) (*graph.Void, error) {
	by, err := r.act(ctx, reason)
	if err != nil {
		return nil, err
	}
	void, err := r.config.Counts.PreviewUndo(ctx, id)
	if err != nil {
		return nil, err
	}
	if void.Active() {
		void.Undone = &by
	}
	for _, name := range void.Accounts {
		note := unvoidNote{Void: void.ID, At: void.Undone.At, Reason: void.Undone.Reason}
		if err := r.config.Registry.Note(ctx, name, note); err != nil {
			return nil, err
		}
	}
	undone, err := r.config.Voids.UndoVoid(context.WithoutCancel(ctx), id, by)
	if err != nil {
		return nil, err
	}
	return shownVoid(undone), nil
}

// act returns an act of the caller at the current time. The error has the code Invalid without a reason.
func (r *Resolver) act(ctx context.Context, reason string) (by usage.VoidAct, err error) {
	if r.config.Voids == nil || r.config.Counts == nil {
		return by, errNoUsage
	}
	if _, err := r.config.Registry.Store(); err != nil { // which has the audit log
		return by, err
	}
	caller, err := authz.Caller(ctx)
	if err != nil {
		return by, err
	}
	by = usage.VoidAct{At: r.config.Now().UTC().Truncate(time.Millisecond), Client: caller.ClientID, User: caller.User, Reason: reason}
	return by, by.Check()
}

// noteVoid adds an entry to the audit logs of accounts, which have equal entries once.
func (r *Resolver) noteVoid(ctx context.Context, accounts []string, void *usage.Void) error {
	for _, name := range accounts {
		note := voidNote{Void: void.ID, At: void.Made.At, Reason: void.Made.Reason, Selection: selectionNoteOf(void)}
		if err := r.config.Registry.Note(ctx, name, note); err != nil {
			return err
		}
	}
	return nil
}

// voidNote and unvoidNote are the bodies of entries of the audit log.
type voidNote struct {
	Void      string        `json:"voidedPlaysAs"`
	At        time.Time     `json:"at"`
	Reason    string        `json:"reason"`
	Selection selectionNote `json:"selection"`
}

type unvoidNote struct {
	Void   string    `json:"undidVoid"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

// selectionNote is a selection in the audit log. Its times are in RFC 3339.
type selectionNote struct {
	Event   string     `json:"event,omitempty"`
	Account string     `json:"account,omitempty"`
	Client  string     `json:"client,omitempty"`
	Video   string     `json:"video,omitempty"`
	From    *time.Time `json:"from,omitempty"`
	To      *time.Time `json:"to,omitempty"`
}

func selectionNoteOf(void *usage.Void) selectionNote {
	if void.Event != "" {
		return selectionNote{Event: strings.ToLower(void.Event)}
	}
	from, to := periodOf(void)
	return selectionNote{Account: void.Account, Client: void.Client, Video: void.Video, From: from, To: to}
}

// periodOf returns the period of a selection; nil: the bound was left out.
func periodOf(v *usage.Void) (from, to *time.Time) {
	if v.Event != "" {
		return nil, nil
	}
	if v.From != 0 {
		at := v.From.Time()
		from = &at
	}
	if v.To != 0 {
		at := v.To.Time()
		to = &at
	}
	return from, to
}

func shownVoid(v usage.Void) *graph.Void {
	void := &graph.Void{
		ID: v.ID, Event: values.OrNil(v.Event), Account: values.OrNil(v.Account), Client: values.OrNil(v.Client), Video: values.OrNil(v.Video),
		Plays: v.Plays, Milliseconds: v.Milliseconds, Accounts: values.List(v.Accounts), Position: v.Position, Made: shownAct(&v.Made),
	}
	void.From, void.To = periodOf(&v)
	if v.Undone != nil {
		void.Undone = shownAct(v.Undone)
	}
	return void
}

func shownAct(a *usage.VoidAct) *graph.VoidAct {
	return &graph.VoidAct{At: a.At, Client: a.Client, User: values.OrNil(a.User), Reason: a.Reason}
}
