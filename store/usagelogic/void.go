package usagelogic

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// A void or its undoing changes plays in small transactions, one for each account and month. Each transaction marks the
// plays, recomputes the cells that they belong to, and moves the difference in the ledger. The remaining work is the
// plays that are not marked yet, so the plays themselves allow an interrupted call to resume.

// VoidSource is a Source that also knows voids and seals.
type VoidSource interface {
	Source
	// Voids returns all voids in the order in which they were made.
	Voids(ctx context.Context) (usage.Voids, error)
	// Seals returns all seals in the order of months.
	Seals(ctx context.Context) ([]usage.Seal, error)
}

// VoidTx is a transaction that changes the counts for a void. It blocks other writers of the counts.
type VoidTx interface {
	VoidSource
	BlockTx
	CellTx
	// PutVoid inserts a void, or replaces the one with the same Made.Number.
	PutVoid(ctx context.Context, void *usage.Void) error
	// NoteChange makes a recount begin again.
	NoteChange(ctx context.Context) error
	// AddSums adds sums, which may be negative, to the ledger, and deletes sums that become zero.
	AddSums(ctx context.Context, sums []usage.Sum) error
}

// CellTx is a transaction that replaces cells.
type CellTx interface {
	// DeleteCells deletes all parts of cells.
	DeleteCells(ctx context.Context, cells []CellKey) error
	// PutParts inserts parts that are not stored.
	PutParts(ctx context.Context, parts []Part) error
}

// Voiding runs fn in one transaction, and commits it if fn returns nil. It may run fn again.
type Voiding func(ctx context.Context, fn func(ctx context.Context, tx VoidTx) error) error

// PlayPlace is the place of a play in the order of accounts and instants.
type PlayPlace struct {
	Account Number
	At      event.Instant
}

// PlaySearch selects plays by one of three conditions, in a period, starting at a place.
type PlaySearch struct {
	// Void selects the plays that a void has marked; 0 means that another condition applies.
	Void int64
	// Video selects the plays of a video at all accounts if OfVideo is true. Otherwise the search selects the plays of
	// After.Account.
	Video    Number
	OfVideo  bool
	After    PlayPlace
	From, To event.Instant
}

// selector is a Selection with numbers in place of texts.
type selector struct {
	*usage.Selection
	upTo                   event.Position
	account, client, video Number
	// nothing reports whether a name is unknown, so that the selector selects no play.
	nothing bool
}

func newSelector(ctx context.Context, source Source, selection *usage.Selection, upTo event.Position) (*selector, error) {
	s := &selector{Selection: selection, upTo: upTo}
	for _, term := range []struct {
		dimension usage.Dimension
		text      string
		number    *Number
	}{
		{usage.ByAccount, selection.Account, &s.account}, {usage.ByClient, selection.Client, &s.client}, {usage.ByVideo, selection.Video, &s.video},
	} {
		if term.text == "" {
			continue
		}
		numbers, err := source.Find(ctx, term.dimension, []string{term.text})
		if err != nil {
			return nil, err
		}
		if len(numbers) == 0 {
			s.nothing = true
			continue
		}
		*term.number = numbers[0]
	}
	return s, nil
}

// takes reports whether the selector selects a play.
func (s *selector) takes(p *Play) bool {
	switch {
	case s.nothing || p.Position > s.upTo:
		return false
	case s.Event != "":
		return p.Position == s.EventPosition
	}
	return (s.account == 0 || p.Account == s.account) && (s.client == 0 || p.Client == s.client) &&
		(s.video == 0 || p.Video == s.video) && s.Covers(p.At)
}

// search returns a search for plays that the selector may select, starting at a place.
func (s *selector) search(after PlayPlace) PlaySearch {
	search := PlaySearch{After: after, From: noFrom, To: noTo}
	if s.From != 0 {
		search.From = s.From
	}
	if s.To != 0 {
		search.To = s.To
	}
	if s.Event == "" && s.account == 0 {
		search.Video, search.OfVideo = s.video, true
	} else {
		search.After.Account = s.account
	}
	return search
}

// plays returns a span with all plays of an account and month that the selector may select.
func (s *selector) plays(account Number, month usage.Month) PlaySpan {
	search := s.search(PlayPlace{})
	return PlaySpan{
		Account: account, From: max(month.Start(), search.From), To: min(month.End(), search.To),
		Video: s.video, OfVideo: s.video != 0, Sandbox: true,
	}
}

const (
	noFrom = event.Instant(-1 << 62)
	noTo   = event.Instant(math.MaxInt64)
)

// MakeVoid stores a void and takes its plays out of the counts. If a void with the same ID exists, MakeVoid returns
// that one.
func MakeVoid(ctx context.Context, voiding Voiding, void usage.Void) (usage.Void, error) {
	if err := void.Made.Check(); err != nil {
		return void, err
	}
	if err := void.Check(); err != nil {
		return void, err
	}
	return act(ctx, voiding, void.ID, func(ctx context.Context, tx VoidTx, voids usage.Voids) error {
		if known := voids.Find(void.ID); known != nil {
			if known.Selection != void.Selection {
				return fault.Errorf(fault.Conflict, "there is a void %q already, of other plays", void.ID)
			}
			return nil
		}
		return beginVoid(ctx, tx, voids, void)
	})
}

func beginVoid(ctx context.Context, tx VoidTx, voids usage.Voids, void usage.Void) error {
	if err := CheckVoidable(ctx, tx, &void.Selection); err != nil {
		return err
	}
	progress, err := tx.Progress(ctx)
	if err != nil {
		return err
	}
	if void.EventPosition > progress.Position {
		return fault.Errorf(fault.Conflict, "event %s at position %d is not counted yet: events up to %d are", void.Event, void.EventPosition, progress.Position)
	}
	void.Position, void.Undone, void.Plays, void.Milliseconds, void.Accounts, void.First = progress.Position, nil, 0, 0, nil, nil
	return begin(ctx, tx, voids, &void, &void.Made)
}

// begin stores an act, which is then pending until the counts are changed.
func begin(ctx context.Context, tx VoidTx, voids usage.Voids, void *usage.Void, by *usage.VoidAct) error {
	seals, err := tx.Seals(ctx)
	if err != nil {
		return err
	}
	by.Number, by.After, void.Pending = voids.NextNumber(), nil, true
	if len(seals) > 0 {
		by.After = &seals[len(seals)-1].Month
	}
	if err := tx.PutVoid(ctx, void); err != nil {
		return err
	}
	return tx.NoteChange(ctx)
}

// UndoVoid restores the plays of a void to the counts. If the void is already undone, UndoVoid returns it unchanged.
func UndoVoid(ctx context.Context, voiding Voiding, id string, by usage.VoidAct) (usage.Void, error) {
	if err := by.Check(); err != nil {
		return usage.Void{}, err
	}
	return act(ctx, voiding, id, func(ctx context.Context, tx VoidTx, voids usage.Voids) error {
		void, err := undoable(ctx, tx, voids, id)
		if err != nil || !void.Active() {
			return err
		}
		undone := by
		void.Undone = &undone
		return begin(ctx, tx, voids, void, void.Undone)
	})
}

// PreviewUndo returns the void that UndoVoid would undo now, with the errors of UndoVoid about the void.
func PreviewUndo(ctx context.Context, source VoidSource, id string) (usage.Void, error) {
	voids, err := source.Voids(ctx)
	if err != nil {
		return usage.Void{}, err
	}
	void, err := undoable(ctx, source, voids, id)
	if err != nil {
		return usage.Void{}, err
	}
	return *void, nil
}

// undoable returns the void with an ID, which is undone already or can be undone. The error is of code NotFound if there
// is none, and of code Invalid if retention has deleted plays of it.
func undoable(ctx context.Context, source Source, voids usage.Voids, id string) (*usage.Void, error) {
	void := voids.Find(id)
	switch {
	case void == nil:
		return nil, fault.Errorf(fault.NotFound, "there is no void %q", fault.Shorten(id))
	case !void.Active():
		return void, nil
	}
	horizon, err := source.Horizon(ctx)
	if err != nil {
		return nil, err
	}
	if void.First != nil && *void.First < horizon {
		return nil, fault.InvalidRequest("void %q cannot be undone: it took out plays from %s on, and those before %s were deleted (--keep-events)",
			id, *void.First, horizon)
	}
	return void, nil
}

// CheckVoidable returns an error of code Invalid if the selection includes a time whose plays retention has deleted.
func CheckVoidable(ctx context.Context, source Source, selection *usage.Selection) error {
	horizon, err := source.Horizon(ctx)
	if err != nil || horizon == 0 || selection.From >= horizon {
		return err
	}
	return fault.InvalidRequest("plays before %s cannot be voided: the events of that time were deleted (--keep-events); select plays from %s on", horizon, horizon)
}

// act begins an act once no other is pending, and returns the void after its plays are changed.
func act(ctx context.Context, voiding Voiding, id string, first func(ctx context.Context, tx VoidTx, voids usage.Voids) error) (void usage.Void, err error) {
	for {
		if err := SettleVoids(ctx, voiding); err != nil {
			return void, err
		}
		err := voiding(ctx, func(ctx context.Context, tx VoidTx) error {
			voids, err := tx.Voids(ctx)
			if err != nil {
				return err
			}
			if voids.PendingVoid() != nil {
				return usage.ErrVoiding
			}
			return first(ctx, tx, voids)
		})
		if err == nil {
			break
		}
		if !errors.Is(err, usage.ErrVoiding) {
			return void, err
		}
	}
	if err := SettleVoids(ctx, voiding); err != nil {
		return void, err
	}
	err = voiding(ctx, func(ctx context.Context, tx VoidTx) error {
		voids, err := tx.Voids(ctx)
		if err == nil {
			void = *voids.Find(id)
		}
		return err
	})
	return void, err
}

// SettleVoids finishes the pending act, if there is one.
func SettleVoids(ctx context.Context, voiding Voiding) error {
	var (
		number int64
		after  PlayPlace
	)
	for done := false; !done; {
		var (
			last int64
			next PlayPlace
		)
		err := voiding(ctx, func(ctx context.Context, tx VoidTx) error {
			voids, err := tx.Voids(ctx)
			if err != nil {
				return err
			}
			void := voids.PendingVoid()
			if done = void == nil; done {
				return nil
			}
			last, next = void.Last().Number, after
			if last != number {
				next = PlayPlace{At: noFrom}
			}
			next, err = settleNext(ctx, tx, voids, void, next)
			return err
		})
		if err != nil {
			return err
		}
		number, after = last, next // not before the commit
	}
	return nil
}

// settleNext changes the plays of the next account and month after a place, and returns the place where the search can
// continue. If there are no more plays, the void is no longer pending.
func settleNext(ctx context.Context, tx VoidTx, voids usage.Voids, void *usage.Void, after PlayPlace) (PlayPlace, error) {
	s := &settling{VoidTx: tx, void: void, selectors: map[*usage.Void]*selector{}}
	for i := range voids {
		v := &voids[i]
		if v != void && !v.Active() {
			continue
		}
		selector, err := newSelector(ctx, tx, &v.Selection, v.Position)
		if err != nil {
			return after, err
		}
		s.selectors[v] = selector
		if v != void {
			s.others = append(s.others, v)
		}
	}
	search := s.selectors[void].search(after)
	if !void.Active() {
		search = PlaySearch{Void: void.Made.Number, After: after, From: noFrom, To: noTo}
	}
	place, found, err := PlayPlace{}, false, error(nil)
	if !s.selectors[void].nothing {
		place, found, err = nextPlay(ctx, tx, search)
	}
	if err != nil {
		return after, err
	}
	if found {
		month := usage.MonthOf(place.At)
		return PlayPlace{place.Account, month.End()}, s.change(ctx, place.Account, month)
	}
	void.Pending = false
	if err := tx.PutVoid(ctx, void); err != nil {
		return after, err
	}
	return after, tx.NoteChange(ctx)
}

// settling changes the plays of one account and month.
type settling struct {
	VoidTx
	void *usage.Void
	// selectors contains the selectors of the void and of the other active voids.
	selectors map[*usage.Void]*selector
	others    []*usage.Void
}

func (s *settling) change(ctx context.Context, account Number, month usage.Month) error {
	selected := s.selectors[s.void].plays(account, month)
	selected.Voided = true
	var marked, flipped []Play
	cells := map[CellKey]*Cell{}
	heirs := map[*usage.Void][]event.Instant{}
	err := readPlays(ctx, s, selected, func(p *Play) {
		mark, changes := s.mark(p, heirs)
		if !changes {
			return
		}
		changed := *p
		changed.Subjects, changed.Void = nil, mark
		marked = append(marked, changed)
		if (p.Void == 0) != (mark == 0) {
			flipped = append(flipped, changed)
			p.keys(func(key CellKey) { cells[key] = &Cell{Key: key} })
		}
	})
	if err != nil || len(marked) == 0 {
		return err
	}
	if err := markPlays(ctx, s, account, month, marked); err != nil {
		return err
	}
	all := PlaySpan{Account: account, From: month.Start(), To: month.End(), Sandbox: true}
	err = readPlays(ctx, s, all, func(p *Play) {
		p.keys(func(key CellKey) {
			if cell := cells[key]; cell != nil {
				cell.add(p)
			}
		})
	})
	if err != nil {
		return err
	}
	if err := replaceCells(ctx, s, inOrder(cells)); err != nil {
		return err
	}
	return s.book(ctx, account, month, flipped, heirs)
}

// replaceCells replaces all parts of each cell by the given cell. It deletes a cell without plays.
func replaceCells(ctx context.Context, tx CellTx, cells []*Cell) error {
	var (
		keys  []CellKey
		parts []Part
	)
	for _, cell := range cells {
		keys = append(keys, cell.Key)
		if !cell.Empty() {
			parts = append(parts, cell.Part(0, cell.Body()))
		}
	}
	if err := tx.DeleteCells(ctx, keys); err != nil {
		return err
	}
	return tx.PutParts(ctx, parts)
}

// mark returns the new Void of a play, and whether it changes. heirs collects the instants of the plays that other
// voids take instead.
func (s *settling) mark(p *Play, heirs map[*usage.Void][]event.Instant) (mark int64, changes bool) {
	if s.void.Active() {
		return s.void.Made.Number, p.Void == 0 && s.selectors[s.void].takes(p)
	}
	if p.Void != s.void.Made.Number {
		return p.Void, false
	}
	for _, other := range s.others {
		if s.selectors[other].takes(p) {
			heirs[other] = append(heirs[other], p.At)
			return other.Made.Number, true
		}
	}
	return 0, true
}

// book moves plays in the ledger, and stores the voids with the plays that they have taken out.
func (s *settling) book(ctx context.Context, account Number, month usage.Month, flipped []Play, heirs map[*usage.Void][]event.Instant) error {
	seals, err := s.Seals(ctx)
	if err != nil {
		return err
	}
	names, err := namesOf(ctx, s, usage.ByAccount, []Number{account})
	if err != nil {
		return err
	}
	name := names[account]
	sums, err := bill(ctx, s, name, month, flipped, seals)
	if err != nil {
		return err
	}
	for i, sum := range sums {
		if sum.Sealed != (usage.Month{}) {
			sums[i].Sealed, sums[i].Void = usage.Month{}, s.void.ID
		}
		if s.void.Active() {
			sums[i] = sums[i].Negative()
		}
	}
	united := ledger{index: map[usage.Sum]int{}}
	for _, sum := range sums {
		united.add(sum)
	}
	if err := s.AddSums(ctx, united.ordered()); err != nil {
		return err
	}
	for other, moments := range heirs {
		for _, at := range moments {
			other.Took(name, at)
		}
		if err := s.PutVoid(ctx, other); err != nil {
			return err
		}
	}
	if !s.void.Active() {
		return nil
	}
	for i := range flipped {
		s.void.Plays += flipped[i].Plays()
		s.void.Milliseconds += flipped[i].Milliseconds()
		s.void.Took(name, flipped[i].At)
	}
	return s.PutVoid(ctx, s.void)
}

// bill returns the sums of plays of one account and month as if no void had ever taken any of them.
func bill(ctx context.Context, source Source, account string, month usage.Month, plays []Play, seals []usage.Seal) ([]usage.Sum, error) {
	var numbers []Number
	for i := range plays {
		numbers = append(numbers, plays[i].Client)
	}
	slices.Sort(numbers)
	clients, err := namesOf(ctx, source, usage.ByClient, slices.Compact(numbers))
	if err != nil {
		return nil, err
	}
	all := ledger{index: map[usage.Sum]int{}}
	for i := range plays {
		p := &plays[i]
		all.add(usage.Sum{
			Account: account, Month: month, Client: clients[p.Client], Sandbox: p.Sandbox, Sealed: usage.SealOf(seals, month, p.Position),
			Plays: p.Plays(), Milliseconds: p.Milliseconds(), Excess: p.Excess,
		})
	}
	return all.ordered(), nil
}

// namesOf returns the texts of numbers of a dimension. The text of 0 is "".
func namesOf(ctx context.Context, source Source, dimension usage.Dimension, numbers []Number) (map[Number]string, error) {
	known := map[Number]string{}
	err := source.Texts(ctx, dimension, numbers, func(number Number, text string) { known[number] = text })
	return known, err
}

// PreviewVoid returns the sums of counted plays that a void with the selection would take out now, in the order of the
// ledger.
func PreviewVoid(ctx context.Context, source VoidSource, selection usage.Selection) ([]usage.Sum, error) {
	if err := selection.Check(); err != nil {
		return nil, err
	}
	if err := CheckVoidable(ctx, source, &selection); err != nil {
		return nil, err
	}
	progress, err := source.Progress(ctx)
	if err != nil {
		return nil, err
	}
	seals, err := source.Seals(ctx)
	if err != nil {
		return nil, err
	}
	s, err := newSelector(ctx, source, &selection, progress.Position)
	if err != nil || s.nothing {
		return nil, err
	}
	var all []usage.Sum
	for after := (PlayPlace{At: noFrom}); ; {
		place, found, err := nextPlay(ctx, source, s.search(after))
		if err != nil || !found {
			slices.SortFunc(all, compareSums)
			return all, err
		}
		month := usage.MonthOf(place.At)
		after = PlayPlace{place.Account, month.End()}
		var plays []Play
		err = readPlays(ctx, source, s.plays(place.Account, month), func(p *Play) {
			if s.takes(p) {
				selected := *p
				selected.Subjects = nil
				plays = append(plays, selected)
			}
		})
		if err != nil {
			return nil, err
		}
		names, err := namesOf(ctx, source, usage.ByAccount, []Number{place.Account})
		if err != nil {
			return nil, err
		}
		sums, err := bill(ctx, source, names[place.Account], month, plays, seals)
		if err != nil {
			return nil, err
		}
		all = append(all, sums...)
	}
}
