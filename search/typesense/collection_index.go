package typesense

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// CollectionIndex is a search.CollectionIndex. It has its own Index, separate from that of videos. Its documents have
// no vocabulary.
type CollectionIndex struct{ index *Index }

var _ search.CollectionIndex = (*CollectionIndex)(nil)

// OpenCollections opens the index of collections of a namespace. It works like Open.
func OpenCollections(ctx context.Context, options Options) (*CollectionIndex, error) {
	index, err := open(ctx, options, "collections", collectionsSchema)
	if err != nil {
		return nil, err
	}
	return &CollectionIndex{index}, nil
}

// Apply implements search.CollectionIndex. A document that is both put and deleted is deleted.
func (s *CollectionIndex) Apply(ctx context.Context, batch search.CollectionBatch) error {
	newest := search.Newest(batch.Put, func(d *search.CollectionDocument) catalogue.Ref { return d.Ref })
	return apply(ctx, s.index, batch.Position, newest, batch.Delete, (*writer).putCollection)
}

// Rebuild implements search.CollectionIndex.
func (s *CollectionIndex) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.CollectionDocument, error]) error {
	return rebuild(ctx, s.index, position, documents, (*writer).putCollection)
}

// putCollection puts the document of a collection.
func (w *writer) putCollection(ctx context.Context, d *search.CollectionDocument) error {
	return w.put(ctx, len(d.Title)+len(d.Description), func(*words) (outgoing, error) {
		return outgoing{id: encodeID(d.ID), version: d.Version, body: newCollectionDocument(d, w.index.analyzer)}, nil
	})
}

// Position implements search.CollectionIndex. While no server answers, it returns the last known position.
func (s *CollectionIndex) Position(ctx context.Context) (int64, error) { return s.index.Position(ctx) }

// Count implements search.CollectionIndex.
func (s *CollectionIndex) Count(ctx context.Context) (int, error) { return s.index.Count(ctx) }

// Name returns the name of the index. The processes of an index share it, and no other index has it.
func (s *CollectionIndex) Name() string { return s.index.Name() }

// LeftAlone is like Index.LeftAlone.
func (s *CollectionIndex) LeftAlone() bool { return s.index.LeftAlone() }

// Close closes the index and keeps its data.
func (s *CollectionIndex) Close() error { return s.index.Close() }

// Find implements search.CollectionIndex.
//
// Typesense sorts by at most three criteria, and never by ids. Find therefore reads all collections that are equal to
// the first or the last one of a page, and orders them itself.
func (s *CollectionIndex) Find(ctx context.Context, query search.CollectionQuery) (*search.CollectionResult, error) {
	return consult(ctx, s.index, func(ctx context.Context, at *build) (*search.CollectionResult, error) {
		if at.collection == "" {
			return &search.CollectionResult{}, nil
		}
		return complete(ctx, s.index, at, func() (*search.CollectionResult, bool, error) {
			q, err := s.question(ctx, at, &query)
			if err != nil {
				return nil, false, err
			}
			f := &collectionRun{index: s.index, at: at, question: q, hits: map[int]*collectionHit{}}
			result, err := f.page(ctx, &query)
			return result, f.incomplete, err
		})
	})
}

// collectionHit is a collection that matches.
type collectionHit struct {
	ref  catalogue.Ref
	rank search.CollectionRank
}

// collectionRun is one query in progress.
type collectionRun struct {
	index      *Index
	at         *build
	question   *collectionQuestion
	hits       map[int]*collectionHit // by position in Typesense's order
	total      int
	incomplete bool // some matches have disappeared
}

// page reads a page and all collections that Typesense considers equal to its first or its last one.
func (f *collectionRun) page(ctx context.Context, query *search.CollectionQuery) (*search.CollectionResult, error) {
	end := query.Offset + query.Size
	if query.Size == 0 {
		answer, err := f.index.server.searchOne(ctx, f.at.collection, searchRequest{Q: "*", FilterBy: f.question.filter})
		if err != nil {
			return nil, err
		}
		return &search.CollectionResult{Total: answer.Found}, nil
	}
	if err := f.read(ctx, max(0, query.Offset-1), end+1); err != nil {
		return nil, err
	}
	from, to := min(query.Offset, f.total), min(end, f.total)
	result := &search.CollectionResult{Total: f.total}
	if from == to {
		return result, nil
	}
	first, err := f.reach(ctx, from, -1)
	if err != nil {
		return nil, err
	}
	last, err := f.reach(ctx, to-1, 1)
	if err != nil {
		return nil, err
	}
	var hits []*collectionHit
	for place := first; place <= last; place++ {
		if hit := f.hits[place]; hit != nil {
			hits = append(hits, hit)
		}
	}
	slices.SortStableFunc(hits, func(a, b *collectionHit) int { return search.CompareRanks(query.Order, &a.rank, &b.rank) })
	for _, hit := range hits[min(from-first, len(hits)):min(to-first, len(hits))] {
		result.Refs = append(result.Refs, hit.ref)
	}
	return result, nil
}

// reach returns the last position in a direction whose collection Typesense considers equal to the one at place.
func (f *collectionRun) reach(ctx context.Context, place, direction int) (int, error) {
	for ahead := maxPerPage; ; {
		next := place + direction
		if next < 0 || next >= f.total {
			return place, nil
		}
		if f.hits[next] == nil {
			if err := f.read(ctx, max(0, min(next, next+direction*ahead)), max(next, next+direction*ahead)+1); err != nil {
				return 0, err
			}
			ahead *= 2
		}
		if f.hits[next] == nil || f.hits[place] == nil || !f.question.equal(f.hits[place], f.hits[next]) {
			return place, nil
		}
		place = next
	}
}

// collectionHitFields are the fields of a hit.
var collectionHitFields = strings.Join([]string{
	"id", fieldVersion, fieldUpdated, fieldDefault, fieldAttached, fieldName, fieldTitleSequence,
}, ",")

// read reads the hits at positions from to to, including from and excluding to.
func (f *collectionRun) read(ctx context.Context, from, to int) error {
	var r round
	for _, p := range covering(from, to-from) {
		r.ask(searchRequest{
			Q: "*", FilterBy: f.question.filter, SortBy: f.question.sortBy(), Page: p.number, PerPage: p.size,
			IncludeFields: collectionHitFields,
		}, func(answer *searchAnswer) error {
			f.total = answer.Found
			start := (p.number - 1) * p.size
			f.incomplete = f.incomplete || len(answer.Hits) < min(p.size, answer.Found-start)
			for i := range answer.Hits {
				hit, err := f.question.hit(&answer.Hits[i])
				if err != nil {
					return err
				}
				f.hits[start+i] = hit
			}
			return nil
		})
	}
	return f.index.run(ctx, f.at, &r)
}

// hit decodes a hit.
func (q *collectionQuestion) hit(found *searchHit) (*collectionHit, error) {
	var d collectionDocument
	err := json.Unmarshal(found.Document, &d)
	id, known := decodeID(d.ID)
	name, readable := readStoredText(d.Name)
	if err != nil || !known || !readable {
		return nil, unavailable("returned an invalid collection document", err)
	}
	return &collectionHit{
		ref: catalogue.Ref{ID: id, Version: d.Version},
		rank: search.CollectionRank{
			ID: id, Title: name, UpdatedAt: d.Updated, Default: d.Default, HasAttachment: d.Attached,
			InTitle: q.stands(d.TitleSequence),
		},
	}, nil
}

// stands reports whether a title contains the phrase. It returns false without a phrase.
func (q *collectionQuestion) stands(title []string) bool {
	return len(q.phrase) > 0 && slices.ContainsFunc(title, func(text string) bool { return standsIn(text, q.phrase) })
}
