package typesense

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/typesense/typesense-go/v3/typesense/api"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Prepare names the accesses that callers ask by from now on, in place of those that it was told before, and
// returns at once. What is found by an access is the same, named or not: whoever writes the index arranges
// it for those that are named and whose rules are dear, so that searches by them cost about what searches
// without rules do. Every process that may come to write the index is told, before it does: one that was not
// undoes what the others have arranged, rather than write what does not fit.
func (x *Index) Prepare(accesses []catalogue.Access) {
	x.prepare(slices.DeleteFunc(slices.Clone(accesses), func(access catalogue.Access) bool { return !isDear(access) }))
}

func (x *Index) prepare(accesses []catalogue.Access) {
	known, judges := x.prepares.Load().judges, map[string]*judge{}
	for _, access := range accesses {
		name := access.Fingerprint()
		if judges[name] = known[name]; judges[name] == nil {
			judges[name] = newJudge(access)
		}
	}
	next := &preparation{judges: map[string]*judge{}, order: dearest(judges)}
	for _, name := range next.order {
		next.judges[name] = judges[name]
	}
	x.prepares.Store(next)
}

// preparation is what Prepare was told: immutable.
type preparation struct {
	judges map[string]*judge // by fingerprint
	order  []string          // the dearest first
}

// knows reports whether documents can be written with a pass.
func (n *preparation) knows(p *pass) bool { return n.judges[p.Access] != nil }

// bearing is what documents are written with.
func (n *preparation) bearing(all []pass) bearing {
	var b bearing
	for _, p := range all {
		if n.knows(&p) {
			b = append(b, judged{p, n.judges[p.Access]})
		}
	}
	return b
}

// ofNewBuild are the passes of a build whose documents are all written with them.
func (n *preparation) ofNewBuild(now time.Time) passRecord {
	all, _ := give(nil, n.order, now)
	for i := range all {
		all[i].Complete = true
	}
	return recordOf(all)
}

// issue is passes being given to documents that were there before them. It goes on between writes.
type issue struct {
	collection string
	serial     int64 // of the last write of this process: whoever finds another there was not alone
	giving     bearing

	from    int64 // the lowest version that was not read
	width   int64 // how many versions are read next
	readAll bool
	read    []traited           // documents that were read and have not been given theirs
	written map[string]struct{} // the ids of documents that were written since: they bear theirs already

	last        traited // that was given one
	lastBearing string  // the condition that it bears it
}

// traited is what is read of a document.
type traited struct {
	ID      string   `json:"id"`
	Version int64    `json:"version"`
	Traits  []string `json:"traits"`
}

const (
	// issuedTogether is how many documents are given passes by one request: it holds up searches and writes
	// while it is carried out, some 0.3 ms for each document.
	issuedTogether = 250
	// issueTimeout bounds such a request, which is sent once: of two, one could arrive long after the other.
	issueTimeout = writeTimeout
	maxWidth     = 1 << 40
)

// Arrange does a part of what Prepare has asked for, some tenths of a second's, and reports whether there is
// more to do. It is a write as Apply is one, for the one process whose turn it is. What an error or another
// writer interrupts begins anew; until all is done, searches go by the rules.
func (x *Index) Arrange(ctx context.Context) (more bool, err error) {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.Arranged() {
		return false, nil
	}
	at, err := x.beginWrite(ctx)
	if err != nil || at.collection == "" {
		return false, err
	}
	defer func() {
		if err != nil {
			x.issue = nil
		}
	}()
	if !x.goesOn(at) {
		return x.beginIssue(ctx, at)
	}
	if len(x.issue.read) == 0 && !x.issue.readAll {
		if err := x.readTraits(ctx, at); err != nil {
			return false, err
		}
	}
	if err := x.giveSome(ctx); err != nil {
		return false, err
	}
	if len(x.issue.read) > 0 || !x.issue.readAll {
		return true, nil
	}
	return true, x.endIssue(ctx, at)
}

// Arranged reports whether Arrange would do nothing, by what was seen last: the build has the passes that were
// asked for, and no others. It is answered from memory.
func (x *Index) Arranged() bool {
	at, wanted, found := x.current.Load(), x.prepares.Load(), 0
	if at == nil {
		at = empty()
	}
	for _, p := range at.state.Passes.read() {
		switch {
		case p.Access == "":
		case !p.Complete || !wanted.knows(&p):
			return false
		default:
			found++
		}
	}
	return found == len(wanted.order)
}

// goesOn reports whether a build stands as this process left it while it gives passes to its documents.
func (x *Index) goesOn(at *build) bool {
	return x.issue != nil && x.issue.collection == at.collection && x.issue.serial == at.state.Serial
}

// beginIssue records which passes are given from now on. Those that another process was giving, or that
// could not be given, are none any more.
func (x *Index) beginIssue(ctx context.Context, at *build) (more bool, err error) {
	x.issue = nil
	w, wanted := x.newWriter(at), x.prepares.Load()
	all, given := give(w.state.Passes.read(), wanted.order, x.now())
	w.state.Passes = recordOf(all)
	if w.state.Passes == at.state.Passes {
		return false, nil // no slot is free yet
	}
	if err := x.writePasses(ctx, w); err != nil || !given {
		return false, err
	}
	incomplete := slices.DeleteFunc(all, func(p pass) bool { return p.Complete })
	x.issue = &issue{
		collection: at.collection, serial: w.state.Serial, giving: wanted.bearing(incomplete),
		from: math.MinInt64, width: issuedTogether, written: map[string]struct{}{},
	}
	return true, nil
}

func (x *Index) writePasses(ctx context.Context, w *writer) error {
	if err := w.finish(ctx); err != nil {
		return err
	}
	return x.awaitSight(ctx, w.build())
}

// readTraits reads on in the documents, by their versions, which no two have in common.
func (x *Index) readTraits(ctx context.Context, at *build) error {
	i := x.issue
	to := max(i.from, 0) + i.width
	filter := fmt.Sprintf("%s:[%d..%d]", fieldVersion, i.from, to)
	switch {
	case to >= at.position:
		i.readAll = true
		filter = fmt.Sprintf("%s:>=%d", fieldVersion, i.from)
	case i.from < 0:
		filter = fmt.Sprintf("%s:<=%d", fieldVersion, to)
	}
	export, err := x.server.export(ctx, i.collection, filter, "id,"+fieldVersion+","+fieldTraits)
	if err != nil {
		return err
	}
	for line := range bytes.SplitSeq(bytes.TrimSpace(export), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var d traited
		if err := json.Unmarshal(line, &d); err != nil {
			return unavailable("keeps what is no document", err)
		}
		i.read = append(i.read, d)
	}
	switch {
	case len(i.read) < issuedTogether:
		i.width = min(2*i.width, maxWidth)
	case len(i.read) > 4*issuedTogether:
		i.width = max(i.width/2, 1)
	}
	i.from = to + 1
	return nil
}

// giveSome gives the next documents the passes that they should bear.
func (x *Index) giveSome(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(sentOnce(ctx), issueTimeout)
	defer cancel()
	i := x.issue
	into := x.server.importInto(i.collection)
	into.action = api.Update
	some := i.read[:min(issuedTogether, len(i.read))]
	i.read = i.read[len(some):]
	for _, d := range some {
		if _, bears := i.written[d.ID]; bears {
			continue
		}
		given := i.giving.of(d.Traits)
		if len(given) == 0 {
			continue
		}
		update := appendPasses(fmt.Appendf(nil, `{"id":%q}`, d.ID), given)
		if err := into.add(ctx, d.ID, json.RawMessage(update)); err != nil {
			return err
		}
		i.last, i.lastBearing = d, given[0].condition()
	}
	return into.flush(ctx)
}

// endIssue records that every document bears what was given.
func (x *Index) endIssue(ctx context.Context, at *build) error {
	i, w := x.issue, x.newWriter(at)
	x.issue = nil
	all := w.state.Passes.read()
	for n := range all {
		if slices.ContainsFunc(i.giving, func(p judged) bool { return p.Number == all[n].Number }) {
			all[n].Complete = all[n].Access != ""
		}
	}
	w.state.Passes = recordOf(all)
	x.logger.Info("searches go by passes instead of access rules", "collection", i.collection, "passes", len(i.giving))
	if i.lastBearing != "" {
		if _, written := i.written[i.last.ID]; !written {
			w.state.Witness, w.state.WitnessVersion, w.state.WitnessPass = i.last.ID, i.last.Version, i.lastBearing
		}
	}
	return x.writePasses(ctx, w)
}
