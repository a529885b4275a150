// Package search finds videos: it turns queries, filters and search rules into questions to the index, and reports what
// accounts search for.
package search

import (
	"context"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	videos "github.com/filmstrip/filmstrip/resolvers/catalogue"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/store"
)

// MaxQueryLength is the most characters of a query.
const MaxQueryLength = 2000

// Config lists the ports that search needs. Collections, Recorder and Log may be nil.
type Config struct {
	Videos *videos.Resolver
	// Catalogue holds the vectors of videos, for Meanings.
	Catalogue store.Catalogue
	Index     search.Reader
	Analyzer  *analysis.Analyzer
	// Remote: a call of Index crosses the network, so calls that may be needed run at the same time.
	Remote bool
	// Roster returns the accounts that are in force; nil: explanations cannot name an account.
	Roster func() *account.Roster
	// Registry and Collections hold content packages and the collections that these name.
	Registry    *registry.Registry
	Collections store.Collections
	// Meanings knows what texts mean; nil: search uses words alone.
	Meanings Meanings
	// Recorder records searches and knows the ones that accounts share, Log has what was recorded.
	Recorder Recorder
	Log      store.SearchLog
	Now      func() time.Time
}

// Meanings knows what texts mean.
type Meanings interface {
	// Meaning returns the meaning of a text, or nil if it is not known soon enough: the search then uses words alone.
	Meaning(ctx context.Context, text string) *search.Meaning
	// MeaningOf returns the meaning of the texts of a video, or nil if another model computed its vectors.
	MeaningOf(embedding *catalogue.Embedding) *search.Meaning
}

// Recorder records what accounts search for, and knows the texts that several of them share. Its methods do not wait for
// a store.
type Recorder interface {
	// Searched records a search of an account: the text as typed, whether filters were set, and how many videos were
	// found.
	Searched(by *account.Account, text string, filtered bool, found int)
	// Shared returns the texts that enough accounts have searched for, the most shared first. Callers must not change
	// them.
	Shared() []store.SharedSearch
}

// Resolver resolves the fields about search.
type Resolver struct {
	Config
	rules rulesCache
	shown shownFacets
}

// New makes a resolver.
func New(config Config) *Resolver { return &Resolver{Config: config} }

func (r *Resolver) today() catalogue.Date { return catalogue.DateOf(r.Now()) }

func (r *Resolver) SearchVideos(ctx context.Context, text *string, filter *graph.VideoFilter, sortBy graph.VideoOrder, page, size int, facets *graph.FacetRequest) (*model.VideoSearch, error) {
	caller, directory, err := r.Videos.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	if err := catalogue.CheckWindow(page, size, catalogue.MaxSearchSize); err != nil {
		return nil, err
	}
	query, err := r.searchOf(ctx, caller, directory, text, filter)
	if err != nil {
		return nil, err
	}
	query.ByReleaseDate, query.Offset, query.Size = sortBy == graph.VideoOrderReleaseDate, page*size, size
	var selected selection
	if asksForFacets(ctx) {
		if selected, err = selectFacets(facets, query.Filter.Channels); err != nil {
			return nil, err
		}
		query.Facets = selected.request()
	}
	result, err := r.Find(ctx, query)
	if err != nil {
		return nil, err
	}
	if page == 0 && !query.Text.Blank() {
		r.logSearch(caller, *text, filter, result.Total)
	}
	shown, err := r.showFacets(ctx, &selected, result.Facets, query.Access, directory)
	if err != nil {
		return nil, err
	}
	return &model.VideoSearch{
		References: &model.References{List: result.Refs}, Total: result.Total, Size: size, Facets: shown,
	}, nil
}

// meaningOf returns the meaning of a text, or nil if the search uses words alone: quotes ask for words as they are written.
func (r *Resolver) meaningOf(ctx context.Context, text search.Text) *search.Meaning {
	if r.Meanings == nil || text.Words == "" || len(text.Phrases) > 0 {
		return nil
	}
	return r.Meanings.Meaning(ctx, text.Words)
}

// showFacets adds keys and names to counts. The counts and the directory determine the facets, unless the filter names
// channels, which the caller may not see for other reasons.
func (r *Resolver) showFacets(ctx context.Context, selected *selection, counted *search.Facets, access catalogue.Access, directory *catalogue.Directory) (*model.Facets, error) {
	switch {
	case counted == nil:
		return &model.Facets{}, nil
	case selected.namesChannels():
		showsChannel, err := r.Videos.ShowsChannel(ctx, access)
		if err != nil {
			return nil, err
		}
		return selected.show(counted, directory, showsChannel), nil
	}
	return r.shown.of(counted, directory.Position, func() *model.Facets {
		return selected.show(counted, directory, access.OpensChannel)
	}), nil
}

// setText sets the words and phrases of a query. A text that is the name of a channel or subject boosts its videos.
func (r *Resolver) setText(query *search.Query, text *string, directory *catalogue.Directory) (err error) {
	if text == nil {
		return nil
	}
	if query.Text, err = r.ParseText(*text); err != nil || query.Text.Blank() {
		return err
	}
	if channel := directory.ChannelNamed(query.Text.Words); channel != nil {
		query.BoostNamed.Channels = []catalogue.ID{channel.ID}
	}
	if subject := directory.SubjectNamed(query.Text.Words); subject != nil {
		query.BoostNamed.Subjects = []catalogue.ID{subject.ID}
	}
	return nil
}

// ParseText splits a text into words and phrases. The error has the code Invalid if the text is too long, or has too many
// phrases or words in phrases.
func (r *Resolver) ParseText(text string) (search.Text, error) {
	if err := inputs.CheckText(text, MaxQueryLength); err != nil {
		return search.Text{}, err
	}
	parsed := search.ParseText(text)
	if n := len(parsed.Phrases); n > catalogue.MaxPhrases {
		return search.Text{}, fault.InvalidRequest("query has %d quoted phrases, at most %d are allowed", n, catalogue.MaxPhrases)
	}
	words := 0
	for _, phrase := range parsed.Phrases {
		words += len(r.Analyzer.Phrase(phrase))
	}
	if words > catalogue.MaxPhraseWords {
		return search.Text{}, fault.InvalidRequest("the quoted phrases of query have %d words, at most %d are allowed", words, catalogue.MaxPhraseWords)
	}
	if inputs.IsBlank(r.Analyzer, parsed.Words) {
		return search.Text{}, nil
	}
	parsed.Phrases = slices.DeleteFunc(parsed.Phrases, func(phrase string) bool { return inputs.IsBlank(r.Analyzer, phrase) })
	return parsed, nil
}

// asksForFacets reports whether the operation selects facets: counting them costs more than finding videos.
func asksForFacets(ctx context.Context) bool {
	return graphql.FieldRequested(ctx, "facetMap") || graphql.FieldRequested(ctx, "facets")
}

// Page resolves the field of a search that needs the videos themselves.
type Page struct{ *Resolver }

func (p Page) Videos(ctx context.Context, page *model.VideoSearch) ([]*model.Video, error) {
	return p.Resolver.Videos.LoadRefs(ctx, page.References.List)
}
