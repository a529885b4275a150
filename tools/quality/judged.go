package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// The ends of the names of a judged collection's files. Each line of the first is a document, each of the second a
// question with its relevant documents.
const (
	documentsFile = "-docs.jsonl"
	questionsFile = "-queries.jsonl"
)

// judgedDepth is the number of results of which recall is measured.
const judgedDepth = 100

// longestQuestion is the number of characters of a question that are asked. The API accepts 2,000.
const longestQuestion = 1990

// judgedDocument is a document of a judged collection.
type judgedDocument struct{ ID, Title, Text string }

// judgedQuestion is a question; Relevant contains the grades of relevant documents, 1 or more, by ID.
type judgedQuestion struct {
	ID, Text string
	Relevant map[string]int
}

// evaluation contains the measures of one collection, by question.
type evaluation struct {
	name                string
	documents           int
	ndcg, recall, spent []float64 // spent is in seconds
	few, empty          int       // questions with fewer than ten results, and with none
}

// evaluateAll measures the collections in a folder and prints a table.
func evaluateAll(ctx context.Context, folder string, e engineSettings, out io.Writer) error {
	names, err := filepath.Glob(filepath.Join(folder, "*"+documentsFile))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("%s has no files *%s", folder, documentsFile)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "collection\tdocuments\tquestions\tnDCG@%d\trecall@%d\tfewer than %d results\tno results\ttime\n", shownHits, judgedDepth, shownHits)
	for _, name := range names {
		j, err := evaluate(ctx, strings.TrimSuffix(name, documentsFile), e)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\t%d\t%d\t%s\n", j.name, j.documents, len(j.ndcg), interval(j.ndcg), interval(j.recall), j.few, j.empty,
			time.Duration(mean(j.spent)*float64(time.Second)).Round(time.Microsecond))
	}
	return table.Flush()
}

// evaluate asks all questions of a collection, whose files have a common beginning.
func evaluate(ctx context.Context, collection string, e engineSettings) (*evaluation, error) {
	l, ids, err := judgedLibrary(collection + documentsFile)
	if err != nil {
		return nil, err
	}
	questions, err := readLines[judgedQuestion](collection + questionsFile)
	if err != nil {
		return nil, err
	}
	ours, err := openFilmstrip(ctx, l, e)
	if err != nil {
		return nil, err
	}
	defer ours.index.Close()
	j := &evaluation{name: filepath.Base(collection), documents: len(l.documents)}
	for _, question := range questions {
		text, start := []rune(question.Text), time.Now()
		found, err := ours.search(ctx, string(text[:min(len(text), longestQuestion)]), judgedDepth)
		if err != nil {
			return nil, fmt.Errorf("%s: question %s: %w", collection, question.ID, err)
		}
		j.spent = append(j.spent, time.Since(start).Seconds())
		names := make([]string, len(found))
		for i, id := range found {
			names[i] = ids[id]
		}
		j.ndcg = append(j.ndcg, ndcg(names[:min(len(names), shownHits)], question.Relevant))
		j.recall = append(j.recall, recall(names, question.Relevant))
		if len(found) < shownHits {
			j.few++
		}
		if len(found) == 0 {
			j.empty++
		}
	}
	return j, nil
}

// judgedLibrary turns documents into videos: in one channel, released on one day, with the text as description. A
// document without a title has its first eight words as title. The title ends with the ID of the document.
func judgedLibrary(name string) (l *library, ids map[catalogue.ID]string, err error) {
	documents, err := readLines[judgedDocument](name)
	if err != nil {
		return nil, nil, err
	}
	channel := &catalogue.Channel{Meta: catalogue.Meta{ID: catalogue.DeriveID(catalogue.KindChannel, "judged", "all")}, Name: "All"}
	l, ids = &library{directory: catalogue.NewDirectory(1, []catalogue.Item{channel})}, map[catalogue.ID]string{}
	for i, d := range documents {
		title := d.Title
		if title == "" {
			words := strings.Fields(d.Text)
			title = strings.Join(words[:min(8, len(words))], " ")
		}
		v := &catalogue.Video{Title: title + " #" + d.ID, Description: d.Text, ChannelID: channel.ID, ReleasedOn: catalogue.DateOf(time.Unix(0, 0))}
		v.ID, v.Version, v.Sequence = catalogue.DeriveID(catalogue.KindVideo, "judged", d.ID), 1, int64(i+1)
		ids[v.ID] = d.ID
		l.add(v)
	}
	return l, ids, nil
}

// readLines reads a file of JSON lines.
func readLines[T any](name string) (list []T, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for lines := json.NewDecoder(file); ; {
		var one T
		switch err := lines.Decode(&one); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("%s: line %d: %w", name, len(list)+1, err)
		}
		list = append(list, one)
	}
}

// ndcg returns the normalized discounted cumulative gain of a list of results, with the gain 2^grade-1.
func ndcg(found []string, relevant map[string]int) float64 {
	gain := func(grade, place int) float64 { return (math.Exp2(float64(grade)) - 1) / math.Log2(float64(place)+2) }
	got, best := 0.0, 0.0
	for place, id := range found {
		got += gain(relevant[id], place)
	}
	var grades []int
	for _, grade := range relevant {
		grades = append(grades, grade)
	}
	slices.SortFunc(grades, func(a, b int) int { return b - a })
	for place, grade := range grades[:min(len(grades), shownHits)] {
		best += gain(grade, place)
	}
	if best == 0 {
		return 0
	}
	return got / best
}

// recall returns the share of the relevant documents that were found.
func recall(found []string, relevant map[string]int) float64 {
	hits := 0
	for _, id := range found {
		if relevant[id] > 0 {
			hits++
		}
	}
	return float64(hits) / float64(max(1, len(relevant)))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	return sum / float64(max(1, len(values)))
}

// interval returns a mean with its 95 % confidence interval, from 2,000 bootstrap samples of the questions.
func interval(values []float64) string {
	const samples = 2000
	rng := rand.New(rand.NewPCG(1, 1))
	means, sample := make([]float64, samples), make([]float64, len(values))
	for i := range means {
		for k := range sample {
			sample[k] = values[rng.IntN(len(values))]
		}
		means[i] = mean(sample)
	}
	slices.Sort(means)
	return fmt.Sprintf("%.3f (%.3f–%.3f)", mean(values), means[samples*25/1000], means[samples*975/1000])
}
