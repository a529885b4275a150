package counting_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
	storecounting "github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// memoryLog is an event log in memory with the methods that counting needs.
type memoryLog struct {
	store.Events
	mu      sync.Mutex
	events  []event.Event // Events are sorted by position, starting with 1.
	lost    map[event.Position]bool
	dropped event.Position
	skipped []store.SkippedEvent
	clock   store.ClockRecord
}

func (l *memoryLog) ClockRecord(context.Context) (store.ClockRecord, error) { return l.clock, nil }

func (l *memoryLog) Skipped(context.Context) ([]store.SkippedEvent, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.skipped), nil
}

func (l *memoryLog) isSkipped(position event.Position) bool {
	return slices.ContainsFunc(l.skipped, func(e store.SkippedEvent) bool { return e.Position == position })
}

func (l *memoryLog) add(events ...event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range events {
		e.Position = int64(len(l.events) + 1)
		l.events = append(l.events, e)
	}
}

func (l *memoryLog) Head(context.Context) (event.Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.events)), nil
}

func (l *memoryLog) Read(_ context.Context, q store.EventQuery, after event.Position, limit int) (found []event.Event, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := storelogic.CheckDropped(q, after, l.dropped); err != nil {
		return nil, err
	}
	for _, e := range l.events[min(after, int64(len(l.events))):] {
		if len(found) == limit || (q.UpTo > 0 && e.Position > q.UpTo) {
			break
		}
		if !l.lost[e.Position] && !l.isSkipped(e.Position) && (q.Kinds == nil || slices.Contains(q.Kinds, e.Kind)) {
			found = append(found, e)
		}
	}
	return found, nil
}

func (l *memoryLog) lose(positions ...event.Position) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == nil {
		l.lost = map[event.Position]bool{}
	}
	for _, p := range positions {
		l.lost[p] = true
	}
}

func (l *memoryLog) Drop(_ context.Context, before usage.Month) (event.Position, error) {
	for _, e := range l.events {
		if e.Received < before.Start() {
			l.lose(e.Position)
			l.dropped = e.Position
		}
	}
	return l.dropped, nil
}

func (l *memoryLog) Dropped(context.Context) (event.Position, error) { return l.dropped, nil }

func (l *memoryLog) Erase(_ context.Context, account, person, alias string, upTo event.Position) (count int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.events {
		if e := &l.events[i]; e.Position <= upTo && e.Account == account && e.Person() == person {
			e.User, e.ExternalUser = "", ""
			if person[0] == 'x' {
				e.ExternalUser = alias
			} else {
				e.User = alias
			}
			count++
		}
	}
	return count, nil
}

// plays finds the plays of the log the slow way.
func (l *memoryLog) plays() (plays []usage.Play) {
	for _, e := range l.events {
		if e.Kind == event.Playback && e.End > e.Start {
			plays = append(plays, usage.Play{
				Position: e.Position, At: e.At, Account: e.Account, Client: e.Client, Person: e.Person(),
				Video: e.Video, Start: e.Start, End: e.End, Excess: e.End - e.Start - e.Counted, Sandbox: e.Sandbox, Continues: e.Continues,
			})
		}
	}
	return plays
}

// memoryUsage keeps all plays and scans them for each answer.
type memoryUsage struct {
	store.Usage
	mu         sync.Mutex
	progress   usage.Progress
	plays      []usage.Play
	seals      []usage.Seal
	voids      usage.Voids
	statements []usage.Statement
	applied    int
	recount    usage.Recount
	anew       []usage.Play      // anew contains the plays that the recount has counted.
	aliases    map[string]string // The keys are account and person.
	spans      map[event.Position]usage.Span
	state      []byte
}

func (u *memoryUsage) Spans(_ context.Context, from event.Position, limit int) (spans []usage.Span, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, at := range slices.Sorted(maps.Keys(u.spans)) {
		if at >= from && len(spans) < limit {
			spans = append(spans, u.spans[at])
		}
	}
	return spans, nil
}

func (u *memoryUsage) PutSpan(_ context.Context, span usage.Span) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.spans == nil {
		u.spans = map[event.Position]usage.Span{}
	}
	u.spans[span.From] = span
	return nil
}

func (u *memoryUsage) DeleteSpans(_ context.Context, from, to event.Position) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.spans, func(at event.Position, _ usage.Span) bool { return at >= from && at < to })
	return nil
}

func (u *memoryUsage) Verification(context.Context) (usage.Verification, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return usage.Verification{Seed: []byte("a seed"), State: u.state}, nil
}

func (u *memoryUsage) PutVerification(_ context.Context, state []byte) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.state = state
	return nil
}

func (u *memoryUsage) Progress(context.Context) (usage.Progress, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.progress, nil
}

func (u *memoryUsage) Apply(_ context.Context, from, to usage.Progress, plays []usage.Play) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.progress != from {
		return fault.Errorf(fault.Conflict, "counted already")
	}
	u.progress = to
	u.plays = append(u.plays, plays...)
	u.applied++
	return nil
}

func (u *memoryUsage) Ledger(_ context.Context, account string) ([]usage.Sum, usage.Progress, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	ledger := ledgerOf(u.plays, u.seals)
	if account != "" {
		ledger = slices.DeleteFunc(ledger, func(s usage.Sum) bool { return s.Account != account })
	}
	return ledger, u.progress, nil
}

func (*memoryUsage) SettleVoids(context.Context) error            { return nil }
func (u *memoryUsage) Voids(context.Context) (usage.Voids, error) { return u.voids, nil }

func ledgerOf(plays []usage.Play, seals []usage.Seal) []usage.Sum {
	sums := map[usage.Sum]usage.Measures{}
	for _, p := range plays {
		month := usage.MonthOf(p.At)
		key := usage.Sum{Account: p.Account, Month: month, Client: p.Client, Sandbox: p.Sandbox, Sealed: usage.SealOf(seals, month, p.Position)}
		sum := sums[key]
		sum.Plays += p.Plays()
		sum.Milliseconds += p.Milliseconds()
		sum.Excess += p.Excess
		sums[key] = sum
	}
	ledger := []usage.Sum{}
	for key, sum := range sums {
		key.Plays, key.Milliseconds, key.Excess = sum.Plays, sum.Milliseconds, sum.Excess
		ledger = append(ledger, key)
	}
	slices.SortFunc(ledger, func(a, b usage.Sum) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Month.Number(), b.Month.Number()), cmp.Compare(a.Client, b.Client),
			cmp.Compare(a.Sealed.Number(), b.Sealed.Number()), cmp.Compare(a.Plays, b.Plays))
	})
	return ledger
}

func (u *memoryUsage) Lists(_ context.Context, weigh func(string) usage.Weight) (usage.Lists, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	lists := map[usage.List]usage.List{}
	for _, p := range u.plays {
		key := usage.List{Account: p.Account, Month: usage.MonthOf(p.At), Sandbox: p.Sandbox}
		list := lists[key]
		list.Account, list.Month, list.Sandbox = key.Account, key.Month, key.Sandbox
		list.Plays += p.Plays()
		list.Milliseconds += p.Milliseconds()
		list.Excess += p.Excess
		list.Weight += weigh(p.Video).Of(p.Plays(), p.Milliseconds(), p.Excess)
		lists[key] = list
	}
	all := slices.Collect(maps.Values(lists))
	return usage.Lists{Videos: all, Plays: slices.Clone(all), Progress: u.progress}, nil
}

func (u *memoryUsage) Seals(context.Context) ([]usage.Seal, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.seals), nil
}

func (u *memoryUsage) Seal(_ context.Context, seal usage.Seal, compose func(usage.Progress, []usage.Sum, map[string]usage.Statement) ([]usage.Statement, error)) ([]usage.Statement, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.seals) > 0 && !u.seals[len(u.seals)-1].Month.Before(seal.Month) {
		return nil, fault.Errorf(fault.Conflict, "sealed already")
	}
	last := map[string]usage.Statement{}
	for _, s := range u.statements {
		last[s.Account] = s
	}
	made, err := compose(u.progress, ledgerOf(u.plays, u.seals), last)
	if err != nil {
		return nil, err
	}
	seal.Position = u.progress.Position
	u.seals = append(u.seals, seal)
	u.statements = append(u.statements, made...)
	return made, nil
}

func (u *memoryUsage) Statements(_ context.Context, account string, month usage.Month) ([]usage.Statement, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	found := slices.Clone(u.statements)
	return slices.DeleteFunc(found, func(s usage.Statement) bool {
		return (account != "" && s.Account != account) || (month != usage.Month{} && s.Month != month)
	}), nil
}

// Table groups by account only, which is enough for these tests.
func (u *memoryUsage) Table(_ context.Context, q usage.Query) (usage.Table, error) {
	if err := q.Check(); err != nil {
		return usage.Table{}, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	rows := map[string]usage.Measures{}
	for _, p := range u.plays {
		if p.At >= q.From && p.At < q.To {
			row := rows[p.Account]
			row.Plays += p.Plays()
			row.Milliseconds += p.Milliseconds()
			rows[p.Account] = row
		}
	}
	table := usage.Table{Progress: u.progress, Count: len(rows)}
	for _, account := range slices.Sorted(maps.Keys(rows)) {
		table.Rows = append(table.Rows, usage.Row{Bucket: q.From, Keys: []string{account}, Measures: rows[account]})
	}
	table.Rows = table.Rows[min(q.Offset, len(table.Rows)):min(q.Offset+q.Limit, len(table.Rows))]
	return table, nil
}

func (u *memoryUsage) Rename(_ context.Context, account, person, alias string) (string, event.Position, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if kept, ok := u.aliases[account+person]; ok {
		alias = kept
	} else if u.aliases == nil {
		u.aliases = map[string]string{}
	}
	u.aliases[account+person] = alias
	for i := range u.plays {
		if p := &u.plays[i]; p.Account == account && p.Person == person {
			p.Person = alias
		}
	}
	return alias, u.progress.Position, nil
}

func (u *memoryUsage) EndRename(_ context.Context, account, person string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.aliases, account+person)
	return nil
}

func (u *memoryUsage) BeginRecount(_ context.Context, from usage.Month, resume bool) (usage.Recount, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !resume || u.recount.ID == "" || u.recount.From != from {
		u.recount, u.anew = usage.Recount{ID: "recount", From: from}, nil
	}
	return u.recount, nil
}

func (u *memoryUsage) ApplyRecount(_ context.Context, recount usage.Recount, to usage.Progress, plays []usage.Play) (usage.Recount, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.recount != recount {
		return recount, fault.Errorf(fault.Conflict, "counted already")
	}
	u.recount.Progress = to
	u.anew = append(u.anew, storecounting.Since(plays, recount.From)...)
	return u.recount, nil
}

func (u *memoryUsage) GatherRecount(_ context.Context, recount usage.Recount) (usage.Recount, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.recount != recount {
		return recount, fault.Errorf(fault.Conflict, "counted already")
	}
	u.recount.Stage = usage.Following
	return u.recount, nil
}

func (u *memoryUsage) EndRecount(_ context.Context, recount usage.Recount, counted usage.Progress) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.recount != recount || u.progress != counted || u.recount.Stage != usage.Following {
		return fault.Errorf(fault.Conflict, "counted on")
	}
	u.plays = slices.DeleteFunc(u.plays, func(p usage.Play) bool { return p.At >= recount.From.Start() })
	u.plays, u.progress, u.recount = append(u.plays, u.anew...), recount.Progress, usage.Recount{}
	u.spans = nil
	return nil
}

// videos is a catalogue of states.
type videos map[catalogue.ID]catalogue.State

func (v videos) States(_ context.Context, ids []catalogue.ID) (states []catalogue.State, err error) {
	for _, id := range ids {
		if state, known := v[id]; known {
			states = append(states, state)
		}
	}
	return states, nil
}

// id returns an ID that repeats a letter.
func id(letter string) catalogue.ID { return catalogue.ID(strings.Repeat(letter, catalogue.IDLength)) }
