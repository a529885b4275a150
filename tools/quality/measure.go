package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/search"
)

// settings configure a measurement.
type settings struct {
	seed      uint64
	questions int // the maximum per kind
	tune      bool
	fuzzy     bool // query bleve with fuzziness 1 as well
	misses    int
	engine    engineSettings
}

// question is a text that should find one video, or another one with the same title or description as the text's
// source.
type question struct {
	text string
	same map[catalogue.ID]bool
}

// kinds are the kinds of questions. A kind may return "" for no question.
var kinds = []struct {
	name string
	// text returns the source of the question, draw the question.
	text func(*search.Document) string
	draw func(*rand.Rand, string) string
}{
	{"exact titles", title, func(_ *rand.Rand, text string) string { return text }},
	{"titles with a typo", title, typo},
	{"long questions", description, longQuestion},
}

func title(d *search.Document) string       { return d.Title }
func description(d *search.Document) string { return d.Description }

// typo yields no question if the title has no word that is long enough.
func typo(rng *rand.Rand, text string) string {
	misspelt := generate.Misspell(rng, text)
	if misspelt == strings.Join(strings.Fields(text), " ") || misspelt == text {
		return ""
	}
	return misspelt
}

// longQuestion yields a question of 10 to 30 words.
func longQuestion(rng *rand.Rand, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	asked := strings.ReplaceAll(generate.Question(rng, text), `"`, "")
	if n := len(strings.Fields(asked)); n < 10 || n > 30 {
		return ""
	}
	return asked
}

// draw draws the questions of a kind from one half of the library.
func draw(l *library, kind int, s settings) []question {
	k := kinds[kind]
	same := map[string]map[catalogue.ID]bool{}
	for i := range l.documents {
		text := catalogue.FoldName(k.text(&l.documents[i]))
		if same[text] == nil {
			same[text] = map[catalogue.ID]bool{}
		}
		same[text][l.documents[i].ID] = true
	}
	halves := rand.New(rand.NewPCG(s.seed, 1))
	rng := rand.New(rand.NewPCG(s.seed, uint64(2+kind)))
	var questions []question
	for _, i := range halves.Perm(len(l.documents)) {
		if tuned := i%2 == 0; tuned != s.tune {
			continue
		}
		text := k.text(&l.documents[i])
		if asked := k.draw(rng, text); asked != "" && len(questions) < s.questions {
			questions = append(questions, question{asked, same[catalogue.FoldName(text)]})
		}
	}
	return questions
}

// row is the result for one kind of questions.
type row struct {
	kind      string
	questions int
	found     []int // by engine
	times     []time.Duration
	missed    []string
}

func (r row) share(engine int) float64 {
	return float64(r.found[engine]) / float64(max(1, r.questions))
}

type report struct {
	videos  int
	half    string
	engines []string
	rows    []row
}

// measure sends all questions to every engine.
func measure(ctx context.Context, l *library, s settings) (*report, error) {
	ours, err := openFilmstrip(ctx, l, s.engine)
	if err != nil {
		return nil, err
	}
	defer ours.index.Close()
	theirs, err := openBleve(l)
	if err != nil {
		return nil, err
	}
	defer theirs.Close()

	r := &report{videos: len(l.documents), half: "reported", engines: []string{"filmstrip", "bleve"}}
	if s.tune {
		r.half = "tuned"
	}
	engines := []engine{ours, bleveEngine{theirs, 0}}
	if s.fuzzy {
		r.engines, engines = append(r.engines, "bleve, fuzziness 1"), append(engines, bleveEngine{theirs, 1})
	}
	for kind := range kinds {
		row, err := ask(ctx, engines, draw(l, kind, s), s.misses)
		if err != nil {
			return nil, err
		}
		row.kind = kinds[kind].name
		r.rows = append(r.rows, row)
	}
	return r, nil
}

func ask(ctx context.Context, engines []engine, questions []question, misses int) (row, error) {
	r := row{questions: len(questions), found: make([]int, len(engines)), times: make([]time.Duration, len(engines))}
	for _, q := range questions {
		hits := make([]bool, len(engines))
		for e, engine := range engines {
			start := time.Now()
			ids, err := engine.find(ctx, q.text)
			r.times[e] += time.Since(start)
			if err != nil {
				return row{}, fmt.Errorf("%q: %w", q.text, err)
			}
			if hits[e] = slices.ContainsFunc(ids, func(id catalogue.ID) bool { return q.same[id] }); hits[e] {
				r.found[e]++
			}
		}
		if !hits[0] && hits[1] && len(r.missed) < misses {
			r.missed = append(r.missed, q.text)
		}
	}
	return r, nil
}

func (r *report) print(out io.Writer) error {
	fmt.Fprintf(out, "success@%d, %d videos, the %s half; a video of the same title (or description) counts\n\n", shownHits, r.videos, r.half)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\tquestions")
	for _, name := range r.engines {
		fmt.Fprintf(table, "\t%s", name)
	}
	fmt.Fprintln(table)
	for _, row := range r.rows {
		fmt.Fprintf(table, "%s\t%d", row.kind, row.questions)
		for e := range r.engines {
			fmt.Fprintf(table, "\t%.2f %% (%s)", 100*row.share(e), (row.times[e] / time.Duration(max(1, row.questions))).Round(time.Microsecond))
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, row := range r.rows {
		for _, text := range row.missed {
			fmt.Fprintf(out, "missed, %s: %s\n", row.kind, text)
		}
	}
	return nil
}
