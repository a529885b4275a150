package typesense

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/typesense/typesense-go/v3/typesense/api"
)

// maxSearches is the maximum number of searches of one request.
const maxSearches = 50

// maxPerPage is the maximum number of hits of one page.
const maxPerPage = 250

// searchRequest is one search of a multi-search. The encoding omits zero values, except PerPage: without it, the search
// returns no hits.
type searchRequest struct {
	Collection string `json:"collection"` // filled in by searchIn
	Q          string `json:"q"`
	QueryBy    string `json:"query_by,omitempty"`
	Weights    string `json:"query_by_weights,omitempty"`
	FilterBy   string `json:"filter_by,omitempty"`
	SortBy     string `json:"sort_by,omitempty"`
	Page       int    `json:"page,omitempty"`
	PerPage    int    `json:"per_page"`

	VectorQuery string `json:"vector_query,omitempty"`

	FacetBy        string `json:"facet_by,omitempty"`
	MaxFacetValues int    `json:"max_facet_values,omitempty"`

	IncludeFields string `json:"include_fields,omitempty"`

	NumTypos            *int   `json:"num_typos,omitempty"`
	Prefix              *bool  `json:"prefix,omitempty"`
	DropTokensThreshold *int   `json:"drop_tokens_threshold,omitempty"`
	TypoTokensThreshold *int   `json:"typo_tokens_threshold,omitempty"`
	HighlightFields     string `json:"highlight_fields"` // "none" disables highlighting
	HighlightFullFields string `json:"highlight_full_fields"`
	EnableOverrides     bool   `json:"enable_overrides"`
}

// searchAnswer is the result of one search.
type searchAnswer struct {
	Found  int          `json:"found"`
	OutOf  int          `json:"out_of"` // number of documents of the collection
	Hits   []searchHit  `json:"hits"`
	Facets []facetCount `json:"facet_counts"`

	Params struct {
		Collection string `json:"collection_name"` // real name, even if the search used an alias
	} `json:"request_params"`

	// Cutoff means that the server stopped before it had searched everything.
	Cutoff bool `json:"search_cutoff"`

	Code  int    `json:"code"`
	Error string `json:"error"`
}

type searchHit struct {
	Document  json.RawMessage `json:"document"`
	TextMatch uint64          `json:"text_match"`
	// VectorDistance is 1 minus the cosine.
	VectorDistance float32 `json:"vector_distance"`
}

// documentsOf decodes the documents of hits.
func documentsOf[D any](hits []searchHit) ([]D, error) {
	documents := make([]D, len(hits))
	for i, hit := range hits {
		if err := json.Unmarshal(hit.Document, &documents[i]); err != nil {
			return nil, unavailable("returned an invalid document", err)
		}
	}
	return documents, nil
}

type facetCount struct {
	Field  string `json:"field_name"`
	Counts []struct {
		Value string `json:"value"`
		Count int    `json:"count"`
	} `json:"counts"`
}

// errGone means that the collection of a build no longer exists, because another build has replaced it.
var errGone = errors.New("the collection is gone")

// searchOne runs one search over a collection, like searchIn.
func (s *server) searchOne(ctx context.Context, collection string, request searchRequest) (*searchAnswer, error) {
	answers, err := s.searchIn(ctx, collection, []searchRequest{request})
	if err != nil {
		return nil, err
	}
	return &answers[0], nil
}

// searchIn runs at most maxSearches searches over a collection, in one request. It returns an error if any search
// fails, and errGone if the collection does not exist.
func (s *server) searchIn(ctx context.Context, collection string, requests []searchRequest) ([]searchAnswer, error) {
	if len(requests) == 0 {
		return nil, nil
	}
	for i := range requests {
		requests[i].Collection = collection
	}
	answers, err := s.search(ctx, requests)
	if err != nil {
		return nil, err
	}
	for i := range answers {
		if err := answers[i].fault(); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// search sends searches in one request. Each result may contain an error.
func (s *server) search(ctx context.Context, requests []searchRequest) ([]searchAnswer, error) {
	for i := range requests {
		requests[i].HighlightFields, requests[i].HighlightFullFields = "none", "none"
	}
	body, err := json.Marshal(map[string]any{"searches": requests})
	if err != nil {
		return nil, internal("was sent no search", err)
	}
	var answers struct {
		Results []searchAnswer `json:"results"`
	}
	err = s.call(&answers, func() (*http.Response, error) {
		return s.api.MultiSearchWithBody(ctx, &api.MultiSearchParams{}, contentJSON, bytes.NewReader(body))
	})
	if err != nil {
		return nil, err
	}
	if len(answers.Results) != len(requests) {
		return nil, unavailable("answered half a question", nil)
	}
	return answers.Results, nil
}

// fault returns the error of a result, or nil.
func (a *searchAnswer) fault() error {
	switch {
	case a.Code == 0 && a.Error == "" && !a.Cutoff:
		return nil
	case a.Code == http.StatusNotFound:
		return fmt.Errorf("%w: %s", errGone, a.Error)
	case a.Cutoff:
		return unavailable("is too slow", errors.New("the search was cut off"))
	}
	return faultOf(a.Code, a.Error)
}
