package jobs

// Progress reports the progress of a run in bytes, to what reads or copies files (importer.Progress, backup.Progress).
type Progress struct {
	*Run
	total int64
}

// Begin begins a phase of the work, of total bytes; below 0: unknown.
func (p *Progress) Begin(_ string, total int64) {
	p.total = max(0, total)
	p.Run.Advance(0, p.total)
}

// Advance reports that read bytes of the phase are done.
func (p *Progress) Advance(read int64, _ int) { p.Run.Advance(read, p.total) }

// End does nothing: the end of the job is reported.
func (p *Progress) End() {}
