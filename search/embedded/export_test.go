package embedded

// Settle waits until nothing is left to merge and returns the number of segments.
func (x *Index) Settle() int {
	x.writing.Lock()
	defer x.writing.Unlock()
	for x.merging {
		x.merged.Wait()
	}
	return len(x.view.Load().parts)
}
