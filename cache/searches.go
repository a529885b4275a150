package cache

import (
	"context"
	"crypto/sha256"
	"iter"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// SearchOptions are the settings of Searches. Zero values select the defaults.
type SearchOptions struct {
	// MaxBytes is the maximum memory for answers in bytes. The default is 64 MiB.
	MaxBytes int64
	// TTL is the maximum age of an answer, even if the index does not change. The default is ten minutes.
	TTL time.Duration
	// Far is a cache in which processes share answers; it may be nil. Searches hides its errors, and no caller waits
	// for writes to it. Closing Searches does not close Far.
	Far Cache
	// Clock returns the current time. The default is time.Now.
	Clock func() time.Time
}

// Searches is a search.Reader that caches the answers of another. An answer is valid as long as the index has the
// position and the generation at which it was found, so that a cached answer equals a new one.
//
// Answers of Search and Matches are shared: callers must not change them.
type Searches struct {
	search.Reader
	answers bounded[[sha256.Size]byte, answer]
	flights flights[answer]
	writes  atomic.Int64
	hits    atomic.Int64
	asked   atomic.Int64
	far     *farAnswers // nil without SearchOptions.Far
	options SearchOptions
}

// indexState identifies a state of the index: its position; the number of writes through Writer, because a rebuild may
// keep the position; and its generation, because another process may rebuild the index.
type indexState struct {
	position, writes int64
	generation       string
}

// answer is a result or counts, with the state of the index at the search.
type answer struct {
	state   indexState
	expires time.Time
	result  *search.Result
	counts  []int
}

// NewSearches returns a cache of the answers of index. It reads the Position and the Generation of index on every
// search.
func NewSearches(index search.Reader, options SearchOptions) *Searches {
	if options.MaxBytes <= 0 {
		options.MaxBytes = 64 << 20
	}
	if options.TTL <= 0 {
		options.TTL = 10 * time.Minute
	}
	if options.Clock == nil {
		options.Clock = time.Now
	}
	s := &Searches{
		Reader: index,
		answers: otter.Must(&otter.Options[[sha256.Size]byte, answer]{
			MaximumWeight: uint64(options.MaxBytes),
			Weigher:       func(_ [sha256.Size]byte, a answer) uint32 { return a.weight() },
		}),
		options: options,
	}
	if options.Far != nil {
		s.far = newFarAnswers(options.Far)
	}
	return s
}

// Size returns the memory of the answers in bytes, and their number. It never fails.
func (s *Searches) Size(context.Context) (bytes, entries int64, err error) {
	s.answers.CleanUp() // counts what was put last
	return int64(s.answers.WeightedSize()), int64(s.answers.EstimatedSize()), nil
}

// Search implements search.Reader.
func (s *Searches) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	var space [512]byte
	key := sha256.Sum256(appendQuery(append(space[:0], forSearch), &query))
	known, now, err := s.remembered(ctx, key)
	if err != nil || known.result != nil {
		return known.result, err
	}
	return s.search(ctx, key, now, query)
}

// search is separate from Search so that a query escapes to the heap only if it is not cached.
func (s *Searches) search(ctx context.Context, key [sha256.Size]byte, now indexState, query search.Query) (*search.Result, error) {
	found, err := s.find(ctx, forSearch, key, now, func(ctx context.Context) (a answer, err error) {
		a.result, err = s.Reader.Search(ctx, query)
		return a, err
	})
	return found.result, err
}

// Matches implements search.Reader.
func (s *Searches) Matches(
	ctx context.Context, text search.Text, levels []search.MatchLevel, access catalogue.Access, today catalogue.Date, enough int,
) ([]int, error) {
	var space [512]byte
	b := appendText(append(space[:0], forMatches), text)
	b = appendList(b, levels, appendLevel)
	b = appendAccess(b, access, today)
	key := sha256.Sum256(appendInt(b, enough))
	known, now, err := s.remembered(ctx, key)
	if err != nil || known.counts != nil {
		return known.counts, err
	}
	found, err := s.find(ctx, forMatches, key, now, func(ctx context.Context) (a answer, err error) {
		a.counts, err = s.Reader.Matches(ctx, text, levels, access, today, enough)
		return a, err
	})
	return found.counts, err
}

// Finds implements search.Reader. The cached answer has a count of 1 for each text that finds something, and 0 for the
// others.
func (s *Searches) Finds(
	ctx context.Context, texts []search.Text, access catalogue.Access, today catalogue.Date,
) ([]bool, error) {
	var space [512]byte
	b := appendAccess(appendList(append(space[:0], forFinds), texts, appendText), access, today)
	key := sha256.Sum256(b)
	known, now, err := s.remembered(ctx, key)
	if err == nil && known.counts == nil {
		known, err = s.find(ctx, forMatches, key, now, func(ctx context.Context) (a answer, err error) {
			finds, err := s.Reader.Finds(ctx, texts, access, today)
			a.counts = make([]int, len(finds))
			for i, found := range finds {
				if found {
					a.counts[i] = 1
				}
			}
			return a, err
		})
	}
	if err != nil {
		return nil, err
	}
	if len(known.counts) != len(texts) { // an entry of another process may be invalid
		return s.Reader.Finds(ctx, texts, access, today)
	}
	finds := make([]bool, len(known.counts))
	for i, count := range known.counts {
		finds[i] = count > 0
	}
	return finds, nil
}

// remembered returns the cached answer of a key if it is valid now, and a zero answer otherwise.
func (s *Searches) remembered(ctx context.Context, key [sha256.Size]byte) (answer, indexState, error) {
	now, err := s.indexState(ctx)
	if err != nil {
		return answer{}, now, err
	}
	if a, ok := s.answers.GetIfPresent(key); ok && a.state == now && s.options.Clock().Before(a.expires) {
		s.hits.Add(1)
		return a, now, nil
	}
	return answer{}, now, nil
}

// find reads the answer from Far or else from the index, once for all concurrent callers with the same key and state of
// the index.
func (s *Searches) find(
	ctx context.Context, kind byte, key [sha256.Size]byte, now indexState, ask func(context.Context) (answer, error),
) (answer, error) {
	return s.flights.join(ctx, flightOf(key, now), func(ctx context.Context) (answer, error) {
		name := s.far.key(now.generation, key)
		if a, ok := s.far.get(ctx, kind, name, now.position); ok {
			s.keep(key, now, a)
			return a, nil
		}
		return s.findAnew(ctx, key, name, now, ask)
	})
}

// findAnew asks the index. It caches the answer only if the index has not changed in the meantime, because otherwise
// the answer may belong to either state.
func (s *Searches) findAnew(
	ctx context.Context, key [sha256.Size]byte, name string, before indexState, ask func(context.Context) (answer, error),
) (answer, error) {
	s.asked.Add(1)
	a, err := ask(ctx)
	if err != nil {
		return answer{}, err
	}
	if after, err := s.indexState(ctx); err == nil && after == before {
		s.keep(key, before, a)
		s.far.put(name, before.position, a)
	}
	return a, nil
}

func (s *Searches) keep(key [sha256.Size]byte, now indexState, a answer) {
	a.state, a.expires = now, s.options.Clock().Add(s.options.TTL)
	s.answers.Set(key, a)
}

func flightOf(key [sha256.Size]byte, now indexState) string {
	b := strconv.AppendInt(append(make([]byte, 0, 160), key[:]...), now.position, 10)
	b = strconv.AppendInt(append(b, '/'), now.writes, 10)
	return string(append(append(b, '/'), now.generation...))
}

func (s *Searches) indexState(ctx context.Context) (indexState, error) {
	writes := s.writes.Load()
	position, err := s.Reader.Position(ctx)
	return indexState{position: position, writes: writes, generation: s.Reader.Generation()}, err
}

// weight returns the approximate memory of an answer in bytes.
func (a *answer) weight() uint32 {
	const (
		entry  = 300 // key, node and structures
		ref    = 32 + catalogue.IDLength
		bucket = 40
	)
	bytes := entry + 8*len(a.counts)
	if a.result == nil {
		return uint32(bytes)
	}
	bytes += ref * len(a.result.Refs)
	if f := a.result.Facets; f != nil {
		bytes += 8 * (len(f.Durations) + len(f.Ages))
		for _, list := range bucketsOf(f) {
			bytes += bucket * len(*list)
			for i := range *list {
				bytes += len((*list)[i].Key)
			}
		}
	}
	return uint32(bytes)
}

// SearchStats counts the calls of Search, Matches and Finds since NewSearches.
type SearchStats struct {
	NearHits int64 // answered from memory
	FarHits  int64 // answered from Far; concurrent equal calls count once
	Searches int64 // answered by the index; concurrent equal calls count once
}

// Stats returns the counts.
func (s *Searches) Stats() SearchStats {
	stats := SearchStats{NearHits: s.hits.Load(), Searches: s.asked.Load()}
	if s.far != nil {
		stats.FarHits = s.far.hits.Load()
	}
	return stats
}

// Writer returns a writer of the same index. Each of its writes invalidates all earlier answers.
func (s *Searches) Writer(w search.Writer) search.Writer { return &forgettingWriter{w, &s.writes} }

type forgettingWriter struct {
	search.Writer
	writes *atomic.Int64
}

// Apply implements search.Writer.
func (w *forgettingWriter) Apply(ctx context.Context, batch search.Batch) error {
	defer w.writes.Add(1)
	return w.Writer.Apply(ctx, batch)
}

// Rebuild implements search.Writer.
func (w *forgettingWriter) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.Document, error]) error {
	defer w.writes.Add(1)
	return w.Writer.Rebuild(ctx, position, documents)
}

// Close stops writing to SearchOptions.Far and removes all answers. It does not close the index.
func (s *Searches) Close() error {
	s.far.close()
	s.answers.InvalidateAll()
	return nil
}
