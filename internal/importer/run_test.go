package importer_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// These constants are the lines of a small catalogue.
const (
	channelLine = `{"format":1,"kind":"channel","ref":"c","name":"Channel"}` + "\n"
	subjectLine = `{"format":1,"kind":"subject","ref":"s","name":"Subject"}` + "\n"
)

func videoLine(ref, more string) string {
	return `{"format":1,"kind":"video","ref":"` + ref + `","title":"Title of ` + ref + `","channel":"c","releasedOn":"2020-01-01",` +
		`"playback":{"provider":"YOUTUBE","duration":60}` + more + "}\n"
}

func textInput(name, text string) importer.Input {
	return importer.Input{Name: name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}

// outcome is the report of a run.
type outcome struct {
	importer.Summary
	faults []string
}

// imported runs an import of texts with the given options. The texts are named "1.jsonl" and so on.
func imported(t testing.TB, c store.Catalogue, options importer.Options, texts ...string) outcome {
	t.Helper()
	for i, text := range texts {
		options.Inputs = append(options.Inputs, textInput(fmt.Sprintf("%d.jsonl", i+1), text))
	}
	var o outcome
	options.Report = func(problem importer.Fault) { o.faults = append(o.faults, problem.String()) }
	summary, err := importer.Run(t.Context(), c, options)
	if err != nil {
		t.Fatal(err)
	}
	o.Summary = summary
	return o
}

func (o outcome) expect(t testing.TB, want importer.Counts, faults ...string) {
	t.Helper()
	if diff := cmp.Diff(want, o.Counts); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(faults, o.faults); diff != "" {
		t.Error(diff)
	}
}

func idOf(kind catalogue.Kind, ref string) catalogue.ID {
	return catalogue.DeriveID(kind, "default", ref)
}

func video(t testing.TB, c store.Catalogue, ref string) *catalogue.Video {
	t.Helper()
	videos, err := c.Videos(t.Context(), []catalogue.ID{idOf(catalogue.KindVideo, ref)})
	if err != nil {
		t.Fatal(err)
	}
	if len(videos) == 0 {
		return nil
	}
	return videos[0]
}

func TestASecondRunChangesNothing(t *testing.T) {
	c := openStore(t)
	text := channelLine + subjectLine + videoLine("v", `,"subjects":["s"],"transcript":"Words."`) + videoLine("w", ``)
	imported(t, c, importer.Options{}, text).expect(t, importer.Counts{Added: 4})
	before, head := video(t, c, "v"), must(c.Head(t.Context()))
	time.Sleep(time.Millisecond) // UpdatedAt has microsecond resolution

	imported(t, c, importer.Options{}, text).expect(t, importer.Counts{Unchanged: 4})
	if diff := cmp.Diff(before, video(t, c, "v")); diff != "" {
		t.Error(diff)
	}
	if now := must(c.Head(t.Context())); now != head {
		t.Errorf("the log went from %d to %d", head, now)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestBadLinesAreReportedAndOthersImported(t *testing.T) {
	c := openStore(t)
	o := imported(t, c, importer.Options{},
		"\ufeff"+channelLine+"\n  \n"+`{"format":1,"kind":"video","id":"x"}`+"\r\n"+videoLine("v", ``),
		videoLine("w", `,"promoted":1,"language":"klingon"`)+videoLine("x", `,"subjects":["nowhere"]`)+
			strings.TrimSuffix(videoLine("y", ``), "\n"))
	o.expect(t, importer.Counts{Added: 3, Rejected: 3},
		`1.jsonl:4: id: "x" is not 24 lower-case hexadecimal characters`,
		`2.jsonl:1: promoted: 1 is not true or false`,
		`2.jsonl:1: language: "klingon" is not an ISO 639-2 language code`,
		`2.jsonl:2: subjects[0]: there is no subject "nowhere" of the source "default"`)
	if video(t, c, "v") == nil || video(t, c, "y") == nil || video(t, c, "w") != nil || video(t, c, "x") != nil {
		t.Error("the wrong lines were imported")
	}
	if diff := cmp.Diff(importer.Counts{Added: 2, Rejected: 3}, o.ByKind[catalogue.KindVideo]); diff != "" {
		t.Error(diff)
	}
}

func TestLinesMayComeInAnyOrder(t *testing.T) {
	for _, size := range []int{1, 2, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			c := openStore(t)
			text := videoLine("v", `,"subjects":["s"]`) + videoLine("v", `,"subjects":["s"],"description":"Later."`) +
				`{"format":1,"kind":"channel","ref":"c","name":"Channel","contract":"x"}` + "\n" +
				`{"format":1,"kind":"contract","ref":"x","name":"Contract"}` + "\n" + subjectLine
			o := imported(t, c, importer.Options{BatchSize: size}, text)
			if o.Rejected != 0 || o.Added != 4 {
				t.Errorf("%v %v", o.Counts, o.faults)
			}
			if v := video(t, c, "v"); v == nil || v.Description != "Later." {
				t.Errorf("a line that was put aside was laid over a later one: %+v", v)
			}
		})
	}
}

func TestNamesMayChangeHands(t *testing.T) {
	c := openStore(t)
	tag := func(ref, label string) string {
		return `{"format":1,"kind":"tag","ref":"` + ref + `","label":"` + label + `"}` + "\n"
	}
	imported(t, c, importer.Options{}, tag("a", "One")+tag("b", "Two"))
	imported(t, c, importer.Options{}, tag("b", "One")+tag("a", "Three")).expect(t, importer.Counts{Changed: 2})
}

func TestThingsRepeatedWithinARunCountOnce(t *testing.T) {
	for _, size := range []int{1, 3, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			c := openStore(t)
			text := strings.Repeat(channelLine, 5) + videoLine("v", ``) + channelLine + videoLine("v", ``)
			imported(t, c, importer.Options{BatchSize: size}, text).expect(t, importer.Counts{Added: 2, Unchanged: 6})
		})
	}
}

func TestLaterLinesAreLaidOverEarlierOnes(t *testing.T) {
	for _, size := range []int{1, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			c := openStore(t)
			text := channelLine + videoLine("v", `,"description":"Old.","promoted":true`) +
				`{"format":1,"kind":"video","ref":"v","description":"New."}` + "\n" +
				`{"format":1,"kind":"video","ref":"v","channel":"nowhere"}` + "\n" +
				`{"format":1,"kind":"video","ref":"v","keywords":["k"]}` + "\n"
			o := imported(t, c, importer.Options{BatchSize: size}, text)
			v := video(t, c, "v")
			if v.Description != "New." || !v.Promoted || len(v.Keywords) != 1 || o.Rejected != 1 {
				t.Errorf("%+v, %d rejected", v, o.Rejected)
			}
		})
	}
}

// TestBatchesDoNotShow checks that the resulting catalogue does not depend on how lines are split into batches.
func TestBatchesDoNotShow(t *testing.T) {
	line := rapid.Custom(func(t *rapid.T) string {
		ref := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "ref")
		value := rapid.SampledFrom([]string{"one", "two", "three"}).Draw(t, "value")
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0:
			return `{"format":1,"kind":"subject","ref":"` + ref + `","name":"` + ref + value + `"}`
		case 1:
			return `{"format":1,"kind":"channel","ref":"` + ref + `","name":"` + ref + ref + `","notes":"` + value + `"}`
		case 2:
			return `{"format":1,"kind":"video","ref":"` + ref + `","description":"` + value + `"}`
		case 3:
			return `{"format":1,"kind":"video","ref":"` + ref + `","promoted":"` + value + `"}`
		case 4:
			return `{"format":1,"kind":"captions","video":"` + ref + `","language":"eng","cues":[{"start":1,"end":2,"text":"` + value + `"}]}`
		case 5:
			return `{"format":1,"kind":"highlight","ref":"` + ref + `","video":"` + ref + `","start":1,"end":2,"title":"` + value + `"}`
		}
		return `{"format":1,"kind":"video","ref":"` + ref + `","title":"` + value + `","channel":"` + ref + `","subjects":["` +
			rapid.SampledFrom([]string{"a", "b", "d"}).Draw(t, "subject") + `"],"releasedOn":"2020-01-01","playback":{"provider":"YOUTUBE","duration":60}}`
	})
	c := openStore(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 0, 25).Draw(rt, "lines"), "\n")
		var states []string
		for _, size := range []int{1, 4, 1000} {
			err := c.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
				o := imported(t, within{tx: tx}, importer.Options{BatchSize: size}, text)
				states = append(states, fmt.Sprintf("%+v\n%s", o.Counts, contents(t, tx)))
				return errRollBack
			})
			if !errors.Is(err, errRollBack) {
				rt.Fatal(err)
			}
		}
		if states[0] != states[1] || states[0] != states[2] {
			rt.Fatalf("one line a batch: %s\nfour: %s\nall: %s", states[0], states[1], states[2])
		}
	})
}

var errRollBack = errors.New("that was all")

// within is a catalogue that writes in a transaction that is already open.
type within struct {
	store.Catalogue
	tx store.Tx
}

func (w within) Write(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	return fn(ctx, w.tx)
}

func (w within) FanOut(context.Context, int) (bool, error) { return false, nil }

// contents describes the items of TestBatchesDoNotShow as a transaction sees them.
func contents(t testing.TB, tx store.Tx) string {
	t.Helper()
	var text strings.Builder
	for _, kind := range []catalogue.Kind{
		catalogue.KindSubject, catalogue.KindChannel, catalogue.KindVideo, catalogue.KindCaptions, catalogue.KindHighlight,
	} {
		for _, ref := range []string{"a", "b", "c"} {
			id := idOf(kind, ref)
			if kind == catalogue.KindCaptions {
				id = catalogue.CaptionsID(idOf(catalogue.KindVideo, ref), "eng")
			}
			items, err := tx.Items(t.Context(), kind, []catalogue.ID{id})
			if err != nil {
				t.Fatal(err)
			}
			body, err := json.Marshal(items[id])
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&text, "%s %s %s\n", kind, ref, body)
		}
	}
	return text.String()
}

func TestChangesReachTheVideosThatShowThem(t *testing.T) {
	c := openStore(t)
	imported(t, c, importer.Options{}, channelLine+videoLine("v", ``))
	before := video(t, c, "v")
	time.Sleep(time.Millisecond)
	imported(t, c, importer.Options{}, strings.Replace(channelLine, "Channel", "Renamed", 1)).expect(t, importer.Counts{Changed: 1})
	after := video(t, c, "v")
	if after.Version <= before.Version || !after.UpdatedAt.After(before.UpdatedAt) {
		t.Errorf("the video of a renamed channel went from %d, %s to %d, %s", before.Version, before.UpdatedAt, after.Version, after.UpdatedAt)
	}
	if more := must(c.FanOut(t.Context(), 1)); more {
		t.Error("the run left work undone")
	}
}

func TestCompressedInput(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(w, channelLine+videoLine("v", ``))
	_ = w.Close()
	c := openStore(t)
	imported(t, c, importer.Options{}, zipped.String()).expect(t, importer.Counts{Added: 2})

	cut := zipped.String()[:zipped.Len()-9]
	o := imported(t, c, importer.Options{}, cut, subjectLine)
	if o.Rejected != 1 || o.Added != 1 || len(o.faults) != 1 || !strings.Contains(o.faults[0], "cannot be read any further: unexpected EOF") {
		t.Errorf("%v %v", o.Counts, o.faults)
	}
}

func TestLongLines(t *testing.T) {
	c := openStore(t)
	long := videoLine("v", `,"description":"`+strings.Repeat("x", importer.MaxLineLength)+`"`)
	imported(t, c, importer.Options{}, channelLine+long+videoLine("w", ``), channelLine+strings.TrimSpace(long)).expect(t,
		importer.Counts{Added: 2, Unchanged: 1, Rejected: 2},
		"1.jsonl:2: is longer than 16 MiB", "2.jsonl:2: is longer than 16 MiB")
	transcript := videoLine("x", `,"transcript":"`+strings.Repeat("word ", 300_000)+`"`)
	imported(t, c, importer.Options{}, transcript).expect(t, importer.Counts{Added: 1})
}

func TestInputThatBreaksOff(t *testing.T) {
	c := openStore(t)
	broken := errors.New("the disk is gone")
	inputs := []importer.Input{
		{Name: "gone", Open: func() (io.ReadCloser, error) { return nil, broken }},
		{Name: "half", Open: func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader(channelLine+`{"format":`), failing{broken})), nil
		}},
	}
	imported(t, c, importer.Options{Inputs: inputs}, videoLine("v", ``)).expect(t, importer.Counts{Added: 2, Rejected: 2},
		"gone: cannot be read any further: the disk is gone", "half:2: cannot be read any further: the disk is gone")
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, paths := range [][]string{{dir}, {dir + "/missing.jsonl"}, {"-", "-"}} {
		_, err := importer.Files(paths, strings.NewReader(""))
		if fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%v: %v", paths, err)
		}
	}
	inputs, err := importer.Files([]string{"-"}, strings.NewReader(channelLine))
	if err != nil {
		t.Fatal(err)
	}
	imported(t, openStore(t), importer.Options{Inputs: inputs}).expect(t, importer.Counts{Added: 1})
}

// moody is a catalogue whose first writes fail.
type moody struct {
	*sqlite.Catalogue
	failures int
	err      error
}

func (m *moody) Write(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	if m.failures > 0 {
		m.failures--
		return m.Catalogue.Write(ctx, func(ctx context.Context, tx store.Tx) error {
			if err := fn(ctx, tx); err != nil {
				return err
			}
			return m.err // rolls back the transaction
		})
	}
	return m.Catalogue.Write(ctx, fn)
}

func TestAStoreThatIsBusyIsTriedAgain(t *testing.T) {
	c := &moody{Catalogue: openStore(t), failures: 2, err: fault.Errorf(fault.Unavailable, "busy")}
	imported(t, c, importer.Options{}, channelLine+videoLine("v", ``)).expect(t, importer.Counts{Added: 2})
}

func TestAStoreThatFailsEndsTheRun(t *testing.T) {
	broken := errors.New("no space left")
	c := &moody{Catalogue: openStore(t), failures: 1, err: broken}
	summary, err := importer.Run(t.Context(), c, importer.Options{Inputs: []importer.Input{textInput("a", channelLine)}})
	if !errors.Is(err, broken) || summary.Added != 0 || importer.ExitStatus(summary, err) != importer.ExitFailed {
		t.Errorf("%v, %+v", err, summary)
	}
}

func TestACanceledRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	endless := importer.Input{Name: "endless", Size: -1, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(&endlessTags{}), nil
	}}
	progress := &watcher{advance: func(lines int) {
		if lines > 3000 {
			cancel()
		}
	}}
	summary, err := importer.Run(ctx, openStore(t), importer.Options{Inputs: []importer.Input{endless}, Progress: progress})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if summary.Added < 2000 || summary.Rejected != 0 || progress.ended != 1 {
		t.Errorf("%+v, ended %d times", summary, progress.ended)
	}
}

// endlessTags is a reader of endless lines.
type endlessTags struct {
	n    int
	rest string
}

func (e *endlessTags) Read(b []byte) (int, error) {
	if e.rest == "" {
		e.n++
		e.rest = fmt.Sprintf(`{"format":1,"kind":"topic","ref":"t%d","name":"Topic %d"}`+"\n", e.n, e.n)
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// watcher is a Progress that counts.
type watcher struct {
	phases  []string
	advance func(lines int)
	lines   int
	read    int64
	ended   int
}

func (w *watcher) Begin(phase string, total int64) {
	w.phases = append(w.phases, fmt.Sprintf("%s %d", phase, total))
	w.lines, w.read = 0, 0
}

func (w *watcher) Advance(read int64, lines int) {
	w.lines += lines
	w.read = read
	if w.advance != nil {
		w.advance(w.lines)
	}
}

func (w *watcher) End() { w.ended++ }

func TestProgressCoversTheInput(t *testing.T) {
	text := channelLine + videoLine("v", ``)
	w := &watcher{}
	imported(t, openStore(t), importer.Options{Progress: w}, text, text)
	if diff := cmp.Diff([]string{fmt.Sprintf("importing %d", 2*len(text))}, w.phases); diff != "" {
		t.Error(diff)
	}
	if w.lines != 4 || w.read != int64(2*len(text)) || w.ended != 1 {
		t.Errorf("%+v", w)
	}
}

// TestExchangedNames verifies that a temporary third value, in a line of its own, lets one run exchange unique values, which
// two lines cannot (docs/import.md).
func TestExchangedNames(t *testing.T) {
	tag := func(ref, label string) string {
		return `{"format":1,"kind":"tag","ref":"` + ref + `","label":"` + label + `"}` + "\n"
	}
	legacy := func(ref, id string) string { return videoLine(ref, `,"legacyId":"`+id+`"`) }
	for _, size := range []int{1, 100} {
		for _, strict := range []bool{false, true} {
			c, options := openStore(t), importer.Options{BatchSize: size, Strict: strict}
			imported(t, c, options, channelLine+tag("1", "AA")+tag("2", "BB")+legacy("1", "71")+legacy("2", "72"))
			if o := imported(t, c, options, tag("1", "BB")+tag("2", "AA")+legacy("1", "72")+legacy("2", "71")); o.Rejected != 4 {
				t.Errorf("two lines exchange values: %s", o)
			}
			o := imported(t, c, options, tag("1", "Temporary")+tag("2", "AA")+tag("1", "BB")+legacy("1", "73")+legacy("2", "71")+legacy("1", "72"))
			if o.Rejected != 0 || video(t, c, "1").LegacyID != "72" || must(c.Directory(t.Context(), 0)).Tags[0].ID != idOf(catalogue.KindTag, "2") {
				t.Errorf("%s: %v", o, o.faults)
			}
		}
	}
}
