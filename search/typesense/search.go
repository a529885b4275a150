package typesense

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// round collects searches and the functions that receive their answers.
type round struct {
	requests []searchRequest
	takes    []func(*searchAnswer) error
	// facets are searches that only count facets. Typesense answers the searches of one request one after the other, and reads a
	// document for each hit and for each value of a facet. These are therefore sent in a request of their own, beside the others.
	facets *round
}

func (r *round) ask(request searchRequest, take func(*searchAnswer) error) {
	r.requests = append(r.requests, request)
	r.takes = append(r.takes, take)
}

// askFacets asks for facets, beside the other searches.
func (r *round) askFacets(request searchRequest, take func(*searchAnswer) error) {
	if r.facets == nil {
		r.facets = &round{}
	}
	r.facets.ask(request, take)
}

// count asks for the number of documents that match a filter.
func (r *round) count(filter string, take func(found int)) {
	r.ask(searchRequest{Q: "*", FilterBy: filter}, func(answer *searchAnswer) error {
		take(answer.Found)
		return nil
	})
}

// run sends all searches of a round, in as few requests as Typesense allows, those for facets beside the others.
func (x *Index) run(ctx context.Context, at *build, r *round) error {
	if r.facets == nil {
		return x.runPart(ctx, at, r)
	}
	if len(r.requests) == 0 {
		return x.runPart(ctx, at, r.facets)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var answers []searchAnswer
	counted := make(chan error, 1)
	go func() {
		var err error
		answers, err = x.answers(ctx, at, r.facets.requests)
		counted <- err
	}()
	if err := x.runPart(ctx, at, r); err != nil {
		cancel()
		<-counted
		return err
	}
	if err := <-counted; err != nil {
		return err
	}
	return r.facets.take(answers)
}

func (x *Index) runPart(ctx context.Context, at *build, r *round) error {
	answers, err := x.answers(ctx, at, r.requests)
	if err != nil {
		return err
	}
	return r.take(answers)
}

func (r *round) take(answers []searchAnswer) error {
	for i := range answers {
		if err := r.takes[i](&answers[i]); err != nil {
			return err
		}
	}
	return nil
}

// answers sends searches, in as few requests as Typesense allows.
func (x *Index) answers(ctx context.Context, at *build, requests []searchRequest) (all []searchAnswer, err error) {
	for some := range slices.Chunk(requests, maxSearches) {
		answers, err := x.server.searchIn(ctx, at.collection, some)
		if err != nil {
			return nil, err
		}
		all = append(all, answers...)
	}
	return all, nil
}

// Search implements search.Reader. Filters on exact tokens alone determine results, totals and facets. The text
// relevance of Typesense only orders results.
func (x *Index) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	return consult(ctx, x, func(ctx context.Context, at *build) (*search.Result, error) {
		return complete(ctx, x, at, func() (*search.Result, bool, error) { return x.search(ctx, at, &query) })
	})
}

// maxAttempts is the maximum number of attempts at a search while documents disappear.
const maxAttempts = 3

// complete repeats a search of a build until it could read all results, at most maxAttempts times. search reports as
// incomplete that some results have disappeared.
func complete[R any](ctx context.Context, x *Index, at *build, search func() (result *R, incomplete bool, err error)) (*R, error) {
	for attempt := 1; ; attempt++ {
		result, incomplete, err := search()
		switch {
		case err != nil:
			return nil, err
		case x.Generation() != at.collection:
			return nil, errGone
		case !incomplete || attempt == maxAttempts:
			return result, nil
		}
		if err := x.poll(ctx); err != nil {
			return nil, err
		}
	}
}

// search runs a query once. incomplete means that some results have disappeared.
func (x *Index) search(ctx context.Context, at *build, query *search.Query) (result *search.Result, incomplete bool, err error) {
	if at.collection == "" {
		result = &search.Result{}
		if query.Facets != nil {
			result.Facets = noFacets(query.Facets)
		}
		return result, false, nil
	}
	q, err := x.ask(ctx, at, query.Text, query.Level.Typos)
	if err != nil {
		return nil, false, err
	}
	visible := ""
	if query.Listing != nil {
		visible = x.listed(query.Listing.State, query.Today)
	} else {
		visible = x.visible(query.Access, query.Today)
	}
	near, err := x.nearest(ctx, at, query, visible)
	if err != nil {
		return nil, false, err
	}
	s := &run{index: x, at: at, query: query, question: q, near: near, conditions: conditionsOf(query, visible, q, near)}
	result, err = s.result(ctx)
	return result, s.incomplete, err
}

// run is one search in progress.
type run struct {
	index      *Index
	at         *build
	query      *search.Query
	question   *question
	near       *nearest // nil: the query has no meaning
	conditions *conditions
	counting   *counting // nil without facets
	incomplete bool
}

func (s *run) result(ctx context.Context) (*search.Result, error) {
	var r round
	if s.query.Facets != nil {
		s.counting = countFacets(&r, s.conditions, s.query.Facets)
	}
	hits, total, err := s.page(ctx, &r)
	if err != nil {
		return nil, err
	}
	result := &search.Result{Total: total}
	for _, hit := range hits {
		result.Refs = append(result.Refs, catalogue.Ref{ID: hit.video, Version: hit.Version})
	}
	if s.counting != nil {
		result.Facets = s.counting.facets
	}
	return result, nil
}

// searchHitDocument contains the fields that a hit returns.
type searchHitDocument struct {
	ID       string   `json:"id"`
	Version  int64    `json:"version"`
	Title    string   `json:"title"`
	Channel  string   `json:"channel"`
	Subjects []string `json:"subjects"`
	Order    int64    `json:"order"`

	TitleText       string `json:"title_text"`
	KeywordText     string `json:"keyword_text"`
	SubjectText     string `json:"subject_text"`
	ChannelText     string `json:"channel_text"`
	DescriptionText string `json:"description_text"`
}

// hit is a matching document.
type hit struct {
	searchHitDocument
	video catalogue.ID
	match uint64 // text relevance of Typesense
	// rerank sets the following fields.
	boosts bool
	score  float64
}

func readHits(answer *searchAnswer) ([]hit, error) {
	documents, err := documentsOf[searchHitDocument](answer.Hits)
	hits := make([]hit, len(documents))
	for i, d := range documents {
		id, ok := decodeID(d.ID)
		if !ok {
			return nil, unavailable("holds a document without a valid video ID", nil)
		}
		hits[i] = hit{searchHitDocument: d, video: id, match: answer.Hits[i].TextMatch}
	}
	return hits, err
}

// noFacets returns the facets of an empty index.
func noFacets(request *search.FacetRequest) *search.Facets {
	return &search.Facets{Durations: make([]int, len(request.Durations)), Ages: make([]int, len(request.Ages))}
}
