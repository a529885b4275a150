package importer_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

const (
	examples   = "../../examples"
	khanVideos = "../../../shared/data/khan-videos.jsonl"
)

func requireKhan(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(khanVideos); err != nil {
		t.Skipf("SKIPPED: the Khan Academy's data are not beside the checkout: %v", err)
	}
}

func openStore(t testing.TB) *sqlite.Catalogue {
	t.Helper()
	return opened(t, sqlite.OpenCatalogue)
}

// opened opens a store in a file of its own, and closes it when the test ends.
func opened[T io.Closer](t testing.TB, open func(context.Context, string, ...sqlite.Option) (T, error)) T {
	t.Helper()
	store, err := open(t.Context(), filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// importExample imports a file with an example program. No line may be rejected.
func importExample(t *testing.T, c *sqlite.Catalogue, program, data string) importer.Summary {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(examples, program))
	if err != nil {
		t.Fatal(err)
	}
	inputs, err := importer.Files([]string{data}, nil)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := importer.Run(t.Context(), c, importer.Options{
		Inputs: inputs, JQ: string(text), JQName: program,
		Report: func(fault importer.Fault) { t.Error(fault) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

func added(summary importer.Summary) map[catalogue.Kind]int {
	counts := map[catalogue.Kind]int{}
	for kind, c := range summary.ByKind {
		counts[kind] = c.Added
	}
	return counts
}

func TestKhanVideosComeInWhole(t *testing.T) {
	requireKhan(t)
	c := openStore(t)
	summary := importExample(t, c, "khan.jq", khanVideos)
	want := map[catalogue.Kind]int{
		catalogue.KindChannel: 1, catalogue.KindDiscipline: 4, catalogue.KindSubject: 34,
		catalogue.KindTopic: 633, catalogue.KindVideo: 3725,
	}
	if diff := cmp.Diff(want, added(summary)); diff != "" || summary.Rejected+summary.Changed > 0 {
		t.Errorf("%s\n%s", diff, summary)
	}
	again := importExample(t, c, "khan.jq", khanVideos)
	if again.Added+again.Changed+again.Rejected+again.Pruned+again.Kept > 0 {
		t.Errorf("the second run changes something:\n%s", again)
	}

	d, err := c.Directory(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	subjects := 0
	for _, discipline := range d.Disciplines {
		subjects += len(discipline.SubjectIDs)
	}
	if subjects != 34 {
		t.Errorf("the disciplines hold %d subjects", subjects)
	}
	expectKhanVideo(t, c, d)
}

func expectKhanVideo(t *testing.T, c *sqlite.Catalogue, d *catalogue.Directory) {
	t.Helper()
	id := catalogue.DeriveID(catalogue.KindVideo, "khan", "2-d-divergence-theorem")
	noStream := catalogue.DeriveID(catalogue.KindVideo, "khan", "alkene-nomenclature")
	videos, err := c.Videos(t.Context(), []catalogue.ID{id, noStream})
	if err != nil || len(videos) != 2 {
		t.Fatal(len(videos), err)
	}
	v := videos[0]
	if v.Title != "2 D Divergence Theorem" || d.Channel(v.ChannelID).Name != "Khan Academy" ||
		len(v.SubjectIDs) != 1 || d.Subject(v.SubjectIDs[0]).Name != "Calculus" ||
		len(v.TopicIDs) != 2 || d.Topic(v.TopicIDs[1]).Name != "2-D Divergence theorem" {
		t.Errorf("got %+v", v)
	}
	if diff := cmp.Diff([]string{"Divergence", "Theorem"}, v.Keywords); diff != "" {
		t.Error(diff)
	}
	playback := catalogue.Playback{
		ID: "eoJGBr-tJXo", Provider: catalogue.ProviderHLS, Duration: 884 * catalogue.Second,
		Stream:    "http://s3.amazonaws.com/KA-youtube-converted/eoJGBr-tJXo.m3u8/eoJGBr-tJXo.m3u8",
		Thumbnail: "http://s3.amazonaws.com/KA-youtube-converted/eoJGBr-tJXo.mp4/eoJGBr-tJXo.png",
	}
	if diff := cmp.Diff(playback, v.Playback); diff != "" {
		t.Error(diff)
	}
	if p := videos[1].Playback; p.Provider != catalogue.ProviderYouTube || p.ID != "g1ZZIee9zk0" {
		t.Errorf("the video without a stream is played by %+v", p)
	}
}

func TestTheExamplesShareTheirSubjects(t *testing.T) {
	requireKhan(t)
	c := openStore(t)
	importExample(t, c, "khan.jq", khanVideos)
	summary := importExample(t, c, "talks.jq", filepath.Join(examples, "talks.csv"))
	if subjects := summary.ByKind[catalogue.KindSubject]; subjects.Added != 17 || subjects.Changed != 0 {
		t.Errorf("%+v", subjects)
	}
}

func TestTalksComeInWhole(t *testing.T) {
	c := openStore(t)
	talks := filepath.Join(examples, "talks.csv")
	summary := importExample(t, c, "talks.jq", talks)
	want := map[catalogue.Kind]int{catalogue.KindChannel: 3, catalogue.KindSubject: 20, catalogue.KindVideo: 10}
	if diff := cmp.Diff(want, added(summary)); diff != "" || summary.Rejected+summary.Changed > 0 {
		t.Errorf("%s\n%s", diff, summary)
	}
	again := importExample(t, c, "talks.jq", talks)
	if again.Added+again.Changed+again.Rejected+again.Pruned > 0 {
		t.Errorf("the second run changes something:\n%s", again)
	}

	videos, err := c.Videos(t.Context(), []catalogue.ID{
		catalogue.DeriveID(catalogue.KindVideo, "talks", "T-002"), catalogue.DeriveID(catalogue.KindVideo, "talks", "T-006"),
	})
	if err != nil || len(videos) != 2 {
		t.Fatal(len(videos), err)
	}
	robots, counting := videos[0], videos[1]
	if robots.Title != `"Soft" robots and what they can hold` || robots.ReleasedOn.String() != "2019-04-11" || *robots.Language != "eng" {
		t.Errorf("got %+v", robots)
	}
	if counting.Playback.Duration.String() != "PT1H2M7S" || counting.AgeRange.Label() != "18+" {
		t.Errorf("got %+v", counting)
	}
}
