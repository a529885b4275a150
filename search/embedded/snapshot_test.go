package embedded_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
)

// snapshot writes an index with replaced and deleted documents to a directory and returns it, closed.
func snapshot(t *testing.T, dir string) *embedded.Index {
	t.Helper()
	all := sample()
	index := openIndex(t, embedded.Options{Dir: dir})
	if err := index.Rebuild(t.Context(), 5, each(all[:1000])); err != nil {
		t.Fatal(err)
	}
	replaced := all[10]
	replaced.Version, replaced.Title = 5000, "replaced"
	apply(t, search.Batch{Put: append(all[1000:], replaced), Delete: []catalogue.ID{all[0].ID}, Position: 9}, index)
	if _, err := index.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	return index
}

func standing(t *testing.T, index search.Index) (position int64, count int) {
	t.Helper()
	position, err := index.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if count, err = index.Count(t.Context()); err != nil {
		t.Fatal(err)
	}
	return position, count
}

func TestSnapshotBringsTheIndexBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "below")
	before := snapshot(t, dir)
	after := openIndex(t, embedded.Options{Dir: dir})
	if position, count := standing(t, after); position != 9 || count != generated.Videos-1 {
		t.Fatalf("position %d with %d documents", position, count)
	}
	if bytes, documents, err := after.Size(t.Context()); err != nil || bytes < 1000 || documents != int64(generated.Videos-1) {
		t.Errorf("%d bytes with %d documents, %v", bytes, documents, err)
	}
	queries := questions(7, 100)
	for i := range queries {
		queries[i].ByReleaseDate = i%2 == 0
	}
	sameAnswers(t, after, before, queries)
	// A loaded index must accept writes like a built one.
	for position := range int64(20) {
		apply(t, search.Batch{Delete: []catalogue.ID{sample()[20+position].ID}, Position: 10 + position}, after)
	}
	if position, count := standing(t, after); position != 29 || count != generated.Videos-21 {
		t.Errorf("position %d with %d documents", position, count)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("the directory holds %v, %v", left, err)
	}
}

// snapshotHeaderSize is the number of bytes before the first part. The part begins with its number of documents and the
// length of its list of live documents.
const snapshotHeaderSize = 48

func TestSnapshotThatDoesNotFitIsIgnored(t *testing.T) {
	dir := t.TempDir()
	snapshot(t, dir)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	path := filepath.Join(dir, entries[0].Name())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := func(at int) []byte {
		changed := append([]byte(nil), whole...)
		changed[at] ^= 0x40
		return changed
	}
	tests := map[string][]byte{
		"empty":              {},
		"foreign":            []byte("something else altogether, and long enough for a header"),
		"torn in the header": whole[:20],
		"torn":               whole[:len(whole)/2],
		"checksum cut off":   whole[:len(whole)-1],
		"something behind":   append(append([]byte(nil), whole...), 0),
		"another format":     flipped(8),
		"another analyzer":   flipped(12),
		"a length too great": flipped(snapshotHeaderSize + 4 + 5),
		"a bit in the body":  flipped(len(whole) / 3),
		"a bit in the sum":   flipped(len(whole) - 2),
	}
	for name, content := range tests {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			index := openIndex(t, embedded.Options{Dir: dir})
			if position, count := standing(t, index); position != 0 || count != 0 {
				t.Errorf("position %d with %d documents", position, count)
			}
			apply(t, search.Batch{Put: sample()[:5], Position: 1}, index)
			if _, count := standing(t, index); count != 5 {
				t.Errorf("%d documents after a batch of 5", count)
			}
		})
	}
}

// TestEachSnapshotHasAName checks that each saved snapshot has a new token and the position of the index, and keeps
// both when it is opened. Save writes nothing if nothing has changed.
func TestEachSnapshotHasAName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "search")
	save := func(index *embedded.Index) search.Snapshot {
		t.Helper()
		saved, err := index.Save(t.Context())
		if err != nil || saved != index.Snapshot() {
			t.Fatalf("saved as %v, known as %v (%v)", saved, index.Snapshot(), err)
		}
		return saved
	}
	index := openIndex(t, embedded.Options{Dir: dir})
	if none := index.Snapshot(); none != (search.Snapshot{}) {
		t.Errorf("an index that began empty is of %v", none)
	}
	names := map[string]bool{}
	for position := range int64(4) {
		if position > 0 { // The first snapshot is that of an empty index.
			apply(t, search.Batch{Put: sample()[:5], Position: position}, index)
		}
		saved := save(index)
		if saved.Position != position || saved.Token == "" || names[saved.Token] {
			t.Errorf("at %d saved as %v", position, saved)
		}
		names[saved.Token] = true
		if again := save(index); again != saved {
			t.Errorf("saved as %v, and again without a change as %v", saved, again)
		}
		if index = openIndex(t, embedded.Options{Dir: dir}); index.Snapshot() != saved || save(index) != saved {
			t.Errorf("saved as %v, opened as %v", saved, index.Snapshot())
		}
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "search.snapshot"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v (%v)", filepath.Base(path), info.Mode().Perm(), want, err)
		}
	}
	if saved := save(openIndex(t, embedded.Options{})); saved != (search.Snapshot{}) {
		t.Errorf("an index without a directory was saved as %v", saved)
	}
}

// TestSavedWhileSearched runs searches during a save, for the race detector.
func TestSavedWhileSearched(t *testing.T) {
	index := openIndex(t, embedded.Options{Dir: t.TempDir()})
	apply(t, search.Batch{Put: sample(), Position: 1}, index)
	saved := make(chan error)
	go func() {
		_, err := index.Save(t.Context())
		saved <- err
	}()
	for {
		select {
		case err := <-saved:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
		if _, err := index.Search(t.Context(), search.Query{Today: generate.Epoch, Size: 10}); err != nil {
			t.Error(err)
		}
	}
}

func TestSnapshotOfAnotherAnalyzerIsIgnored(t *testing.T) {
	dir := t.TempDir()
	snapshot(t, dir)
	synonyms, err := analysis.ParseSynonyms(strings.NewReader("film, movie"))
	if err != nil {
		t.Fatal(err)
	}
	index := openIndex(t, embedded.Options{Dir: dir, Analyzer: analysis.New(synonyms)})
	if position, count := standing(t, index); position != 0 || count != 0 {
		t.Errorf("position %d with %d documents", position, count)
	}
}

func TestASnapshotThatCannotBeWrittenIsReported(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	index := openIndex(t, embedded.Options{Dir: dir})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := index.Save(t.Context()); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("save: %v", err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.Open(embedded.Options{Dir: dir}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("open: %v", err)
	}
}

// FuzzOpen checks that Open accepts any file without failing, and returns an index that can be searched.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	index, err := embedded.Open(embedded.Options{Dir: dir})
	if err != nil {
		f.Fatal(err)
	}
	if err := index.Apply(f.Context(), search.Batch{Put: sample()[:3], Position: 1}); err != nil {
		f.Fatal(err)
	}
	if _, err := index.Save(f.Context()); err != nil {
		f.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.Fatal(err)
	}
	name := entries[0].Name()
	whole, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:100])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
		index := openIndex(t, embedded.Options{Dir: dir})
		if _, err := index.Search(t.Context(), search.Query{Today: generate.Epoch, Size: 10}); err != nil {
			t.Error(err)
		}
	})
}
