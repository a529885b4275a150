package generate_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/importline"
)

func write(t *testing.T, options generate.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := generate.Write(&out, options); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestWriteGolden checks that the generated catalogue stays the same. To change it on purpose, put the new sum here:
// benchmarks before and after the change then ran on different catalogues.
func TestWriteGolden(t *testing.T) {
	sum := sha256.Sum256(write(t, generate.Options{Videos: 500, Seed: 7, TranscriptWords: 40}))
	const golden = "9f3100d2d3cb48fc84630154a21e682bdb58f244deb0ff0eb5bd92f4e7ae8530"
	if got := hex.EncodeToString(sum[:]); got != golden {
		t.Errorf("the catalogue's sum is %s, the golden one %s", got, golden)
	}
}

// TestWriteGoldenOfAll is like TestWriteGolden with the optional material and schools, which must not change the other
// lines.
func TestWriteGoldenOfAll(t *testing.T) {
	options := generate.Options{Videos: 500, Seed: 7, TranscriptWords: 40}
	plain := write(t, options)
	options.Material, options.Schools = true, 120
	whole := write(t, options)
	sum := sha256.Sum256(whole)
	const golden = "82f5174c2a9aa44634a231489f022b61243cf1a46a1703079060c5d29d27b447"
	if got := hex.EncodeToString(sum[:]); got != golden {
		t.Errorf("the catalogue's sum is %s, the golden one %s", got, golden)
	}
	lines := map[string]bool{}
	for line := range bytes.Lines(whole) {
		lines[string(line)] = true
	}
	for line := range bytes.Lines(plain) {
		if !lines[string(line)] {
			t.Fatalf("with material this line is another: %s", line)
		}
	}
}

func TestSeedAndSizeChooseTheCatalogue(t *testing.T) {
	options := generate.Options{Videos: 50, Seed: 1, TranscriptWords: 20, Material: true, Schools: 20}
	first := write(t, options)
	if !bytes.Equal(first, write(t, options)) {
		t.Error("the same options made two catalogues")
	}
	options.Seed = 2
	if bytes.Equal(first, write(t, options)) {
		t.Error("another seed made the same catalogue")
	}
}

func TestTranscriptsChangeNothingElse(t *testing.T) {
	options := generate.Options{Videos: 300, Seed: 1}
	plain := slices.Collect(generate.Items(options))
	options.TranscriptWords = 50
	for i, item := range slices.Collect(generate.Items(options)) {
		if v, ok := item.(*catalogue.Video); ok {
			v.Transcript, v.HasTranscript = nil, false
		}
		if !reflect.DeepEqual(item, plain[i]) {
			t.Fatalf("with a transcript %+v is another", item)
		}
	}
}

func TestEveryItemIsValidAndRefersBackwards(t *testing.T) {
	for _, videos := range []int{0, 1, 3000} {
		known := map[catalogue.ID]catalogue.Kind{}
		order := catalogue.Kinds()
		count := 0
		for item := range generate.Items(generate.Options{Videos: videos, Seed: 3, TranscriptWords: 30, Material: true, Schools: videos}) {
			head := item.Head()
			if faults := item.Validate(); faults != nil {
				t.Fatalf("%s %s: %v", item.Kind(), head.Reference, faults)
			}
			if _, twice := known[head.ID]; twice || !head.ID.Valid() {
				t.Fatalf("%s %s: the id %q is not valid or not its own", item.Kind(), head.Reference, head.ID)
			}
			for _, link := range item.Links() {
				if known[link.ID] != link.Kind {
					t.Fatalf("%s %s: %s names no earlier %s", item.Kind(), head.Reference, link.Field, link.Kind)
				}
			}
			if record, ok := item.(catalogue.OwnedItem); ok {
				if owner := record.Owner(); owner.ID != "" && known[owner.ID] != owner.Kind {
					t.Fatalf("%s %s belongs to no earlier %s", item.Kind(), head.Reference, owner.Kind)
				}
			}
			known[head.ID] = item.Kind()
			for len(order) > 0 && order[0] != item.Kind() {
				order = order[1:]
			}
			if len(order) == 0 {
				t.Fatalf("%s %s comes after a kind that may refer to it", item.Kind(), head.Reference)
			}
			if v, ok := item.(*catalogue.Video); ok {
				count++
				if v.RetiredInto != nil && known[*v.RetiredInto] != catalogue.KindVideo {
					t.Fatalf("%s is retired into a video that does not come before it", head.Reference)
				}
			}
		}
		if count != videos {
			t.Errorf("%d videos were asked for, %d came", videos, count)
		}
	}
}

func TestImportingTheLinesGivesTheItems(t *testing.T) {
	options := generate.Options{Videos: 500, Seed: 5, TranscriptWords: 10, Material: true, Schools: 120}
	scanner := bufio.NewScanner(bytes.NewReader(write(t, options)))
	scanner.Buffer(nil, 1<<20)
	for item := range generate.Items(options) {
		if !scanner.Scan() {
			t.Fatalf("no line for %s", item.Head().Reference)
		}
		record := importline.Decode(scanner.Bytes())
		if record.Faults != nil {
			t.Fatalf("%s: %v", item.Head().Reference, record.Faults)
		}
		imported, faults := record.Apply(nil)
		if faults != nil {
			t.Fatalf("%s: %v", item.Head().Reference, faults)
		}
		if !reflect.DeepEqual(imported, item) {
			t.Fatalf("the line of %s says %+v, not %+v", item.Head().Reference, imported, item)
		}
	}
	if scanner.Scan() {
		t.Errorf("one line too many: %s", scanner.Text())
	}
}

func TestEveryAttributeIsUsed(t *testing.T) {
	seen := map[string]int{}
	note := func(when bool, what string) {
		if when {
			seen[what]++
		}
	}
	private := map[catalogue.ID]bool{}
	const videos = 1000
	for item := range generate.Items(generate.Options{Videos: videos, Seed: 1, TranscriptWords: 20}) {
		if c, ok := item.(*catalogue.Channel); ok {
			private[c.ID] = c.Private
			note(c.ContractID == nil, "channel without contract")
			note(len(c.Categories) > 0, "channel with categories")
			note(len(c.DistributionMethods) == 0, "channel without distribution methods")
			for _, method := range c.DistributionMethods {
				note(true, "distribution "+string(method))
			}
			note(c.Currency != "", "currency")
			note(c.VideoLevelTagging, "tagging of each video")
			note(len(c.IngestURLs) > 0, "ingest addresses")
			note(len(c.IngestPlaylistIDs) > 0, "ingest playlists")
			note(c.Marketing.Status != "" && len(c.Marketing.Logos) > 0, "marketing")
			note(len(c.Pedagogy.SubjectIDs) > 0 && len(c.Pedagogy.BestForTagIDs) > 0, "pedagogy")
			note(c.AgeRange.Known(), "ages of a channel")
		}
		v, ok := item.(*catalogue.Video)
		if !ok {
			continue
		}
		seen["type "+string(v.Type)]++
		if v.Language != nil {
			seen["language "+string(*v.Language)]++
		}
		if v.CEFRLevel != nil {
			seen["cefr "+string(*v.CEFRLevel)]++
		}
		for _, s := range v.ContentCategories {
			seen["subtype "+string(s)]++
		}
		for _, l := range v.EducationLevels {
			seen["level "+l]++
		}
		for _, a := range v.Attachments {
			seen["attachment "+string(a.Type)]++
			note(a.Description == nil, "attachment without description")
		}
		for _, b := range catalogue.DefaultDurationBuckets() {
			note(b.Buckets(v.Playback.Duration), "duration "+b.String())
		}
		for _, b := range catalogue.DefaultAgeBuckets() {
			note(b.Buckets(v.AgeRange), "age "+b.String())
		}
		note(!v.AgeRange.Known(), "no age")
		note(v.AgeRange.Min == nil && v.AgeRange.Max != nil, "no lower age")
		note(v.AgeRange.Min != nil && v.AgeRange.Max == nil, "no upper age")
		note(v.Language == nil, "no language")
		note(v.AdditionalDescription != nil, "additional description")
		note(len(v.SubjectIDs) == 0, "no subject")
		note(len(v.SubjectIDs) > 1, "several subjects")
		note(v.SubjectsSetManually, "subjects set manually")
		note(!v.SubjectsSetManually, "subjects classified")
		note(v.ContentWarningIDs == nil, "warnings not judged")
		note(v.ContentWarningIDs != nil && len(v.ContentWarningIDs) == 0, "no warning needed")
		note(len(v.ContentWarningIDs) > 0, "warnings")
		note(len(v.Keywords) > 0, "keywords")
		note(len(v.BestForIDs) > 0, "tags")
		note(len(v.TopicIDs) > 0, "topics")
		note(len(v.Categories) > 0, "categories")
		note(v.Promoted, "promoted")
		note(v.LegacyID != "", "legacy id")
		note(v.LegalRestrictions != "", "legal restrictions")
		note(v.AvailableUntil != nil && *v.AvailableUntil < generate.Epoch, "no longer available")
		note(v.AvailableUntil != nil && *v.AvailableUntil >= generate.Epoch, "available until")
		note(v.Retired && v.RetiredInto == nil, "retired")
		note(v.RetiredInto != nil, "retired into another")
		note(v.HasTranscript, "transcript")
		note(!v.HasTranscript, "no transcript")
		note(v.Playback.Provider == catalogue.ProviderYouTube, "youtube")
		note(strings.HasPrefix(v.Playback.Stream, catalogue.DemoStreamScheme), "demo stream")
		note(v.Playback.Thumbnail != "" && !strings.Contains(v.Playback.Thumbnail, "{"), "fixed poster")
		note(v.Playback.Thumbnail == "", "no poster")
		note(private[v.ChannelID], "private")
		note(v.ReleasedOn < generate.Epoch-15*365, "old release")
		note(v.ReleasedOn >= generate.Epoch-365, "new release")
		if v.ReleasedOn >= generate.Epoch || v.ReleasedOn < generate.Epoch-20*366 {
			t.Errorf("%s was released on %s", v.Reference, v.ReleasedOn)
		}
	}
	expected := []string{
		"channel without contract", "channel with categories", "channel without distribution methods", "distribution STREAM",
		"distribution DOWNLOAD", "currency", "tagging of each video", "ingest addresses", "ingest playlists", "marketing", "pedagogy",
		"ages of a channel", "no age", "no lower age", "no upper age",
		"no language", "additional description", "no subject", "several subjects",
		"subjects set manually", "subjects classified", "warnings not judged", "no warning needed",
		"warnings", "keywords", "tags", "topics", "categories", "promoted", "legacy id",
		"legal restrictions", "no longer available", "available until", "retired",
		"retired into another", "transcript", "no transcript", "youtube", "demo stream",
		"fixed poster", "no poster", "private", "old release", "new release",
		"attachment without description", "language eng", "language spa", "language fra",
		"language deu", "language zho",
	}
	for _, value := range catalogue.VideoTypes() {
		expected = append(expected, "type "+string(value))
	}
	for _, value := range catalogue.CEFRLevels() {
		expected = append(expected, "cefr "+string(value))
	}
	for _, value := range catalogue.Subtypes() {
		expected = append(expected, "subtype "+string(value))
	}
	for _, value := range catalogue.AttachmentTypes() {
		expected = append(expected, "attachment "+string(value))
	}
	for _, value := range catalogue.DefaultDurationBuckets() {
		expected = append(expected, "duration "+value.String())
	}
	for _, value := range catalogue.DefaultAgeBuckets() {
		expected = append(expected, "age "+value.String())
	}
	for _, what := range expected {
		if seen[what] == 0 {
			t.Errorf("no video of %d: %s", videos, what)
		}
	}
	if n := seen["language eng"]; n < 700 || n > 950 {
		t.Errorf("%d of %d videos are in English, most but not all should be", n, videos)
	}
}

func TestTheFirstVideosPlayAndAreOpen(t *testing.T) {
	private := map[catalogue.ID]bool{}
	streams := map[string]bool{}
	n := 0
	for item := range generate.Items(generate.Options{Videos: 12, Seed: 9}) {
		if c, ok := item.(*catalogue.Channel); ok {
			private[c.ID] = c.Private
		}
		if v, ok := item.(*catalogue.Video); ok {
			n++
			streams[v.Playback.Stream] = true
			if !strings.HasPrefix(v.Playback.Stream, catalogue.DemoStreamScheme) || private[v.ChannelID] ||
				v.Retired || v.AvailableUntil != nil {
				t.Errorf("%s does not play or is not open to all", v.Reference)
			}
		}
	}
	if n != 12 || len(streams) != 3 {
		t.Errorf("%d videos play %d different streams", n, len(streams))
	}
}

func TestTextsHaveTheirLengthsAndAreDistinct(t *testing.T) {
	titles, vocabulary, channels := map[string]bool{}, map[string]bool{}, map[string]bool{}
	live, transcripts, words := 0, 0, 0
	const transcriptWords = 100
	for item := range generate.Items(generate.Options{Videos: 6000, Seed: 2, TranscriptWords: transcriptWords}) {
		if c, ok := item.(*catalogue.Channel); ok {
			if channels[c.Name] {
				t.Errorf("two channels are called %s", c.Name)
			}
			channels[c.Name] = true
		}
		v, ok := item.(*catalogue.Video)
		if !ok {
			continue
		}
		if !v.Retired {
			live++
			titles[v.Title] = true
		}
		if isHan(v.Title) {
			continue
		}
		if n := len(strings.Fields(v.Title)); n < 3 || n > 9 {
			t.Fatalf("the title %q has %d words", v.Title, n)
		}
		if n := len(strings.Fields(v.Description)); n < 20 || n > 80 {
			t.Fatalf("the description %q has %d words", v.Description, n)
		}
		for _, word := range strings.Fields(v.Title + " " + v.Description) {
			vocabulary[word] = true
		}
		if v.Language != nil && *v.Language == "eng" {
			said := map[string]bool{}
			for _, sentence := range strings.SplitAfter(v.Description, ". ") {
				if said[sentence] {
					t.Fatalf("the description %q repeats a sentence", v.Description)
				}
				said[sentence] = true
			}
		}
		if v.Transcript != nil {
			transcripts++
			words += len(strings.Fields(*v.Transcript))
		}
	}
	if len(titles) < live*95/100 {
		t.Errorf("%d titles of %d videos are distinct", len(titles), live)
	}
	if mean := words / transcripts; mean < transcriptWords*9/10 || mean > transcriptWords*12/10 {
		t.Errorf("transcripts have %d words on average, %d were asked for", mean, transcriptWords)
	}
	if len(vocabulary) < 6_000 {
		t.Errorf("6,000 videos have %d different words", len(vocabulary))
	}
}

func isHan(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

type brokenPipe struct{ left int }

func (p *brokenPipe) Write(b []byte) (int, error) {
	if p.left -= len(b); p.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

func TestWriteReportsTheWritersError(t *testing.T) {
	for _, room := range []int{0, 100_000} {
		if err := generate.Write(&brokenPipe{left: room}, generate.Options{Videos: 1000}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("with room for %d bytes the error is %v", room, err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, bench := range []struct {
		name  string
		words int
	}{{"plain", 0}, {"transcripts-800", 800}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			start := time.Now()
			if err := generate.Write(io.Discard, generate.Options{Videos: b.N, Seed: 1, TranscriptWords: bench.words}); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "videos/s")
		})
	}
}
