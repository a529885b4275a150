package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// recordLines returns an item of each owned kind and everything that they refer to, each line before those that it
// refers to.
func recordLines() []string {
	return []string{
		`{"format":1,"kind":"captions","video":"v","language":"en","text":"WEBVTT\n\n00:01.000 --> 00:02.000\nHello."}` + "\n",
		`{"format":1,"kind":"captions","video":"v","language":"de","cues":[{"start":1,"end":2,"text":"Hallo."}]}` + "\n",
		`{"format":1,"kind":"learning-material","video":"v","learningOutcomes":["Greets"]}` + "\n",
		`{"format":1,"kind":"highlight","ref":"h","video":"v","start":1,"end":2,"title":"Greeting"}` + "\n",
		`{"format":1,"kind":"theme","ref":"t","provider":"p","title":"Theme","topics":[{"title":"T","targets":[{"title":"X","videos":["v","later"]}]}]}` + "\n",
		`{"format":1,"kind":"provider","ref":"p","name":"Provider","slug":"p"}` + "\n",
		`{"format":1,"kind":"school","externalId":"s","name":"School","country":"USA","state":"NY","district":"d"}` + "\n",
		`{"format":1,"kind":"district","externalId":"d","name":"District","country":"USA","state":"NY"}` + "\n",
		videoLine("v", ``),
		`{"format":1,"kind":"channel","ref":"c","name":"Channel","contract":"x"}` + "\n",
		`{"format":1,"kind":"contract","ref":"x","name":"Contract"}` + "\n",
	}
}

// stored returns the number of owned items of each kind.
func stored(t *testing.T, c *sqlite.Catalogue) map[catalogue.Kind]int {
	t.Helper()
	counts := map[catalogue.Kind]int{}
	for _, kind := range catalogue.RecordKinds() {
		n, _, err := c.CountOwnedItems(t.Context(), kind)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			counts[kind] = n
		}
	}
	return counts
}

func TestRecordsMayComeBeforeWhatTheyBelongTo(t *testing.T) {
	text := strings.Join(recordLines(), "")
	want := map[catalogue.Kind]int{
		catalogue.KindCaptions: 2, catalogue.KindMaterial: 1, catalogue.KindHighlight: 1, catalogue.KindTheme: 1,
		catalogue.KindDistrict: 1, catalogue.KindSchool: 1,
	}
	for _, options := range []importer.Options{{BatchSize: 1}, {BatchSize: 3}, {}, {Strict: true, BatchSize: 1}} {
		t.Run(fmt.Sprintf("%d, strict %t", options.BatchSize, options.Strict), func(t *testing.T) {
			c := openStore(t)
			imported(t, c, options, text).expect(t, importer.Counts{Added: 11})
			if diff := cmp.Diff(want, stored(t, c)); diff != "" {
				t.Error(diff)
			}
			if !video(t, c, "v").HasCaptions {
				t.Error("the video does not know of its captions")
			}
			head := must(c.Head(t.Context()))
			imported(t, c, options, text).expect(t, importer.Counts{Unchanged: 11})
			if now := must(c.Head(t.Context())); now != head {
				t.Errorf("a second run moves the log from %d to %d", head, now)
			}
		})
	}
}

func TestRecordsOfNothingAreRejected(t *testing.T) {
	c := openStore(t)
	o := imported(t, c, importer.Options{}, strings.Join(append(recordLines()[:5], recordLines()[6]), ""))
	o.expect(t, importer.Counts{Rejected: 6},
		`1.jsonl:1: video: there is no video "v" of the source "default"`,
		`1.jsonl:2: video: there is no video "v" of the source "default"`,
		`1.jsonl:3: video: there is no video "v" of the source "default"`,
		`1.jsonl:4: video: there is no video "v" of the source "default"`,
		`1.jsonl:5: provider: there is no provider "p" of the source "default"`,
		`1.jsonl:6: district: there is no district "d" of the source "default"`)
}

// TestPruneOfRecords checks that pruning deletes owned items that a run does not mention, and those of pruned videos
// whatever their source. Owners of remaining items stay.
func TestPruneOfRecords(t *testing.T) {
	const elsewhere = `"source":"elsewhere",`
	c := openStore(t)
	imported(t, c, importer.Options{}, strings.Join(recordLines(), "")+videoLine("w", ``)+
		`{"format":1,`+elsewhere+`"kind":"highlight","ref":"h","video":{"source":"default","ref":"w"},"start":1,"end":2,"title":"Of a pruned video"}`+"\n"+
		`{"format":1,`+elsewhere+`"kind":"highlight","ref":"i","video":{"source":"default","ref":"v"},"start":1,"end":2,"title":"Of one that stays"}`+"\n"+
		`{"format":1,`+elsewhere+`"kind":"school","externalId":"s","name":"School","country":"USA","state":"NY","district":{"source":"default","ref":"d"}}`+"\n",
	).expect(t, importer.Counts{Added: 15})

	imported(t, c, importer.Options{Prune: true}, videoLine("v", ``)+recordLines()[1]+
		`{"format":1,"kind":"highlight","ref":"new","video":"v","start":3,"end":4,"title":"Another"}`+"\n"+
		`{"format":1,"kind":"district","externalId":"e","name":"Other","country":"CAN"}`+"\n"+
		`{"format":1,"kind":"school","externalId":"r","name":"Other","country":"CAN"}`+"\n",
	).expect(t, importer.Counts{Added: 3, Unchanged: 2, Pruned: 4, Kept: 1},
		fmt.Sprintf("district %s: not pruned: something still refers to it", idOf(catalogue.KindDistrict, "d")))
	want := map[catalogue.Kind]int{
		catalogue.KindCaptions: 1, catalogue.KindMaterial: 1, catalogue.KindHighlight: 2, catalogue.KindTheme: 1,
		catalogue.KindDistrict: 2, catalogue.KindSchool: 2,
	}
	if diff := cmp.Diff(want, stored(t, c)); diff != "" {
		t.Error(diff)
	}
	if video(t, c, "w") != nil {
		t.Error("the video stays")
	}
}

// TestAThingThatIsThereAfterAllHasItsRecords checks that a line is accepted even if a faulty line describes the item
// that it refers to, as long as a correct line also describes that item.
func TestAThingThatIsThereAfterAllHasItsRecords(t *testing.T) {
	for _, size := range []int{1, 2, 1000} {
		c := openStore(t)
		imported(t, c, importer.Options{BatchSize: size}, recordLines()[0]+channelLine+
			videoLine("v", `,"subjects":["nowhere"]`)+videoLine("v", ``),
		).expect(t, importer.Counts{Added: 3, Rejected: 1},
			`1.jsonl:3: subjects[0]: there is no subject "nowhere" of the source "default"`)
	}
}
