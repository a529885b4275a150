package importer

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/filmstrip/filmstrip/internal/importline"
)

// Progress receives the progress of a run. Its methods are not called concurrently.
type Progress interface {
	// Begin starts a phase ("checking", "importing", "writing", "looking for more faults", "trying again", "checking
	// collections", "writing collections") that reads total bytes, or -1 if unknown.
	Begin(phase string, total int64)
	// Advance reports the bytes read so far in this phase, and how many more lines are done.
	Advance(read int64, lines int)
	// End ends the last phase.
	End()
}

// Console shows the progress and the faults of a run to a person.
type Console interface {
	Progress
	// Report writes a fault, unless the maximum number has been written.
	Report(Fault)
}

// ConsoleOn returns a bar if the writer is a terminal, and otherwise a Console that writes a line every few seconds. Both
// write up to the given number of faults.
func ConsoleOn(w io.Writer, faults int) Console {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return NewBar(file, faults)
	}
	return NewPlainLines(w, faults, 5*time.Second)
}

// noProgress is the Progress of a run without an observer.
type noProgress struct{}

func (noProgress) Begin(string, int64) {}
func (noProgress) Advance(int64, int)  {}
func (noProgress) End()                {}

// faultLines writes the first faults, one line each, and a single line if further faults follow. Of lines in a foreign
// format, it writes one, with a hint.
type faultLines struct {
	w       io.Writer
	left    int
	foreign bool // a line in a foreign format was seen
}

func (f *faultLines) write(fault Fault) {
	if fault.Problem == importline.NotALine {
		if !f.foreign {
			fmt.Fprintf(f.w, "%s\nTo import data of another format, give a jq program with --jq (docs/import.md). More such lines are counted, not shown.\n", fault)
		}
		f.foreign = true
		return
	}
	switch {
	case f.left > 0:
		fmt.Fprintln(f.w, fault)
	case f.left == 0:
		fmt.Fprintln(f.w, "more faults are counted, not shown")
	}
	f.left--
}

// Bar draws a progress bar, with faults above it.
type Bar struct {
	w      io.Writer
	faults faultLines
	bar    *progressbar.ProgressBar
}

// NewBar returns a Bar that writes up to the given number of faults.
func NewBar(w io.Writer, faults int) *Bar {
	return &Bar{w: w, faults: faultLines{w: w, left: faults}}
}

// Begin ends the bar of the previous phase and draws a new one.
func (b *Bar) Begin(phase string, total int64) {
	b.End()
	b.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(b.w),
		progressbar.OptionSetDescription(phase),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionSetSpinnerChangeInterval(0), // without a goroutine of its own
	)
}

// Advance moves the bar.
func (b *Bar) Advance(read int64, _ int) {
	_ = b.bar.Set64(read)
}

// Report clears the bar, writes the fault, and draws the bar again below it.
func (b *Bar) Report(fault Fault) {
	if b.bar == nil || b.faults.left < 0 {
		return
	}
	_ = b.bar.Clear()
	b.faults.write(fault)
	_ = b.bar.RenderBlank()
}

// End leaves the bar in place and ends its line.
func (b *Bar) End() {
	if b.bar != nil {
		fmt.Fprintln(b.w)
	}
	b.bar = nil
}

// PlainLines writes a line at intervals.
type PlainLines struct {
	w      io.Writer
	faults faultLines
	every  time.Duration

	phase        string
	total        int64
	lines        int
	begun, spoke time.Time
}

// NewPlainLines returns PlainLines that write up to the given number of faults, and a progress line at most once per
// interval.
func NewPlainLines(w io.Writer, faults int, every time.Duration) *PlainLines {
	return &PlainLines{w: w, faults: faultLines{w: w, left: faults}, every: every}
}

// Begin resets the counts.
func (p *PlainLines) Begin(phase string, total int64) {
	p.phase, p.total, p.lines = phase, total, 0
	p.begun = time.Now()
	p.spoke = p.begun
}

// Advance writes a line if the interval since the last one has passed.
func (p *PlainLines) Advance(read int64, lines int) {
	p.lines += lines
	now := time.Now()
	if now.Sub(p.spoke) < p.every {
		return
	}
	p.spoke = now
	share := ""
	if p.total > 0 {
		share = fmt.Sprintf(", %d%%", min(100, 100*read/p.total))
	}
	if p.lines == 0 { // this phase has no lines
		fmt.Fprintf(p.w, "%s: %d MB%s\n", p.phase, read>>20, share)
		return
	}
	rate := float64(p.lines) / now.Sub(p.begun).Seconds()
	fmt.Fprintf(p.w, "%s: %d lines%s, %.0f lines/s\n", p.phase, p.lines, share, rate)
}

// Report writes the fault.
func (p *PlainLines) Report(fault Fault) { p.faults.write(fault) }

// End writes nothing, because the summary follows.
func (p *PlainLines) End() {}
