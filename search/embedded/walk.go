package embedded

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// documentsPerWorker is the number of documents from which on another goroutine helps with a search.
const documentsPerWorker = 1 << 14

// walk calls worker once for each goroutine that it uses, and then the returned functions for the number of each part once.
// The goroutines work at the same time: at most one for each processor, and fewer if the view is small. walk stops at the first
// error, or with an error of code Unavailable if the context is canceled. A panic of a goroutine becomes one of the caller.
func (v *view) walk(ctx context.Context, worker func(s *scratch) func(part int) error) error {
	workers := max(1, min(runtime.GOMAXPROCS(0), len(v.parts), v.documents()/documentsPerWorker))
	var (
		next     atomic.Int64
		failure  atomic.Pointer[error]
		panicked atomic.Pointer[any]
		working  sync.WaitGroup
	)
	work := func(s *scratch, on func(part int) error) {
		defer func() {
			if cause := recover(); cause != nil {
				panicked.Store(&cause)
				next.Store(int64(len(v.parts)))
				return // its buffers are not clear
			}
			scratches.Put(s)
		}()
		for i := int(next.Add(1)) - 1; i < len(v.parts) && failure.Load() == nil; i = int(next.Add(1)) - 1 {
			err := interrupted(ctx)
			if err == nil {
				err = on(i)
			}
			if err != nil {
				failure.CompareAndSwap(nil, &err)
			}
		}
	}
	for n := range workers {
		s := scratches.Get().(*scratch)
		if on := worker(s); n < workers-1 {
			working.Go(func() { work(s, on) })
		} else {
			work(s, on)
		}
	}
	working.Wait()
	if cause := panicked.Load(); cause != nil {
		panic(*cause)
	}
	if err := failure.Load(); err != nil {
		return *err
	}
	return nil
}

// scratch contains the buffers of a goroutine that searches parts one after the other.
type scratch struct {
	sums      []uint32          // the tally of each document; all zero between parts
	word      []uint32          // the score of one word in each document; all zero between words
	touched   []uint16          // the documents whose word is not zero
	marks     [maxSegment]uint8 // of documents; all zero between uses
	docs      []uint16
	picked    []uint16
	forms     []list
	kept      list // the documents and impacts of forms
	others    []uint16
	facetDocs []uint16
	counts    [2][]uint32
	buffers   []bitset
}

var scratches = sync.Pool{New: func() any {
	return &scratch{sums: make([]uint32, maxSegment), word: make([]uint32, maxSegment)}
}}

// emptySet returns the buffer with a number as an empty set of a number of words.
func (s *scratch) emptySet(number, words int) bitset {
	for len(s.buffers) <= number {
		s.buffers = append(s.buffers, make(bitset, maxSegment/64))
	}
	set := s.buffers[number][:words]
	clear(set)
	return set
}

// The numbers of buffers that are in use at the same time.
const (
	matchedBuffer = iota
	unionBuffer
	hitsBuffer
	facetBuffer
	othersBuffer
	ownBuffer                                 // and those after it, by facet
	wordsBuffer = ownBuffer + int(facetCount) // and those after it, by word
)
