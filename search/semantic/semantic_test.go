package semantic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/semantic"
)

func TestPassages(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for name, test := range map[string]struct {
		document search.Document
		want     []int // words of each passage, without the title
	}{
		"a title alone":     {search.Document{}, []int{0}},
		"a description":     {search.Document{Description: words(20), Keywords: []string{"one", "two three"}}, []int{23}},
		"a transcript":      {search.Document{Description: words(20), Transcript: words(181)}, []int{20, 90, 91}},
		"a long transcript": {search.Document{Description: words(200), Transcript: words(6000)}, []int{100, 100, 1000, 1000, 1000, 1000, 1000, 1000}},
		"a long text":       {search.Document{Description: words(4000)}, []int{1000, 1000, 1000, 1000}},
	} {
		test.document.Title = "Title"
		passages := semantic.Passages(&test.document)
		var got []int
		for _, passage := range passages {
			rest, ok := strings.CutPrefix(passage, "Title")
			if !ok {
				t.Errorf("%s: a passage starts with %.20q", name, passage)
			}
			got = append(got, len(strings.Fields(strings.TrimPrefix(rest, "."))))
		}
		if fmt.Sprint(got) != fmt.Sprint(test.want) || len(got) > catalogue.MaxPassages {
			t.Errorf("%s: passages of %v words, want %v", name, got, test.want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	of := semantic.Fingerprint("model", []string{"a", "b"})
	for _, other := range []string{
		semantic.Fingerprint("other", []string{"a", "b"}), semantic.Fingerprint("model", []string{"ab"}),
		semantic.Fingerprint("model", []string{"a", "c"}), semantic.Fingerprint("model", []string{"a"}),
	} {
		if other == of {
			t.Error("two lists of passages have one fingerprint")
		}
	}
}

// TestServiceAnswers checks that an answer that is no list of vectors is an error that says why, and never a vector.
func TestServiceAnswers(t *testing.T) {
	vector := func(index int, components string) string {
		return fmt.Sprintf(`{"index": %d, "embedding": [%s]}`, index, components)
	}
	for name, test := range map[string]struct {
		status int
		body   string
		want   string // in the error; "": none
	}{
		"two vectors":            {200, `{"data": [` + vector(1, "0,1") + `,` + vector(0, "1,0") + `]}`, ""},
		"a status":               {429, `slow down`, "answered status 429: slow down"},
		"a redirect":             {302, ``, "answered status 302"},
		"no JSON":                {200, `<html>`, "answered no list of vectors"},
		"one vector":             {200, `{"data": [` + vector(0, "1,0") + `]}`, "answered 1 vectors for 2 texts"},
		"no data":                {200, `{}`, "answered 0 vectors for 2 texts"},
		"one vector twice":       {200, `{"data": [` + vector(0, "1,0") + `,` + vector(0, "1,0") + `]}`, "a vector with the index 0 for 2 texts"},
		"an index out of range":  {200, `{"data": [` + vector(0, "1,0") + `,` + vector(2, "1,0") + `]}`, "a vector with the index 2 for 2 texts"},
		"vectors of two lengths": {200, `{"data": [` + vector(0, "1,0") + `,` + vector(1, "1,0,0") + `]}`, "vectors of 2 and of 3 dimensions"},
		"an empty vector":        {200, `{"data": [` + vector(0, "") + `,` + vector(1, "1") + `]}`, "a vector of 0 dimensions"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api/v1/embeddings" || r.Header.Get("Authorization") != "Bearer secret" {
				t.Errorf("a request to %s with %q", r.URL, r.Header.Get("Authorization"))
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		}))
		defer server.Close()
		service := semantic.NewService(semantic.Options{URL: server.URL + "/api/v1/", Model: "m", Key: "secret"})
		vectors, err := service.Embed(t.Context(), []string{"a", "b"})
		switch {
		case test.want == "":
			if err != nil || len(vectors) != 2 || fmt.Sprint(vectors) != "[[127 0] [0 127]]" {
				t.Errorf("%s: %v, %v", name, vectors, err)
			}
		case vectors != nil || fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: %v, %v, want an error with %q", name, vectors, err, test.want)
		}
	}
}

// FuzzAnswer checks that no answer of a service causes a panic or a vector of another length than the others.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"data": [{"index": 0, "embedding": [1, 0.5]}], "usage": {"total_tokens": 3}}`))
	f.Add([]byte(`{"data": [{"index": -1, "embedding": [1e300]}]}`))
	f.Add([]byte(`{"data": [{"embedding": [0, 0]}]}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(answer) }))
		defer server.Close()
		vectors, err := semantic.NewService(semantic.Options{URL: server.URL, Model: "m"}).Embed(t.Context(), []string{"a"})
		if err == nil && (len(vectors) != 1 || len(vectors[0]) == 0) {
			t.Errorf("%s: %v", answer, vectors)
		}
		if err == nil && !json.Valid(answer) {
			t.Errorf("%s is not JSON", answer)
		}
	})
}

// TestMeaningIsNotAwaited checks that a search does not wait until a slow service answers, and that a later one finds the
// vector.
func TestMeaningIsNotAwaited(t *testing.T) {
	release, texts := make(chan struct{}), atomic.Int64{}
	embed := func() ([]search.Vector, error) {
		<-release
		texts.Add(1)
		return []search.Vector{{1}}, nil
	}
	questions := semantic.NewQuestions(semantic.QuestionOptions{Embedder: embedderFunc(embed), Patience: 20 * time.Millisecond, Least: 0.5})
	if m := questions.Meaning(t.Context(), "plants"); m != nil {
		t.Errorf("without a vector, the meaning is %+v", m)
	}
	close(release)
	for deadline := time.Now().Add(10 * time.Second); questions.Meaning(t.Context(), "plants") == nil; {
		if time.Now().After(deadline) {
			t.Fatal("the vector was not kept")
		}
	}
	before := questions.Stats().Remembered
	if m := questions.Meaning(t.Context(), "  plants "); m == nil || m.Least != 0.5 || questions.Stats().Remembered != before+1 {
		t.Errorf("%+v, %+v", m, questions.Stats())
	}
	if n := texts.Load(); n != 1 || questions.Stats().Missed < 1 {
		t.Errorf("%d texts were embedded, %+v", n, questions.Stats())
	}
}

// TestFewQuestionsAreAsked checks that a service that hangs is asked for a bounded number of texts at a time.
func TestFewQuestionsAreAsked(t *testing.T) {
	release, asked := make(chan struct{}), atomic.Int64{}
	questions := semantic.NewQuestions(semantic.QuestionOptions{Patience: time.Millisecond, Embedder: embedderFunc(func() ([]search.Vector, error) {
		asked.Add(1)
		<-release
		return []search.Vector{{1}}, nil
	})})
	for n := range 200 {
		if questions.Meaning(t.Context(), fmt.Sprint("text ", n)) != nil {
			t.Fatal("a meaning without a vector")
		}
	}
	if n := asked.Load(); n < 1 || n > 40 {
		t.Errorf("%d texts are asked for at the same time", n)
	}
	close(release)
	for deadline := time.Now().Add(10 * time.Second); questions.Meaning(t.Context(), "another text") == nil; {
		if time.Now().After(deadline) {
			t.Fatal("no meaning after the service works again")
		}
	}
}

type embedderFunc func() ([]search.Vector, error)

func (f embedderFunc) Embed(context.Context, []string) ([]search.Vector, error) { return f() }

// TestQuantize checks that quantized vectors keep the angles between them.
func TestQuantize(t *testing.T) {
	a, b := search.Quantize([]float32{0.6, 0.8, 0}), search.Quantize([]float32{0.8, 0.6, 0})
	for _, test := range []struct {
		other search.Vector
		want  float32
	}{
		{a, 1}, {b, 0.96}, {search.Quantize([]float32{0, 0, 5}), 0}, {search.Quantize([]float32{-6, -8, 0}), -1},
		{search.Quantize([]float32{0, 0, 0}), 0}, {search.Vector{1}, 0},
	} {
		if got := a.Similarity(test.other); got < test.want-0.005 || got > test.want+0.005 {
			t.Errorf("the similarity to %v is %v, want %v", test.other, got, test.want)
		}
	}
}
