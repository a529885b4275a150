package importer_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// watched is a catalogue that counts transactions.
type watched struct {
	*sqlite.Catalogue
	writes int
}

func (w *watched) Write(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	w.writes++
	return w.Catalogue.Write(ctx, fn)
}

func TestStrictWritesInOneTransaction(t *testing.T) {
	c := &watched{Catalogue: openStore(t)}
	text := videoLine("v", ``) + channelLine + videoLine("w", ``)
	w := &watcher{}
	imported(t, c, importer.Options{Strict: true, BatchSize: 1, Progress: w}, text).expect(t, importer.Counts{Added: 3})
	if c.writes != 1 {
		t.Errorf("%d transactions", c.writes)
	}
	phases := strings.Join(w.phases, ", ") // the first video precedes its channel
	if !strings.HasPrefix(phases, fmt.Sprintf("checking %d, writing ", len(text))) || !strings.Contains(phases, "trying again") || w.ended != 1 {
		t.Errorf("%s, ended %d times", phases, w.ended)
	}
	imported(t, c, importer.Options{Strict: true}, text).expect(t, importer.Counts{Unchanged: 3})
}

func TestStrictTakesAllOrNothing(t *testing.T) {
	for name, test := range map[string]struct {
		text   string
		faults []string
	}{
		"lines at fault by themselves": {
			channelLine + videoLine("v", `,"promoted":1`) + videoLine("w", ``) + "{\n", []string{
				`1.jsonl:2: promoted: 1 is not true or false`,
				`1.jsonl:4: is not valid JSON: unexpected EOF (byte 3)`,
			},
		},
		"both at once": {
			`{"format":1,"kind":"topic","ref":"t"}` + "\n" + videoLine("v", `,"promoted":1,"subjects":["x"]`) + channelLine +
				videoLine("w", `,"subjects":["x"]`) + videoLine("y", ``) +
				`{"format":1,"kind":"channel","ref":"d","name":"Channel"}` + "\n" + videoLine("z", `,"title":""`), []string{
				`1.jsonl:2: promoted: 1 is not true or false`,
				`1.jsonl:7: title: is given twice`,
				`1.jsonl:1: name: is required`,
				fmt.Sprintf(`1.jsonl:6: name: "channel" is that of channel %s already`, idOf(catalogue.KindChannel, "c")),
				`1.jsonl:4: subjects[0]: there is no subject "x" of the source "default"`,
			},
		},
		"lines that the store refuses": {
			channelLine + videoLine("v", `,"subjects":["x"]`) + `{"format":1,"kind":"topic","ref":"t"}` + "\n", []string{
				`1.jsonl:3: name: is required`,
				`1.jsonl:2: subjects[0]: there is no subject "x" of the source "default"`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &watched{Catalogue: openStore(t)}
			o := imported(t, c, importer.Options{Strict: true}, test.text)
			o.expect(t, importer.Counts{Rejected: len(test.faults)}, test.faults...)
			if !o.Undone || importer.ExitStatus(o.Summary, nil) != importer.ExitRejected {
				t.Errorf("%+v", o.Summary)
			}
			if c.writes != 1 || must(c.Head(t.Context())) != 0 {
				t.Errorf("%d transactions, the log is at %d", c.writes, must(c.Head(t.Context())))
			}
		})
	}
}

// TestStrictReportsWhatAFreeRunDoes checks that a strict run reports the same faults as a run that is not strict. Both
// read faulty lines of every sort, over a catalogue that contains some of the items.
func TestStrictReportsWhatAFreeRunDoes(t *testing.T) {
	lines := []string{
		channelLine, subjectLine, "{\n", `{"format":1,"kind":"subject","ref":"s2","name":"subject"}` + "\n",
		`{"format":1,"kind":"subject","ref":"s","name":""}` + "\n", `{"format":1,"kind":"channel","ref":"c","private":7}` + "\n",
		`{"format":1,"kind":"video","ref":"v","promoted":true}` + "\n", `{"format":1,"kind":"video","ref":"v","retiredInto":"w"}` + "\n",
		videoLine("v", ``), videoLine("v", `,"subjects":["s"]`), videoLine("w", `,"subjects":["s2"]`), videoLine("x", `,"type":"FILM"`),
	}
	rapid.Check(t, func(rt *rapid.T) {
		stored := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 4).Draw(rt, "stored"), "")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 1, 12).Draw(rt, "lines"), "")
		batch := rapid.IntRange(1, 5).Draw(rt, "batch")
		run := func(strict bool) outcome {
			c := openStore(t)
			imported(t, c, importer.Options{}, stored)
			before := must(c.Head(t.Context()))
			o := imported(t, c, importer.Options{Strict: strict, BatchSize: batch}, text)
			if o.Undone && must(c.Head(t.Context())) != before {
				rt.Error("a strict run that was undone wrote something")
			}
			slices.Sort(o.faults)
			return o
		}
		free, strict := run(false), run(true)
		if diff := cmp.Diff(free.faults, strict.faults); diff != "" {
			rt.Errorf("free and strict report different faults: %s", diff)
		}
		if free.Rejected != strict.Rejected || strict.Undone != (free.Rejected > 0) {
			rt.Errorf("free %+v, strict %+v", free.Summary, strict.Summary)
		}
	})
}

func TestNoTemporaryFileStays(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	text := videoLine("v", ``) + channelLine + videoLine("w", `,"subjects":["x"]`)
	imported(t, openStore(t), importer.Options{Strict: true}, text)
	imported(t, openStore(t), importer.Options{}, text)
	if left := must(os.ReadDir(dir)); len(left) > 0 {
		t.Errorf("%s stays", left[0].Name())
	}
}

func TestPruneDeletesWhatTheRunDidNotMention(t *testing.T) {
	for _, strict := range []bool{false, true} {
		t.Run(fmt.Sprintf("strict %t", strict), func(t *testing.T) {
			c := openStore(t)
			imported(t, c, importer.Options{},
				channelLine+subjectLine+videoLine("v", ``)+videoLine("w", `,"subjects":["s"]`)+
					`{"format":1,"kind":"channel","ref":"d","name":"Other"}`+"\n"+
					`{"format":1,"kind":"topic","ref":"t","name":"A kind that the run does not meet"}`+"\n"+
					`{"format":1,"kind":"video","source":"elsewhere","ref":"v","title":"T","channel":{"source":"default","ref":"d"},`+
					`"releasedOn":"2020-01-01","playback":{"provider":"YOUTUBE","duration":60}}`+"\n")
			o := imported(t, c, importer.Options{Prune: true, Strict: strict},
				channelLine+videoLine("v", ``)+`{"format":1,"kind":"subject","ref":"s2","name":"Second"}`)
			o.expect(t, importer.Counts{Added: 1, Unchanged: 2, Pruned: 2, Kept: 1},
				fmt.Sprintf("channel %s: not pruned: something still refers to it", idOf(catalogue.KindChannel, "d")))
			if video(t, c, "v") == nil || video(t, c, "w") != nil {
				t.Error("the wrong videos were pruned")
			}
			d := must(c.Directory(t.Context(), 0))
			if len(d.Subjects) != 1 || d.Subjects[0].Name != "Second" || len(d.Topics) != 1 || len(d.Channels) != 2 {
				t.Errorf("%d subjects, %d topics, %d channels", len(d.Subjects), len(d.Topics), len(d.Channels))
			}
			if o.Summary.ByKind[catalogue.KindChannel].Kept != 1 || o.PruneRefused != "" {
				t.Errorf("%+v", o.Summary)
			}
		})
	}
}

func TestPruneKeepsToTheSourcesThatLinesName(t *testing.T) {
	c := openStore(t)
	level := func(source, code string) string {
		return fmt.Sprintf(`{"format":1,"kind":"education-level"%s,"code":%q,"label":"L"}`+"\n", source, code)
	}
	elsewhere := `,"source":"elsewhere"`
	imported(t, c, importer.Options{}, level(elsewhere, "4CA")+level(elsewhere, "4CL")+level(``, "4Z"))
	// The code identifies the level, whose source remains "elsewhere".
	imported(t, c, importer.Options{Prune: true}, level(``, "4CA")).expect(t, importer.Counts{Unchanged: 1, Pruned: 1})
	var codes []string
	for _, l := range must(c.Directory(t.Context(), 0)).EducationLevels {
		codes = append(codes, l.Code)
	}
	if diff := cmp.Diff([]string{"4CA", "4CL"}, codes); diff != "" {
		t.Error(diff)
	}
}

func TestPruneOfLongLists(t *testing.T) {
	c := openStore(t)
	topic := func(n int) string {
		return fmt.Sprintf(`{"format":1,"kind":"topic","ref":"t%d","name":"Topic %d"}`+"\n", n, n)
	}
	var all, half string
	for n := range 2500 {
		all += topic(n)
		if n%2 == 0 {
			half += topic(n)
		}
	}
	imported(t, c, importer.Options{}, all)
	imported(t, c, importer.Options{Prune: true, ConfirmPrune: true}, half).expect(t, importer.Counts{Unchanged: 1250, Pruned: 1250})
	if n := len(must(c.Directory(t.Context(), 0)).Topics); n != 1250 {
		t.Errorf("%d topics are left", n)
	}
}

func TestNoPruneAfterRejectedLines(t *testing.T) {
	c := openStore(t)
	imported(t, c, importer.Options{}, channelLine+videoLine("v", ``)+videoLine("w", ``))
	o := imported(t, c, importer.Options{Prune: true}, videoLine("v", ``)+`{"format":1,"kind":"video","ref":"w","title":""}`)
	o.expect(t, importer.Counts{Unchanged: 1, Rejected: 1}, "1.jsonl:2: title: is required")
	want := "1 lines were rejected, so their items would be pruned as missing"
	if diff := cmp.Diff(want, o.PruneRefused); diff != "" {
		t.Error(diff)
	}
	if video(t, c, "w") == nil {
		t.Error("a video of a rejected line was pruned")
	}
}

// TestPruneAsksBeforeItDeletesMuch checks that in either mode, no kind is pruned without confirmation if more than ten
// items of a kind, and more than its limit, would be deleted.
func TestPruneAsksBeforeItDeletesMuch(t *testing.T) {
	for _, strict := range []bool{false, true} {
		for name, c := range map[string]struct {
			all, left, limit  int
			confirmed, pruned bool
		}{
			"ten of eleven":             {11, 1, 0, false, true},
			"eleven of twelve":          {12, 1, 0, false, false},
			"eleven of twelve, allowed": {12, 1, 0, true, true},
			"eleven of 110":             {110, 99, 0, false, true},
			"eleven of 109":             {109, 98, 0, false, false},
			"half, within the limit":    {40, 20, 50, false, true},
			"half, beyond the limit":    {40, 20, 49, false, false},
		} {
			store := openStore(t)
			lines := func(n int) (text string) {
				text = channelLine + `{"format":1,"kind":"channel","ref":"other","name":"Other"}` + "\n"
				for i := range n {
					text += fmt.Sprintf(`{"format":1,"kind":"topic","ref":"t%d","name":"Topic %d"}`+"\n", i, i)
				}
				return text
			}
			imported(t, store, importer.Options{}, lines(c.all))
			o := imported(t, store, importer.Options{Prune: true, Strict: strict, PruneLimit: c.limit, ConfirmPrune: c.confirmed},
				strings.Replace(lines(c.left), `{"format":1,"kind":"channel","ref":"other","name":"Other"}`+"\n", "", 1))
			directory := must(store.Directory(t.Context(), 0))
			want, channels := c.all, 2
			if c.pruned {
				want, channels = c.left, 1
			}
			if len(directory.Topics) != want || len(directory.Channels) != channels || (o.PruneRefused == "") != c.pruned {
				t.Errorf("%s, strict %t: %d topics and %d channels are left: %q", name, strict, len(directory.Topics), len(directory.Channels), o.PruneRefused)
			}
			if !c.pruned && (!strings.Contains(o.PruneRefused, fmt.Sprintf("%d of %d things of kind topic", c.all-c.left, c.all)) ||
				!strings.Contains(o.PruneRefused, "--confirm-prune") || importer.ExitStatus(o.Summary, nil) != importer.ExitRejected) {
				t.Errorf("%s: %q", name, o.PruneRefused)
			}
		}
	}
}

// TestPruneBesideOthers checks that pruning deletes nothing that another writer adds, or moves to another source, after
// the items to prune were compared with the limit.
func TestPruneBesideOthers(t *testing.T) {
	topics := func(source string, from, to int) (text string) {
		for i := from; i < to; i++ {
			text += fmt.Sprintf(`{"format":1,"kind":"topic","source":%q,"ref":"t%d","name":"Topic %s %d"}`+"\n", source, i, source, i)
		}
		return text
	}
	stored := openStore(t)
	imported(t, stored, importer.Options{}, topics("default", 0, 12))
	beside := &betweenPrunes{Catalogue: stored, do: func() {
		imported(t, stored, importer.Options{}, topics("default", 12, 40))
		topic := must(stored.Directory(t.Context(), 0)).Topic(idOf(catalogue.KindTopic, "t1"))
		topic.Source = "other"
		must(0, stored.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
			_, err := tx.Put(ctx, []catalogue.Item{topic})
			return err
		}))
	}}
	imported(t, beside, importer.Options{Prune: true}, topics("default", 2, 12)).expect(t, importer.Counts{Unchanged: 10, Pruned: 1})
	if left := len(must(stored.Directory(t.Context(), 0)).Topics); left != 39 {
		t.Errorf("%d topics are left", left)
	}
}

// betweenPrunes runs something once, right after a list of items to prune ends.
type betweenPrunes struct {
	*sqlite.Catalogue
	do func()
}

func (b *betweenPrunes) Write(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	ended := false
	err := b.Catalogue.Write(ctx, func(ctx context.Context, tx store.Tx) error { return fn(ctx, endingTx{tx, &ended}) })
	if do := b.do; do != nil && ended {
		b.do = nil
		do()
	}
	return err
}

// endingTx notes that a list of Of has ended.
type endingTx struct {
	store.Tx
	ended *bool
}

func (tx endingTx) Of(ctx context.Context, kind catalogue.Kind, source string, after catalogue.ID, limit int) ([]catalogue.ID, error) {
	ids, err := tx.Tx.Of(ctx, kind, source, after, limit)
	*tx.ended = *tx.ended || len(ids) == 0
	return ids, err
}

// TestSearchRulesNameVideosOfTheImport checks that in both modes, a rule may precede its videos in the same import, and
// a rule that names a nonexistent video is rejected.
func TestSearchRulesNameVideosOfTheImport(t *testing.T) {
	const rule = `{"format":1,"kind":"search-rule","ref":"r","query":"water","pinned":["v"],"buried":["w"]}` + "\n"
	for _, strict := range []bool{false, true} {
		c, options := openStore(t), importer.Options{Strict: strict, BatchSize: 1}
		imported(t, c, options, rule+videoLine("v", ``)+channelLine+videoLine("w", ``)).expect(t, importer.Counts{Added: 4})
		imported(t, c, options, `{"format":1,"kind":"search-rule","ref":"s","query":"fire","pinned":["v","x"],"buried":["y"]}`+"\n").
			expect(t, importer.Counts{Rejected: 1}, `1.jsonl:1: pinned[1]: there is no video "x" of the source "default"`,
				`1.jsonl:1: buried[0]: there is no video "y" of the source "default"`)
		imported(t, c, importer.Options{Strict: strict, Prune: true}, channelLine+videoLine("w", ``)).expect(t, importer.Counts{Unchanged: 2, Pruned: 1})
		imported(t, c, options, rule).expect(t, importer.Counts{Unchanged: 1})
		imported(t, c, options, strings.Replace(rule, `,"buried":["w"]`, `,"buried":[]`, 1)).expect(t, importer.Counts{Changed: 1})
	}
	// A later line adds the video after all.
	c := openStore(t)
	o := imported(t, c, importer.Options{}, rule+videoLine("v", `,"subjects":["x"]`)+videoLine("w", ``)+channelLine+videoLine("v", `,"subjects":[]`))
	o.expect(t, importer.Counts{Added: 4, Rejected: 1}, `1.jsonl:2: subjects[0]: there is no subject "x" of the source "default"`)
}
