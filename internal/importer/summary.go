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

// Counts counts lines by result, and items by the result of pruning. An item that several lines mention counts once as
// added or changed, and otherwise as unchanged.
type Counts struct {
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	Rejected  int `json:"rejected"`
	// Pruned items were deleted; Kept items were not, because another item refers to them.
	Pruned int `json:"pruned"`
	Kept   int `json:"kept"`
}

// Summary is the result of a run.
type Summary struct {
	Counts
	// ByKind holds the counts of each kind in the run. Rejected lines of unknown kind count only in the total.
	ByKind map[catalogue.Kind]Counts
	// Undone means that a strict run found a fault, so nothing was written.
	Undone bool
	// DryRun means that the counts are those that a run would have, and that nothing was written.
	DryRun bool
	// PruneRefused states why nothing was pruned although pruning was requested; "" if it was.
	PruneRefused string
	// CollectionsKept states why no collections were pruned although other items were; "" if they were, or nothing was.
	CollectionsKept string
	// Held is how many values were not applied because their fields are held.
	Held int
	// MissingReplacements is how many lines retire a video into one that does not exist at the end of the run.
	MissingReplacements int
	// Hidden is how many videos were left out of users' collections because their accounts do not see them.
	Hidden  int
	Elapsed time.Duration
}

// The exit statuses of the import command.
const (
	// ExitAllIn means that every line was imported.
	ExitAllIn = 0
	// ExitRejected means that at least one line was rejected; the others were imported, except in a strict run. Or
	// pruning was refused.
	ExitRejected = 1
	// ExitFailed means that the run failed: wrong usage, an input or the store could not be opened, or the store failed
	// later.
	ExitFailed = 2
)

// ExitStatus returns the exit status for the results of Run.
func ExitStatus(summary Summary, err error) int {
	switch {
	case err != nil:
		return ExitFailed
	case summary.Rejected > 0 || summary.PruneRefused != "" || summary.CollectionsKept != "":
		return ExitRejected
	}
	return ExitAllIn
}

// String returns the closing summary: a row for each kind, one for all, and remarks. It ends with a newline.
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
	_ = table.Flush() // writing to a strings.Builder does not fail
	switch {
	case s.DryRun:
		fmt.Fprintln(&text, "dry run: nothing was written, and lines about collections were only checked")
	case s.Undone:
		fmt.Fprintln(&text, "strict: nothing was written")
	}
	if s.PruneRefused != "" {
		fmt.Fprintln(&text, "prune: nothing was deleted: "+s.PruneRefused)
	}
	if s.CollectionsKept != "" {
		fmt.Fprintln(&text, "prune: no collection was deleted: "+s.CollectionsKept)
	}
	if s.Held > 0 {
		fmt.Fprintf(&text, "values that held fields did not take: %d\n", s.Held)
	}
	if s.MissingReplacements > 0 {
		fmt.Fprintf(&text, "lines whose retiredInto does not exist: %d\n", s.MissingReplacements)
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

// counts holds Counts by kind; the empty kind is for lines of unknown kind.
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
		DryRun:       r.DryRun,
		PruneRefused: r.pruneRefused, CollectionsKept: r.collectionsKept,
		Hidden: r.hidden, Held: r.held, MissingReplacements: r.missingReplacements,
		Elapsed: time.Since(r.started),
	}
	if r.undone {
		s.Held = 0
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
