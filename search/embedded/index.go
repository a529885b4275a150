// Package embedded is the default search engine: an inverted index in memory with a snapshot on disk.
//
// The index is a list of immutable segments of at most 65,536 documents. Each segment has a set of its live documents.
// A batch becomes a small segment, and a background goroutine merges small segments. A search uses the list as it is
// and needs no lock. Within a segment, documents are numbered in the order of results without a text. Sorting by date
// is therefore a walk over a bitset, and every list of documents is an array of 16-bit numbers that needs no decoding.
//
// search.go shows how a query is answered. For each segment, it computes the set of the documents that match (match.go, phrase.go), applies
// the filters (filter.go), counts the facets (facets.go and tables.go), and ranks the documents that can reach the page
// (score.go). Several goroutines share the segments (walk.go).
package embedded

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// Options are the settings of an Index.
type Options struct {
	// Dir is the directory of the snapshot. Open creates it if it is missing. If Dir is "", the index exists in memory
	// only.
	Dir string
	// Analyzer analyzes texts. If it is nil, the index uses an analyzer with the built-in synonyms only.
	Analyzer *analysis.Analyzer
	// Model is the name of the model that the vectors of documents come from; "": they have none. A snapshot does not
	// fit another model.
	Model string
}

// Index is a search.Index. All methods may be called concurrently. A Rebuild blocks Apply and Close, but never a
// search.
type Index struct {
	dir         string
	analyzer    *analysis.Analyzer
	generation  string
	fingerprint uint64 // of the analyzer and the model
	view        atomic.Pointer[view]

	writing sync.Mutex // guards the creation of a new view
	values  [attributeCount]valueTable
	merging bool
	merged  sync.Cond // of writing; signals the end of a merge
	closed  bool

	saving   sync.Mutex
	saved    *view           // the view in the snapshot; nil: no snapshot fits
	snapshot search.Snapshot // of saved
}

var _ search.Index = (*Index)(nil)

// Generation implements search.Reader. It names the snapshot format and the fingerprint of the analyzer, because search
// results and snapshots depend on both.
func (x *Index) Generation() string { return x.generation }

// Open opens an index from the snapshot in the directory. If no snapshot fits, the index is empty and at position 0,
// and the caller rebuilds it. A snapshot does not fit if it is damaged, or if another version of the format or another
// analyzer wrote it. Only the store knows whether it is the store that the snapshot was made from; Snapshot returns the
// token to ask it for. If Open cannot create the directory, the error is a *fault.Error of code Unavailable.
func Open(options Options) (*Index, error) {
	if options.Analyzer == nil {
		options.Analyzer = analysis.New(analysis.Synonyms{})
	}
	x := &Index{
		dir: options.Dir, analyzer: options.Analyzer,
		fingerprint: modelFingerprint(options.Analyzer.Fingerprint(), options.Model),
	}
	x.generation = fmt.Sprintf("embedded %d %x", snapshotFormat, x.fingerprint)
	x.merged.L = &x.writing
	x.writing.Lock()
	defer x.writing.Unlock()
	var (
		header snapshotHeader
		parts  []part
	)
	if x.dir != "" {
		if err := os.MkdirAll(x.dir, 0o700); err != nil {
			return nil, unavailable("the search index cannot make its directory", err)
		}
		header, parts = readSnapshot(snapshotPath(x.dir), x.fingerprint)
	}
	for _, p := range parts {
		x.adopt(p.segment)
	}
	x.publish(header.Position, parts)
	if header.Magic == snapshotMagic {
		x.saved, x.snapshot = x.view.Load(), header.snapshot()
	}
	return x, nil
}

func unavailable(message string, cause error) error {
	return &fault.Error{Code: fault.Unavailable, Message: message, Cause: cause}
}

// errClosed returns the error of writes to a closed index. Searches continue to work.
func errClosed() error {
	return fault.Errorf(fault.Unavailable, "the search index is closed")
}

// Apply implements search.Writer. It deletes a document that the batch both puts and deletes. If the index has too many
// segments, Apply waits for a merge. After Close, the error has the code Unavailable.
func (x *Index) Apply(ctx context.Context, batch search.Batch) error {
	if err := ctx.Err(); err != nil {
		return unavailable("the search index was interrupted", err)
	}
	x.writing.Lock()
	defer x.writing.Unlock()
	for x.merging && len(x.view.Load().parts) > maxParts {
		x.merged.Wait()
	}
	if x.closed {
		return errClosed()
	}
	before := x.view.Load()
	e := newPartList(before.parts)
	b := newBuilder(x.analyzer)
	origins := originsOf(before.parts, batch.Put)
	for i := range batch.Put {
		b = e.add(b, &batch.Put[i], origins[i])
	}
	e.finish(b)
	for _, id := range batch.Delete {
		e.remove(string(id))
	}
	for _, p := range e.parts[len(before.parts):] {
		x.adopt(p.segment)
	}
	x.publish(max(before.position, batch.Position), e.alive())
	x.mergeInBackground()
	return nil
}

// Rebuild implements search.Writer. After Close, the error has the code Unavailable.
func (x *Index) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.Document, error]) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.closed {
		return errClosed()
	}
	parts, err := buildParts(ctx, x.analyzer, documents)
	if err != nil {
		return err
	}
	x.values = [attributeCount]valueTable{}
	for _, p := range parts {
		x.adopt(p.segment)
	}
	x.publish(position, parts)
	return nil
}

// adopt assigns numbers to the attribute values of a segment that becomes part of a view.
func (x *Index) adopt(s *segment) {
	for name := range s.attributes {
		x.values[name].adopt(&s.attributes[name])
	}
}

// publish makes the parts visible to searches. The caller holds writing.
func (x *Index) publish(position int64, parts []part) {
	v := &view{position: position, parts: parts}
	for name := range x.values {
		v.names[name], v.ranks[name] = x.values[name].names, x.values[name].ranks
	}
	v.ages = make([]catalogue.AgeRange, len(v.names[ages]))
	for id, name := range v.names[ages] {
		v.ages[id] = readAges(name)
	}
	x.view.Store(v)
}

// Position implements search.Reader.
func (x *Index) Position(context.Context) (int64, error) { return x.view.Load().position, nil }

// Count implements search.Writer. It counts live documents only.
func (x *Index) Count(context.Context) (int, error) {
	return x.view.Load().documents(), nil
}

// Save writes the snapshot, so that the next Open starts from the current state, and returns the snapshot on disk. If
// nothing changed, it returns the previous snapshot. Without a directory, it returns the zero Snapshot. The error is a
// *fault.Error of code Unavailable; the previous snapshot then remains on disk.
func (x *Index) Save(ctx context.Context) (search.Snapshot, error) {
	x.saving.Lock()
	defer x.saving.Unlock()
	v := x.view.Load()
	if x.dir == "" || v == x.saved {
		return x.snapshot, nil
	}
	header := newHeader(x.fingerprint, v)
	if err := writeSnapshot(ctx, snapshotPath(x.dir), header, v); err != nil {
		return search.Snapshot{}, unavailable("the search index cannot write its snapshot", err)
	}
	x.saved, x.snapshot = v, header.snapshot()
	return x.snapshot, nil
}

// Snapshot returns the snapshot that Open read or Save wrote last, or the zero Snapshot if there is none.
func (x *Index) Snapshot() search.Snapshot {
	x.saving.Lock()
	defer x.saving.Unlock()
	return x.snapshot
}

// Close ends writes and waits for a running merge. Searches continue to work. Close does not save: a snapshot is useful
// only if the store attests to it, and the caller of Save arranges that. The error is always nil.
func (x *Index) Close() error {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.closed = true
	for x.merging {
		x.merged.Wait()
	}
	return nil
}

// partList is a list of parts under construction. The view that it starts from does not change.
type partList struct {
	parts []part
}

func newPartList(parts []part) *partList {
	l := &partList{parts: slices.Clone(parts)}
	for i := range l.parts {
		l.parts[i].copied = false
	}
	return l
}

// add adds a document to a builder and returns the builder for the next one. If the segment is full, add appends it.
func (l *partList) add(b *builder, d *search.Document, texts origin) *builder {
	if b.add(d, texts); !b.full() {
		return b
	}
	l.append(b.segment())
	return newBuilder(b.analyzer)
}

// finish appends the segment of the last builder.
func (l *partList) finish(b *builder) {
	if len(b.rows) > 0 {
		l.append(b.segment())
	}
}

// append adds a segment. Its documents replace documents with the same ID, unless those are newer.
func (l *partList) append(s *segment) {
	added := len(l.parts)
	l.parts = append(l.parts, fullPart(s))
	for i := range added {
		l.resolve(i, added)
	}
}

// resolve keeps the newer of two documents with the same ID in two parts. If the versions are equal, it keeps the
// document of the later part.
func (l *partList) resolve(earlier, later int) {
	a, b := l.parts[earlier].segment, l.parts[later].segment
	common(&a.identities, &b.identities, func(inA, inB int) {
		switch {
		case !l.parts[earlier].live.has(inA):
		case a.versions[inA] > b.versions[inB]:
			l.parts[later].kill(inB)
		default:
			l.parts[earlier].kill(inA)
		}
	})
}

func (l *partList) remove(id string) {
	for i := range l.parts {
		if doc := l.parts[i].find(id); doc >= 0 {
			l.parts[i].kill(doc)
		}
	}
}

// alive returns the parts that have live documents.
func (l *partList) alive() []part {
	return slices.DeleteFunc(l.parts, func(p part) bool { return p.count == 0 })
}
