package importer

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress is told how far a run is. Its methods are not called concurrently.
type Progress interface {
	// Begin starts a phase ("checking", "importing", "writing", "looking for more faults", "trying
	// again", "checking collections", "writing collections") that reads so many bytes, -1 where that is not known.
	Begin(phase string, total int64)
	// Advance says that in this phase so many bytes have been read, and lines more are done.
	Advance(read int64, lines int)
	// End ends the last phase.
	End()
}

// Console shows a run to a person: its progress and its faults.
type Console interface {
	Progress
	// Report writes a fault, unless the most that are to be shown have been written.
	Report(Fault)
}

// ConsoleOn returns a bar where the file is a terminal, and elsewhere a line every few seconds. Either
// writes up to faults faults.
func ConsoleOn(file *os.File, faults int) Console {
	if term.IsTerminal(int(file.Fd())) {
		return NewBar(file, faults)
	}
	return NewPlainLines(file, faults, 5*time.Second)
}

// silent is the Progress of a run that nobody watches.
type silent struct{}

func (silent) Begin(string, int64) {}
func (silent) Advance(int64, int)  {}
func (silent) End()                {}

// faultLines writes the first faults and says, once, that there are more.
type faultLines struct {
	w    io.Writer
	left int
}

func (f *faultLines) write(fault Fault) {
	switch {
	case f.left > 0:
		fmt.Fprintln(f.w, fault)
	case f.left == 0:
		fmt.Fprintln(f.w, "more faults are counted, not shown")
	}
	f.left--
}

// Bar draws a progress bar. Faults are written above it.
type Bar struct {
	w      io.Writer
	faults faultLines
	bar    *progressbar.ProgressBar
}

// NewBar returns a Bar that writes up to faults faults.
func NewBar(w io.Writer, faults int) *Bar {
	return &Bar{w: w, faults: faultLines{w: w, left: faults}}
}

// Begin ends the bar of the phase before and draws a new one.
func (b *Bar) Begin(phase string, total int64) {
	b.End()
	b.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(b.w),
		progressbar.OptionSetDescription(phase),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine that draws beside us
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

// End leaves the bar standing, at the end of its line.
func (b *Bar) End() {
	if b.bar != nil {
		fmt.Fprintln(b.w)
	}
	b.bar = nil
}

// PlainLines writes a line every so often.
type PlainLines struct {
	w      io.Writer
	faults faultLines
	every  time.Duration

	phase        string
	total        int64
	lines        int
	begun, spoke time.Time
}

// NewPlainLines returns PlainLines that write up to faults faults, and a line at most once in every.
func NewPlainLines(w io.Writer, faults int, every time.Duration) *PlainLines {
	return &PlainLines{w: w, faults: faultLines{w: w, left: faults}, every: every}
}

// Begin starts counting anew.
func (p *PlainLines) Begin(phase string, total int64) {
	p.phase, p.total, p.lines = phase, total, 0
	p.begun = time.Now()
	p.spoke = p.begun
}

// Advance writes a line where the last one is long enough ago.
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
	if p.lines == 0 { // the work has no lines
		fmt.Fprintf(p.w, "%s: %d MB%s\n", p.phase, read>>20, share)
		return
	}
	rate := float64(p.lines) / now.Sub(p.begun).Seconds()
	fmt.Fprintf(p.w, "%s: %d lines%s, %.0f lines/s\n", p.phase, p.lines, share, rate)
}

// Report writes the fault.
func (p *PlainLines) Report(fault Fault) { p.faults.write(fault) }

// End writes nothing: the summary follows.
func (p *PlainLines) End() {}
