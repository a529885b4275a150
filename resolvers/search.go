package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/search"
)

const (
	maxQueryLength = 2000 // characters; a text is a question, not a document
	enoughMatches  = 10   // the strictest step that yields so many is taken
)

func (q query) SearchVideos(ctx context.Context, text *string, filter *graph.VideoFilter, sortBy graph.VideoOrder, page, size int, facets *graph.FacetRequest) (*model.VideoSearch, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := catalogue.CheckWindow(page, size, catalogue.MaxSearchSize); err != nil {
		return nil, err
	}
	access, anything, err := q.searchable(ctx, caller, filter)
	if err != nil {
		return nil, err
	}
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	query := search.Query{
		Access: access, Today: q.today(), BoostPreferred: caller.Subjects,
		ByReleaseDate: sortBy == graph.VideoOrderReleaseDate,
		Offset:        page * size, Size: size,
	}
	if query.Filter, err = q.filter(ctx, filter, access, directory); err != nil {
		return nil, err
	}
	query.Filter.Nothing = query.Filter.Nothing || !anything
	if err := q.understand(&query, text, directory); err != nil {
		return nil, err
	}
	q.steering.of(directory, q.analyzer).steer(&query, q.analyzer)
	var selected selection
	if asksForFacets(ctx) {
		if selected, err = selectFacets(facets, query.Filter.Channels); err != nil {
			return nil, err
		}
		query.Facets = selected.request()
	}
	result, err := q.find(ctx, query)
	if err != nil {
		return nil, err
	}
	if query.Text.Blank() {
		text = nil
	}
	q.noteSearch(caller, text, filter, page, result.Total)
	key := pageKey{result: result, directory: directory}
	if known, ok := q.pages.GetIfPresent(key); ok {
		return known, nil
	}
	found, err := q.show(ctx, result, &selected, directory, access)
	if err != nil {
		return nil, err
	}
	found.Size = size
	q.pages.Set(key, found)
	return found, nil
}

// show makes the page of an answer that was found with an access.
func (r *resolver) show(ctx context.Context, result *search.Result, selected *selection, directory *catalogue.Directory, access catalogue.Access) (*model.VideoSearch, error) {
	showsChannel := access.OpensChannel
	if selected.namesChannels() {
		var err error
		if showsChannel, err = r.showsChannel(ctx, access); err != nil {
			return nil, err
		}
	}
	return &model.VideoSearch{
		References: &model.References{List: result.Refs}, Total: result.Total,
		Facets: selected.show(result.Facets, directory, showsChannel),
	}, nil
}

// pageKey names what a page is made of: an answer of the index, which the cache before it hands out
// again as it is, and to the same query only, and the directory that names its facets.
type pageKey struct {
	result    *search.Result
	directory *catalogue.Directory
}

// rememberedPages bounds the pages whose facets are kept as they are shown, at about 30 KB each.
const rememberedPages = 1000

// understand turns the text into words, phrases and, where it is the very name of a channel or a
// subject, what comes first.
func (r *resolver) understand(query *search.Query, text *string, directory *catalogue.Directory) (err error) {
	if text == nil {
		return nil
	}
	if query.Text, err = r.parseText(*text); err != nil {
		return err
	}
	if !query.Text.Blank() {
		query.BoostNamed = leadOf(query.Text, directory)
	}
	return nil
}

// parseText takes a text apart. It refuses texts that are too long or have too many phrases, or phrases of too many
// words, with an error of code Invalid.
func (r *resolver) parseText(text string) (search.Text, error) {
	if n := len([]rune(text)); n > maxQueryLength {
		return search.Text{}, fault.InvalidRequest("query has %d characters, at most %d are allowed", n, maxQueryLength)
	}
	parsed := search.ParseText(text)
	if n := len(parsed.Phrases); n > catalogue.MaxPhrases {
		return search.Text{}, fault.InvalidRequest("query has %d quoted phrases, at most %d are allowed", n, catalogue.MaxPhrases)
	}
	words := 0
	for _, phrase := range parsed.Phrases {
		words += len(r.analyzer.Phrase(phrase))
	}
	if words > catalogue.MaxPhraseWords {
		return search.Text{}, fault.InvalidRequest("the quoted phrases of query have %d words, at most %d are allowed", words, catalogue.MaxPhraseWords)
	}
	if r.asksNothing(parsed.Words) {
		return search.Text{}, nil
	}
	parsed.Phrases = slices.DeleteFunc(parsed.Phrases, r.asksNothing)
	return parsed, nil
}

// asksNothing reports whether a text has no letter, no digit and no emoji. Such a text counts as no query.
func (r *resolver) asksNothing(text string) bool { return len(r.analyzer.Phrase(text)) == 0 }

func leadOf(text search.Text, directory *catalogue.Directory) search.BoostedNames {
	var lead search.BoostedNames
	if channel := directory.ChannelNamed(text.Words); channel != nil {
		lead.Channels = []catalogue.ID{channel.ID}
	}
	if subject := directory.SubjectNamed(text.Words); subject != nil {
		lead.Subjects = []catalogue.ID{subject.ID}
	}
	return lead
}

// asksForFacets reports whether the field being resolved selects facets at all: counting them costs
// more than finding videos.
func asksForFacets(ctx context.Context) bool {
	return graphql.FieldRequested(ctx, "facetMap") || graphql.FieldRequested(ctx, "facets")
}

type videoSearch struct{ *resolver }

func (s videoSearch) Videos(ctx context.Context, page *model.VideoSearch) ([]*model.Video, error) {
	return s.loadRefs(ctx, page.References.List)
}
