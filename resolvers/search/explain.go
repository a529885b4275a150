package search

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/search"
)

// ExplainSearch reports how a search understands a text, and why a video is or is not among the results. It asks the index
// what the search asks it, so that an explanation never differs from the search.
func (r *Resolver) ExplainSearch(ctx context.Context, text string, filter *graph.VideoFilter, video *catalogue.ID, of *string) (*graph.SearchExplanation, error) {
	caller, directory, err := r.Videos.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	if of != nil {
		if caller, err = r.callerOf(ctx, *of, filter); err != nil {
			return nil, err
		}
	}
	query, err := r.searchOf(ctx, caller, directory, &text, filter)
	if err != nil {
		return nil, err
	}
	query.Filter.Nothing = query.Filter.Nothing || !caller.Permissions.Has(account.ViewVideos)
	explained := &graph.SearchExplanation{
		Phrases: query.Text.Phrases, ByMeaning: query.Meaning != nil, Pinned: query.Pin, Buried: query.Bury,
		BoostedChannels: query.BoostNamed.Channels, BoostedSubjects: query.BoostNamed.Subjects,
	}
	if explained.Words, err = r.explainWords(ctx, &query); err != nil {
		return nil, err
	}
	if explained.MatchLevels, err = r.explainLevels(ctx, &query); err != nil {
		return nil, err
	}
	query.Size = search.MaxWindow
	result, err := r.Index.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	explained.Total = result.Total
	if video != nil {
		explained.Video, err = r.explainVideo(ctx, directory, &explanation{query: query, result: result, filter: filter, video: *video})
	}
	return explained, err
}

// callerOf returns a caller with what the clients of an account may do and see.
func (r *Resolver) callerOf(ctx context.Context, id string, filter *graph.VideoFilter) (*account.Caller, error) {
	if err := account.Require(ctx, account.ViewCustomers); err != nil {
		return nil, err
	}
	if filter != nil && filter.ContentPackage != nil {
		return nil, fault.InvalidRequest("account and filter.contentPackage exclude each other: the account has a content package of its own, or none")
	}
	if r.Roster == nil {
		return nil, fault.Errorf(fault.Unavailable, "this server has no accounts")
	}
	caller := r.Roster().AccountCaller(id, r.today())
	if caller == nil {
		return nil, registry.NotFound(account.KindAccount.Key(id))
	}
	return caller, nil
}

// searchOf returns the query that a search with these arguments asks the index, without a page.
func (r *Resolver) searchOf(ctx context.Context, caller *account.Caller, directory *catalogue.Directory, text *string, filter *graph.VideoFilter) (search.Query, error) {
	query := search.Query{Today: r.today(), BoostPreferred: caller.Subjects}
	access, readable, err := r.accessOf(ctx, caller, filter)
	if err != nil {
		return query, err
	}
	query.Access = access
	if query.Filter, err = r.Filter(ctx, filter, access, directory); err != nil {
		return query, err
	}
	query.Filter.Nothing = query.Filter.Nothing || !readable
	if err := r.setText(&query, text, directory); err != nil {
		return query, err
	}
	r.rules.of(directory, r.Analyzer).apply(&query, r.Analyzer)
	if query.Pin, err = r.replaced(ctx, query.Pin, query.Bury); err != nil {
		return query, err
	}
	query.Meaning = r.meaningOf(ctx, query.Text)
	return query, nil
}

func (r *Resolver) explainWords(ctx context.Context, query *search.Query) ([]*graph.ExplainedWord, error) {
	text := query.Text
	words := r.Analyzer.QueryWithSynonyms(text.Words, text.SynonymGroups)
	corrections, err := r.Index.Corrections(ctx, text)
	if err != nil {
		return nil, err
	}
	explained := make([]*graph.ExplainedWord, len(words))
	for i, word := range words {
		explained[i] = &graph.ExplainedWord{Word: word.Exact, Stems: readable(word.Stems), Synonyms: []string{}, Corrections: []string{}}
		for _, phrase := range word.Phrases {
			explained[i].Synonyms = append(explained[i].Synonyms, strings.Join(phrase, " "))
		}
		if i < len(corrections) {
			explained[i].Corrections = orEmpty(corrections[i])
		}
		alone := search.Text{Words: word.Exact, SynonymGroups: text.SynonymGroups}
		if word.Exact == "" && len(word.Phrases) > 0 {
			alone.Words = explained[i].Synonyms[0]
		}
		counts, err := r.Index.Matches(ctx, alone, []search.MatchLevel{{}}, query.Access, query.Today, math.MaxInt)
		if err != nil {
			return nil, err
		}
		explained[i].Videos = counts[0]
	}
	return explained, nil
}

// explainLevels sets the level of a query as Find does, and returns all levels.
func (r *Resolver) explainLevels(ctx context.Context, query *search.Query) ([]*graph.ExplainedMatchLevel, error) {
	if query.Text.Blank() {
		return []*graph.ExplainedMatchLevel{}, nil
	}
	levels := r.levelsOf(query.Text)
	counts, err := r.Index.Matches(ctx, query.Text, levels, query.Access, query.Today, enoughMatches)
	if err != nil {
		return nil, err
	}
	chosen := search.Choose(counts, enoughMatches)
	query.Level = levels[chosen]
	if counts[chosen] >= enoughMatches { // the count stopped there
		exact, err := r.Index.Matches(ctx, query.Text, levels[chosen:chosen+1], query.Access, query.Today, math.MaxInt)
		if err != nil {
			return nil, err
		}
		counts[chosen] = exact[0]
	}
	explained := make([]*graph.ExplainedMatchLevel, len(levels))
	for i, level := range levels {
		explained[i] = &graph.ExplainedMatchLevel{TyposForgiven: level.Typos, OptionalWords: level.OptionalWords, Chosen: i == chosen}
		if counts[i] >= 0 {
			explained[i].Matches = &counts[i]
		}
	}
	return explained, nil
}

// explanation is what the explanation of a video needs.
type explanation struct {
	query  search.Query
	result *search.Result
	filter *graph.VideoFilter
	video  catalogue.ID
}

func (r *Resolver) explainVideo(ctx context.Context, directory *catalogue.Directory, e *explanation) (*graph.VideoExplanation, error) {
	explained := &graph.VideoExplanation{
		Missing: []graph.MissingReason{}, ExcludedBy: []string{}, Words: []*graph.FoundWord{},
		Pinned: slices.Contains(e.query.Pin, e.video), Buried: slices.Contains(e.query.Bury, e.video),
	}
	if place := slices.IndexFunc(e.result.Refs, func(ref catalogue.Ref) bool { return ref.ID == e.video }); place >= 0 {
		place++
		explained.Place = &place
	}
	is := r.only(ctx, e)
	states, err := r.Catalogue.States(ctx, []catalogue.ID{e.video})
	if err != nil {
		return nil, err
	}
	visible, err := is(search.Query{Access: e.query.Access})
	if err != nil {
		return nil, err
	}
	switch {
	case len(states) == 1 && !states[0].VisibleTo(e.query.Access, e.query.Today): // even if the index is behind
		explained.Missing = append(explained.Missing, graph.MissingReasonNotVisible)
	case !visible:
		explained.Missing = append(explained.Missing, graph.MissingReasonNotIndexed)
		return explained, nil
	}
	all := catalogue.Access{PrivateChannels: true}
	if explained.Words, err = r.wordsOf(ctx, is, directory, e); err != nil {
		return nil, err
	}
	matches, err := is(search.Query{Text: e.query.Text, Level: e.query.Level, Meaning: e.query.Meaning, Pin: e.query.Pin, Access: e.query.Access})
	if err != nil {
		return nil, err
	}
	if visible && !matches {
		explained.Missing = append(explained.Missing, graph.MissingReasonWords)
	}
	if explained.ExcludedBy, err = r.excludedBy(ctx, is, directory, e, all); err != nil {
		return nil, err
	}
	if len(explained.ExcludedBy) > 0 {
		explained.Missing = append(explained.Missing, graph.MissingReasonFilter)
	} else if e.query.Filter.Nothing { // by no field: the account finds no video at all
		explained.Missing = append(explained.Missing, graph.MissingReasonNoAccess)
	}
	if boosted := e.query.BoostNamed; len(boosted.Channels)+len(boosted.Subjects) > 0 {
		inChannel, err := is(search.Query{Access: all, Filter: search.Filter{Channels: append([]catalogue.ID{}, boosted.Channels...)}})
		if err != nil {
			return nil, err
		}
		inSubject, err := is(search.Query{Access: all, Filter: search.Filter{Subjects: append([]catalogue.ID{}, boosted.Subjects...)}})
		if err != nil {
			return nil, err
		}
		explained.Boosted = inChannel || inSubject
	}
	explained.Similarity, err = r.similarityOf(ctx, e)
	return explained, err
}

// only returns a function that reports whether a query finds the video.
func (r *Resolver) only(ctx context.Context, e *explanation) func(search.Query) (bool, error) {
	return func(query search.Query) (bool, error) {
		query.Today = e.query.Today
		query.Filter.IDs = []catalogue.ID{e.video}
		result, err := r.Index.Search(ctx, query)
		return err == nil && result.Total > 0, err
	}
}

// wordsOf returns the words of the query that the video has, with the texts that contain them.
func (r *Resolver) wordsOf(
	ctx context.Context, is func(search.Query) (bool, error), directory *catalogue.Directory, e *explanation,
) ([]*graph.FoundWord, error) {
	found := []*graph.FoundWord{}
	texts, err := r.textsOf(ctx, directory, e.video)
	if err != nil {
		return nil, err
	}
	for _, typed := range values.Distinct(strings.Fields(e.query.Text.Words)) {
		text := search.Text{Words: typed, SynonymGroups: e.query.Text.SynonymGroups}
		if len(r.Analyzer.Query(typed)) == 0 {
			continue
		}
		has, err := is(search.Query{Text: text, Level: search.MatchLevel{Typos: e.query.Level.Typos}, Access: catalogue.Access{PrivateChannels: true}})
		if err != nil {
			return nil, err
		}
		if has {
			found = append(found, &graph.FoundWord{Word: typed, Texts: r.textsWith(texts, typed)})
		}
	}
	return found, nil
}

// videoText is a text of a video with its stems.
type videoText struct {
	name  graph.VideoText
	stems map[string]bool
}

// textsOf returns the texts of a video, by decreasing weight.
func (r *Resolver) textsOf(ctx context.Context, directory *catalogue.Directory, id catalogue.ID) ([]videoText, error) {
	videos, err := r.Catalogue.Videos(ctx, []catalogue.ID{id})
	if err != nil || len(videos) == 0 {
		return nil, err
	}
	transcripts, err := r.Catalogue.Transcripts(ctx, []catalogue.ID{id})
	if err != nil {
		return nil, err
	}
	document := describedBy(videos[0], transcripts[id], directory)
	var texts []videoText
	for _, t := range []struct {
		name  graph.VideoText
		lines []string
	}{
		{graph.VideoTextTitle, []string{document.Title}}, {graph.VideoTextKeywords, document.Keywords},
		{graph.VideoTextSubjects, document.SubjectNames}, {graph.VideoTextChannel, []string{document.ChannelName}},
		{graph.VideoTextDescription, []string{document.Description}}, {graph.VideoTextTranscript, []string{document.Transcript}},
	} {
		text := videoText{t.name, map[string]bool{}}
		for _, line := range t.lines {
			for _, token := range r.Analyzer.Text(line, document.Language) {
				text.stems[token.Stem] = true
			}
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// describedBy returns the texts of a video as the index has them, without captions and highlights.
func describedBy(v *catalogue.Video, transcript string, directory *catalogue.Directory) search.Document {
	document := search.Document{Title: v.Title, Keywords: v.Keywords, Description: v.Description, Transcript: transcript}
	if v.Language != nil {
		document.Language = *v.Language
	}
	for _, id := range v.SubjectIDs {
		if subject := directory.Subject(id); subject != nil {
			document.SubjectNames = append(document.SubjectNames, subject.Name)
		}
	}
	if channel := directory.Channel(v.ChannelID); channel != nil {
		document.ChannelName = channel.Name
	}
	return document
}

// textsWith returns the names of the texts that contain a word.
func (r *Resolver) textsWith(texts []videoText, typed string) []graph.VideoText {
	names := []graph.VideoText{}
	for _, word := range r.Analyzer.Query(typed) {
		for _, text := range texts {
			if slices.ContainsFunc(word.Stems, func(stem string) bool { return text.stems[stem] }) && !slices.Contains(names, text.name) {
				names = append(names, text.name)
			}
		}
	}
	return names
}

// excludedBy returns the fields of the filter, as the schema names them, each of which excludes the video by itself.
func (r *Resolver) excludedBy(
	ctx context.Context, is func(search.Query) (bool, error), directory *catalogue.Directory, e *explanation, access catalogue.Access,
) ([]string, error) {
	names := []string{}
	if e.filter == nil {
		return names, nil
	}
	fields := reflect.ValueOf(e.filter).Elem()
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		if fields.Field(i).IsZero() || field.Name == "ContentPackage" {
			continue
		}
		alone := &graph.VideoFilter{}
		reflect.ValueOf(alone).Elem().Field(i).Set(fields.Field(i))
		filter, err := r.Filter(ctx, alone, access, directory)
		if err != nil {
			return nil, err
		}
		passes := filter.IDs == nil || slices.Contains(filter.IDs, e.video)
		if passes {
			if passes, err = is(search.Query{Filter: filter, Access: access}); err != nil {
				return nil, err
			}
		}
		if !passes {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names, nil
}

// similarityOf returns the similarity of the video to the meaning of the query.
func (r *Resolver) similarityOf(ctx context.Context, e *explanation) (*float64, error) {
	if e.query.Meaning == nil {
		return nil, nil
	}
	stored, err := r.Catalogue.OwnedItems(ctx, catalogue.KindEmbedding, []catalogue.ID{e.video})
	if err != nil || len(stored) == 0 {
		return nil, err
	}
	var greatest *float64
	for bytes := range slices.Chunk(stored[0].(*catalogue.Embedding).Vectors, stored[0].(*catalogue.Embedding).Dimensions) {
		similarity := float64(search.VectorOf(bytes).Similarity(e.query.Meaning.Vector))
		if greatest == nil || similarity > *greatest {
			greatest = &similarity
		}
	}
	return greatest, nil
}

// readable returns distinct stems without the marks of their languages.
func readable(stems []string) []string {
	list := []string{}
	for _, stem := range stems {
		stem = strings.TrimFunc(stem, unicode.IsControl)
		if !slices.Contains(list, stem) {
			list = append(list, stem)
		}
	}
	return list
}

func orEmpty[T any](list []T) []T { return append([]T{}, list...) }
