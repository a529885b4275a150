package main

import (
	"context"
	"iter"
	"os"
	"strconv"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// shownHits is the number of results that a user looks at.
const shownHits = 10

// engine returns the IDs of the first results for a text, at most shownHits.
type engine interface {
	find(ctx context.Context, text string) ([]catalogue.ID, error)
}

// engineSettings select the engine that is measured.
type engineSettings struct {
	typesense string    // the address of a server, whose key is in TYPESENSE_API_KEY; "": the embedded index
	meanings  *meanings // nil: search uses words alone
}

// open opens an empty index.
func (e engineSettings) open(ctx context.Context, analyzer *analysis.Analyzer) (search.Index, error) {
	model := ""
	if e.meanings != nil {
		model = e.meanings.service.Model()
	}
	if e.typesense == "" {
		return embedded.Open(embedded.Options{Analyzer: analyzer, Model: model})
	}
	return typesense.Open(ctx, typesense.Options{
		Addresses: []string{e.typesense}, Key: os.Getenv("TYPESENSE_API_KEY"), Namespace: "quality-" + strconv.FormatInt(time.Now().UnixNano(), 36),
		Analyzer: analyzer, Model: model,
	})
}

// filmstrip searches an index as the domain does.
type filmstrip struct {
	index     search.Index
	analyzer  *analysis.Analyzer
	directory *catalogue.Directory
	engineSettings
	today catalogue.Date
}

// openFilmstrip fills an index with a library: the embedded one, or that of a Typesense server.
func openFilmstrip(ctx context.Context, l *library, e engineSettings) (*filmstrip, error) {
	if err := e.meanings.addTo(ctx, l.documents); err != nil {
		return nil, err
	}
	analyzer := analysis.New(analysis.Synonyms{})
	opened, err := e.open(ctx, analyzer)
	if err != nil {
		return nil, err
	}
	var documents iter.Seq2[search.Document, error] = func(yield func(search.Document, error) bool) {
		for _, d := range l.documents {
			if !yield(d, nil) {
				return
			}
		}
	}
	f := &filmstrip{index: opened, analyzer: analyzer, directory: l.directory, engineSettings: e, today: catalogue.DateOf(time.Now())}
	return f, opened.Rebuild(ctx, 1, documents)
}

func (f *filmstrip) find(ctx context.Context, text string) ([]catalogue.ID, error) {
	return f.search(ctx, text, shownHits)
}

// search returns up to size results.
func (f *filmstrip) search(ctx context.Context, text string, size int) ([]catalogue.ID, error) {
	const enough = 10 // as in the domain
	q := search.Query{Text: search.ParseText(text), Today: f.today, Size: size}
	var err error
	if q.Meaning, err = f.meanings.of(ctx, q.Text); err != nil {
		return nil, err
	}
	steps := search.MatchLevels(len(f.analyzer.Query(q.Text.Words)))
	counts, err := f.index.Matches(ctx, q.Text, steps, q.Access, q.Today, enough)
	if err != nil {
		return nil, err
	}
	q.Level = steps[search.Choose(counts, enough)]
	if channel := f.directory.ChannelNamed(q.Text.Words); channel != nil {
		q.BoostNamed.Channels = []catalogue.ID{channel.ID}
	}
	if subject := f.directory.SubjectNamed(q.Text.Words); subject != nil {
		q.BoostNamed.Subjects = []catalogue.ID{subject.ID}
	}
	result, err := f.index.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	ids := make([]catalogue.ID, len(result.Refs))
	for i, ref := range result.Refs {
		ids[i] = ref.ID
	}
	return ids, nil
}

// bleveEngine matches any word in every field and adds the scores.
type bleveEngine struct {
	index     bleve.Index
	fuzziness int
}

// bleveFields are the fields that bleve searches, with their boosts.
var bleveFields = map[string]float64{
	"title": 3, "keywords": 1, "subjects": 1, "channel": 1, "description": 1, "transcript": 1,
}

func openBleve(l *library) (bleve.Index, error) {
	opened, err := bleve.NewMemOnly(bleveMapping())
	if err != nil {
		return nil, err
	}
	batch := opened.NewBatch()
	for i, d := range l.documents {
		fields := map[string]any{
			"title": d.Title, "keywords": d.Keywords, "subjects": d.SubjectNames, "channel": d.ChannelName,
			"description": d.Description, "transcript": d.Transcript,
		}
		if err := batch.Index(string(d.ID), fields); err != nil {
			return nil, err
		}
		if batch.Size() == 2000 || i == len(l.documents)-1 {
			if err := opened.Batch(batch); err != nil {
				return nil, err
			}
			batch.Reset()
		}
	}
	return opened, nil
}

func bleveMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	m.ScoringModel = index.BM25Scoring
	m.DefaultAnalyzer = en.AnalyzerName
	text := bleve.NewTextFieldMapping()
	text.Store, text.IncludeInAll, text.DocValues = false, false, false
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	for name := range bleveFields {
		m.DefaultMapping.AddFieldMappingsAt(name, text)
	}
	return m
}

func (b bleveEngine) find(ctx context.Context, text string) ([]catalogue.ID, error) {
	var fields []query.Query
	for name, boost := range bleveFields {
		match := bleve.NewMatchQuery(text)
		match.SetField(name)
		match.SetBoost(boost)
		match.SetFuzziness(b.fuzziness)
		fields = append(fields, match)
	}
	request := bleve.NewSearchRequestOptions(bleve.NewDisjunctionQuery(fields...), shownHits, 0, false)
	result, err := b.index.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	ids := make([]catalogue.ID, len(result.Hits))
	for i, hit := range result.Hits {
		ids[i] = catalogue.ID(hit.ID)
	}
	return ids, nil
}
