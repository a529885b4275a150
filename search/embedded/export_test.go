package embedded

import (
	"bytes"
	"context"

	"github.com/filmstrip/filmstrip/search"
)

// Settle waits until no segments are left to merge and returns the number of segments.
func (x *Index) Settle() int {
	x.writing.Lock()
	defer x.writing.Unlock()
	for x.merging {
		x.merged.Wait()
	}
	return len(x.view.Load().parts)
}

// Content returns the whole index as one segment. Two indexes of the same documents have equal content.
func (x *Index) Content() ([]byte, error) {
	v := x.view.Load()
	merged, _ := mergeParts(v.parts)
	whole := &view{parts: []part{fullPart(merged)}}
	var content bytes.Buffer
	err := encodeSnapshot(context.Background(), &content, snapshotHeader{}, whole)
	return content.Bytes(), err
}

// Kept returns the number of documents that would be added without analyzing their own texts again.
func (x *Index) Kept(documents []search.Document) (kept int) {
	for _, from := range originsOf(x.view.Load().parts, documents) {
		if from.segment != nil {
			kept++
		}
	}
	return kept
}
