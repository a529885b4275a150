package resolvers

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/usage"
)

// Voids takes plays out of the counts and puts them back, as store.Usage does, once all is counted that was received.
// Of a selection of an event only the ID need be given.
type Voids interface {
	Void(ctx context.Context, void usage.Void) (usage.Void, error)
	UndoVoid(ctx context.Context, id string, by usage.VoidAct) (usage.Void, error)
	PreviewVoid(ctx context.Context, selection usage.Selection) ([]usage.Sum, error)
}

// maxVoidID is the most characters of an ID that a caller gives.
const maxVoidID = 100

func (q query) Voids(ctx context.Context, of *string, first int, before *string) (*graph.VoidConnection, error) {
	if err := checkPage(first); err != nil {
		return nil, err
	}
	below, err := voidCursor(before)
	if err != nil {
		return nil, err
	}
	if q.usage == nil {
		return nil, errNoUsage
	}
	voids, err := q.usage.Voids(ctx)
	if err != nil {
		return nil, err
	}
	page := &graph.VoidConnection{Nodes: []*graph.Void{}, PageInfo: &model.PageInfo{}}
	last := int64(0)
	for i := range slices.Backward(voids) {
		v := &voids[i]
		if below > 0 && v.Made.Number >= below || of != nil && !slices.Contains(v.Accounts, *of) {
			continue
		}
		if len(page.Nodes) == first {
			cursor := strconv.FormatInt(last, 10)
			page.PageInfo.HasNextPage, page.PageInfo.EndCursor = true, &cursor
			break
		}
		page.Nodes, last = append(page.Nodes, shownVoid(v)), v.Made.Number
	}
	return page, nil
}

// voidCursor reads the number below which a page starts, 0 for the newest.
func voidCursor(text *string) (int64, error) {
	if text == nil {
		return 0, nil
	}
	number, err := strconv.ParseInt(*text, 10, 64)
	if err != nil || number < 1 {
		return 0, fault.InvalidRequest("%q is not a cursor of voids", catalogue.Shorten(*text))
	}
	return number, nil
}

func (q query) Void(ctx context.Context, id string) (*graph.Void, error) {
	if q.usage == nil {
		return nil, errNoUsage
	}
	voids, err := q.usage.Voids(ctx)
	if err != nil {
		return nil, err
	}
	if void := voids.Find(id); void != nil {
		return shownVoid(void), nil
	}
	return nil, nil
}

func (q query) VoidPreview(ctx context.Context, selection graph.VoidSelection) ([]*graph.VoidedPlays, error) {
	if q.voids == nil {
		return nil, errNoUsage
	}
	selected, err := q.voidSelection(ctx, selection)
	if err != nil {
		return nil, err
	}
	sums, err := q.voids.PreviewVoid(ctx, selected)
	if err != nil {
		return nil, err
	}
	list := []*graph.VoidedPlays{}
	for _, sum := range sums {
		plays := &graph.VoidedPlays{
			Account: sum.Account, Month: sum.Month, Client: sum.Client, Billable: !sum.Sandbox,
			Plays: sum.Plays, Milliseconds: sum.Milliseconds, Seconds: usage.Seconds(sum.Milliseconds),
		}
		if sum.Sealed != (usage.Month{}) {
			plays.Sealed = &sum.Sealed
		}
		list = append(list, plays)
	}
	return list, nil
}

// voidSelection reads which plays are selected. A client that is known need not be named with its account.
func (r *resolver) voidSelection(ctx context.Context, selection graph.VoidSelection) (usage.Selection, error) {
	s := usage.Selection{Event: or(selection.Event), Account: or(selection.Account), Client: or(selection.Client), Video: strings.ToLower(or(selection.Video))}
	if selection.From != nil {
		s.From = event.InstantOf(*selection.From)
	}
	if selection.To != nil {
		s.To = event.InstantOf(*selection.To)
	}
	if s.Event != "" || s.Client == "" {
		return s, nil
	}
	registry, err := r.administered()
	if err != nil {
		return s, err
	}
	record, err := registry.Entity(ctx, account.EntityKey{Kind: account.KindClient, ID: s.Client})
	if err != nil {
		return s, err
	}
	client, known := record.(*account.Client)
	switch {
	case known && s.Account == "":
		s.Account = client.AccountID
	case known && s.Account != client.AccountID:
		return s, fault.InvalidRequest("client %q belongs to account %q, not to %q", s.Client, client.AccountID, s.Account)
	case s.Account == "":
		return s, fault.Errorf(fault.NotFound, "there is no client %q; name a client that was deleted with its account", catalogue.Shorten(s.Client))
	}
	return s, nil
}

// VoidPlays leaves an entry in the trail of each account before its plays are taken out, so that none is taken out
// without one. What was begun is finished, however long it takes.
func (m mutation) VoidPlays(ctx context.Context, selection graph.VoidSelection, reason string, id *string) (*graph.Void, error) {
	void := usage.Void{ID: or(id)}
	switch {
	case id == nil:
		void.ID = rand.Text()
	case void.ID == "" || len(void.ID) > maxVoidID || strings.ContainsFunc(void.ID, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, invalidField("id", "must be 1 to 100 printable ASCII characters without spaces")
	}
	by, err := m.voidAct(ctx, reason)
	if err != nil {
		return nil, err
	}
	void.Made = by
	if void.Selection, err = m.voidSelection(ctx, selection); err != nil {
		return nil, err
	}
	known, err := m.usage.Voids(ctx)
	if err != nil {
		return nil, err
	}
	if before := known.Find(void.ID); before == nil {
		sums, err := m.voids.PreviewVoid(ctx, void.Selection)
		if err != nil {
			return nil, err
		}
		if len(sums) == 0 {
			return nil, fault.Errorf(fault.NotFound, "no counted play is selected")
		}
		for _, name := range accountsOf(sums) {
			if err := m.noteVoid(ctx, name, &void, false); err != nil {
				return nil, err
			}
		}
	} else {
		void.Made.At = before.Made.At
	}
	ctx = context.WithoutCancel(ctx)
	made, err := m.voids.Void(ctx, void)
	if err != nil {
		return nil, err
	}
	for _, name := range made.Accounts { // a play that was received meanwhile may be of another account
		if err := m.noteVoid(ctx, name, &made, false); err != nil {
			return nil, err
		}
	}
	return shownVoid(&made), nil
}

// UndoVoid is VoidPlays for what undoes it.
func (m mutation) UndoVoid(ctx context.Context, id, reason string) (*graph.Void, error) {
	by, err := m.voidAct(ctx, reason)
	if err != nil {
		return nil, err
	}
	voids, err := m.usage.Voids(ctx)
	if err != nil {
		return nil, err
	}
	void := voids.Find(id)
	switch {
	case void == nil:
		return nil, fault.Errorf(fault.NotFound, "there is no void %q", catalogue.Shorten(id))
	case void.Active():
		void.Undone = &by
	}
	for _, name := range void.Accounts {
		if err := m.noteVoid(ctx, name, void, true); err != nil {
			return nil, err
		}
	}
	undone, err := m.voids.UndoVoid(context.WithoutCancel(ctx), id, by)
	if err != nil {
		return nil, err
	}
	return shownVoid(&undone), nil
}

// voidAct is an act of the caller now. The error is of code Invalid without a reason.
func (m mutation) voidAct(ctx context.Context, reason string) (by usage.VoidAct, err error) {
	if m.voids == nil || m.usage == nil {
		return by, errNoUsage
	}
	if _, err := m.administered(); err != nil { // who keeps the trail
		return by, err
	}
	who, err := caller(ctx)
	if err != nil {
		return by, err
	}
	by = usage.VoidAct{At: m.now().UTC().Truncate(time.Millisecond), Client: who.ClientID, User: who.User, Reason: reason}
	return by, by.Check()
}

// accountsOf are the accounts of sums, which are in their order.
func accountsOf(sums []usage.Sum) (names []string) {
	for _, sum := range sums {
		if len(names) == 0 || names[len(names)-1] != sum.Account {
			names = append(names, sum.Account)
		}
	}
	return names
}

// noteVoid leaves an entry in the trail of an account, once for each void and each undoing.
func (m mutation) noteVoid(ctx context.Context, name string, void *usage.Void, undone bool) error {
	if undone {
		return m.note(ctx, name, unvoidNote{Void: void.ID, At: void.Undone.At, Reason: void.Undone.Reason})
	}
	return m.note(ctx, name, voidNote{Void: void.ID, At: void.Made.At, Reason: void.Made.Reason, Selection: selectionNoteOf(void)})
}

// voidNote and unvoidNote are what the trail keeps of a void and of its undoing.
type voidNote struct {
	Void      string        `json:"voidedPlaysAs"`
	At        time.Time     `json:"at"`
	Reason    string        `json:"reason"`
	Selection selectionNote `json:"selection"`
}

// selectionNote is a selection in the trail. Its times are in RFC 3339.
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

// periodOf is the period that was asked for, nil where a bound was left out.
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

type unvoidNote struct {
	Void   string    `json:"undidVoid"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

func shownVoid(v *usage.Void) *graph.Void {
	void := &graph.Void{
		ID: v.ID, Event: given(v.Event), Account: given(v.Account), Client: given(v.Client), Video: given(v.Video),
		Plays: v.Plays, Milliseconds: v.Milliseconds, Accounts: list(v.Accounts), Position: v.Position, Made: shownAct(&v.Made),
	}
	void.From, void.To = periodOf(v)
	if v.Undone != nil {
		void.Undone = shownAct(v.Undone)
	}
	return void
}

func shownAct(a *usage.VoidAct) *graph.VoidAct {
	return &graph.VoidAct{At: a.At, Client: a.Client, User: given(a.User), Reason: a.Reason}
}

// given is a text, nil where it is empty.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
