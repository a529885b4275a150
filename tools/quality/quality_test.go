package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/generate"
)

// TestSearchIsNotBelowBleve verifies with a small measurement, which the command makes in full, that search finds at
// least as many videos as bleve.
func TestSearchIsNotBelowBleve(t *testing.T) {
	l := generatedLibrary(generate.Options{Videos: 1000, Seed: 3})
	report, err := measure(t.Context(), l, settings{seed: 3, questions: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range report.rows {
		if row.questions < 50 {
			t.Errorf("%s: %d questions only", row.kind, row.questions)
		}
		if ours, theirs := row.found[0], row.found[1]; ours < theirs || row.share(0) < 0.95 {
			t.Errorf("%s: ours finds %d of %d, bleve %d", row.kind, ours, row.questions, theirs)
		}
	}
}

// TestHalvesShareNoVideo verifies that the tuned half and the reported half have no video in common.
func TestHalvesShareNoVideo(t *testing.T) {
	l := generatedLibrary(generate.Options{Videos: 200, Seed: 1})
	tuned := map[string]bool{}
	for _, q := range draw(l, 0, settings{seed: 1, questions: 1000, tune: true}) {
		tuned[q.text] = true
	}
	reported := draw(l, 0, settings{seed: 1, questions: 1000})
	if len(tuned) == 0 || len(reported) == 0 {
		t.Fatalf("%d and %d questions", len(tuned), len(reported))
	}
	for _, q := range reported {
		if tuned[q.text] && len(q.same) == 1 {
			t.Errorf("%q is in both halves", q.text)
		}
	}
}

// TestQuestions verifies that questions with a typo differ from all titles, and that long questions have 10 to 30
// words.
func TestQuestions(t *testing.T) {
	l := generatedLibrary(generate.Options{Videos: 300, Seed: 1})
	titles := map[string]bool{}
	for _, d := range l.documents {
		titles[d.Title] = true
	}
	for _, q := range draw(l, 1, settings{seed: 1, questions: 1000}) {
		if titles[q.text] {
			t.Errorf("%q has no typo", q.text)
		}
	}
	for _, q := range draw(l, 2, settings{seed: 1, questions: 1000}) {
		if n := len(strings.Fields(q.text)); n < 10 || n > 30 {
			t.Errorf("%q has %d words", q.text, n)
		}
	}
}

// TestCommand verifies that the command prints the table, and fails without a catalogue or with a missing file.
func TestCommand(t *testing.T) {
	var out bytes.Buffer
	if err := realMain(t.Context(), []string{"--generate", "60", "--queries", "5"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"exact titles", "titles with a typo", "long questions", "bleve", "the reported half"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
	if err := realMain(t.Context(), nil, &out); err == nil {
		t.Error("without a catalogue: no error")
	}
	if err := realMain(t.Context(), []string{"no such file"}, &out); err == nil {
		t.Error("without its file: no error")
	}
}
