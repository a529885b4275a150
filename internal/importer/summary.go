package importer

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/store"
)

// Counts counts lines by what became of them, and things by what pruning did. A thing that several
// lines speak of is counted once as added or changed, and else as unchanged.
type Counts struct {
	Added, Changed, Unchanged, Rejected int
	// Pruned were deleted, Kept were to be deleted, but something still refers to them.
	Pruned, Kept int
}

// Summary is the outcome of a run.
type Summary struct {
	Counts
	// ByKind holds the counts of each kind that the run met. Rejected lines of unknown kind are only
	// in the total.
	ByKind map[catalogue.Kind]Counts
	// Undone: a strict run met a fault, so nothing was written.
	Undone bool
	// PruneRefused says why nothing was pruned though it was asked for; "": it was pruned.
	PruneRefused string
	// CollectionsKept says why no collections were pruned although the rest was; "": they were, or nothing was.
	CollectionsKept string
	// Hidden is how many videos were left out of collections of users whose accounts do not see them.
	Hidden  int
	Elapsed time.Duration
}

// The exit statuses of the import sub-command.
const (
	// ExitAllIn: every line is in.
	ExitAllIn = 0
	// ExitRejected: at least one line was rejected; the rest is in, but for a strict run. Or pruning was refused.
	ExitRejected = 1
	// ExitFailed: the run could not be done: wrong usage, an input or the store cannot be opened, the
	// store failed on the way.
	ExitFailed = 2
)

// ExitStatus is the exit status for what Run returned.
func ExitStatus(summary Summary, err error) int {
	switch {
	case err != nil:
		return ExitFailed
	case summary.Rejected > 0 || summary.PruneRefused != "" || summary.CollectionsKept != "":
		return ExitRejected
	}
	return ExitAllIn
}

// String is the closing summary: a row for each kind that was met, one for all, and what is to be
// said beside. It ends with a newline.
func (s Summary) String() string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\tadded\tchanged\tunchanged\trejected\tpruned\tkept\t\n")
	for _, kind := range importline.Kinds() {
		if c, ok := s.ByKind[kind]; ok {
			c.writeRow(table, string(kind))
		}
	}
	s.writeRow(table, "total")
	_ = table.Flush() // a strings.Builder takes everything
	if s.Undone {
		fmt.Fprintln(&text, "strict: nothing was written")
	}
	if s.PruneRefused != "" {
		fmt.Fprintln(&text, "prune: nothing was deleted: "+s.PruneRefused)
	}
	if s.CollectionsKept != "" {
		fmt.Fprintln(&text, "prune: no collection was deleted: "+s.CollectionsKept)
	}
	if s.Hidden > 0 {
		fmt.Fprintf(&text, "hidden videos left out of users' collections: %d\n", s.Hidden)
	}
	lines := s.Added + s.Changed + s.Unchanged + s.Rejected
	fmt.Fprintf(&text, "%d lines in %s\n", lines, s.Elapsed.Round(time.Millisecond))
	return text.String()
}

func (c Counts) writeRow(w io.Writer, name string) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, c.Added, c.Changed, c.Unchanged, c.Rejected, c.Pruned, c.Kept)
}

// counts gathers Counts by kind; the empty kind is that of lines whose kind is not known.
type counts map[catalogue.Kind]*Counts

func (c counts) of(kind catalogue.Kind) *Counts {
	if c[kind] == nil {
		c[kind] = &Counts{}
	}
	return c[kind]
}

func (c counts) add(kind catalogue.Kind, status store.Status) {
	counts := c.of(kind)
	switch status {
	case store.Added:
		counts.Added++
	case store.Changed:
		counts.Changed++
	case store.Unchanged:
		counts.Unchanged++
	case store.Rejected:
		counts.Rejected++
	}
}

func (c counts) rejected() (n int) {
	for _, counts := range c {
		n += counts.Rejected
	}
	return n
}

func (r *run) summary() Summary {
	s := Summary{
		ByKind:       map[catalogue.Kind]Counts{},
		Undone:       r.undone,
		PruneRefused: r.pruneRefused, CollectionsKept: r.collectionsKept,
		Hidden:  r.hidden,
		Elapsed: time.Since(r.started),
	}
	for kind, c := range r.counts {
		if r.undone {
			*c = Counts{Rejected: c.Rejected}
		}
		s.Added += c.Added
		s.Changed += c.Changed
		s.Unchanged += c.Unchanged
		s.Rejected += c.Rejected
		s.Pruned += c.Pruned
		s.Kept += c.Kept
		if kind != "" {
			s.ByKind[kind] = *c
		}
	}
	return s
}
