// Package storetest is the conformance suite that every engine of the store passes. Each test starts with an empty
// engine and uses only the port.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// clock is a time that moves only when a test moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock {
	// The time has nanoseconds, so that the suite detects an engine that does not truncate them.
	return &clock{now: time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC)}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// tick advances the clock by one second and returns the time as the catalogue stores it.
func (c *clock) tick() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
	return catalogue.Instant(c.now)
}

// add advances the clock by a duration.
func (c *clock) add(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// testingT is the common interface of a test and one check of a property.
type testingT interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// catalogueFixture is one empty catalogue with its clock.
type catalogueFixture struct {
	testingT
	store.Catalogue
	ctx   context.Context
	clock *clock
	open  func() store.Catalogue
}

// newCatalogueFixture opens an empty catalogue that is closed at the end of the test.
func newCatalogueFixture(t *testing.T, j testingT, empty EmptyCatalogue) *catalogueFixture {
	t.Helper()
	h := &catalogueFixture{testingT: j, ctx: t.Context(), clock: newClock()}
	h.open = empty(t, h.clock.Now)
	h.Catalogue = h.open()
	t.Cleanup(func() { _ = h.Catalogue.Close() })
	return h
}

// reopen closes the catalogue and opens it again, as after the end of a process.
func (h *catalogueFixture) reopen() {
	h.Helper()
	h.must(h.Catalogue.Close())
	h.Catalogue = h.open()
}

func (h *catalogueFixture) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// write runs fn in one transaction that must succeed.
func (h *catalogueFixture) write(fn func(ctx context.Context, tx store.Tx)) {
	h.Helper()
	h.must(h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
		fn(ctx, tx)
		return nil
	}))
}

// wantError checks that err wraps want.
func (h *catalogueFixture) wantError(what string, err, want error) {
	h.Helper()
	if !errors.Is(err, want) {
		h.Errorf("%s: got error %v, want %v", what, err, want)
	}
}

// tryPut puts items in one transaction and returns the outcome of each.
func (h *catalogueFixture) tryPut(items ...catalogue.Item) (outcomes []store.Outcome) {
	h.Helper()
	h.write(func(ctx context.Context, tx store.Tx) {
		h.Helper()
		var err error
		outcomes, err = tx.Put(ctx, items)
		h.must(err)
		if len(outcomes) != len(items) {
			h.Fatalf("%d outcomes for %d items", len(outcomes), len(items))
		}
	})
	return outcomes
}

// put puts items, none of which may be rejected.
func (h *catalogueFixture) put(items ...catalogue.Item) {
	h.Helper()
	for i, outcome := range h.tryPut(items...) {
		if outcome.Status == store.Rejected {
			h.Fatalf("%s %s: %v", items[i].Kind(), items[i].Head().ID, outcome.Faults)
		}
	}
}

// wantStatuses puts items and checks the status of each.
func (h *catalogueFixture) wantStatuses(items []catalogue.Item, want ...store.Status) {
	h.Helper()
	for i, outcome := range h.tryPut(items...) {
		if outcome.Status != want[i] {
			h.Errorf("item %d: got status %d (%v), want %d", i, outcome.Status, outcome.Faults, want[i])
		}
	}
}

func (h *catalogueFixture) delete(kind catalogue.Kind, ids ...catalogue.ID) (kept []catalogue.ID) {
	h.Helper()
	h.write(func(ctx context.Context, tx store.Tx) {
		var err error
		kept, err = tx.Delete(ctx, kind, ids)
		h.must(err)
	})
	return kept
}

func (h *catalogueFixture) head() store.Position {
	h.Helper()
	head, err := h.Head(h.ctx)
	h.must(err)
	return head
}

func (h *catalogueFixture) changes(after store.Position) []store.Change {
	h.Helper()
	changes, err := h.Changes(h.ctx, after, 1_000_000)
	h.must(err)
	return changes
}

// video reads one video, which must exist.
func (h *catalogueFixture) video(id catalogue.ID) *catalogue.Video {
	h.Helper()
	videos, err := h.Videos(h.ctx, []catalogue.ID{id})
	h.must(err)
	if len(videos) != 1 {
		h.Fatalf("video %s is missing", id)
	}
	return videos[0]
}

// state reads the state of one video, which must exist.
func (h *catalogueFixture) state(id catalogue.ID) catalogue.State {
	h.Helper()
	states, err := h.States(h.ctx, []catalogue.ID{id})
	h.must(err)
	if len(states) != 1 {
		h.Fatalf("video %s has no state", id)
	}
	return states[0]
}

func (h *catalogueFixture) directory() *catalogue.Directory {
	h.Helper()
	directory, err := h.Directory(h.ctx, 0)
	h.must(err)
	return directory
}

// fanOut runs the fan-out until no work is left.
func (h *catalogueFixture) fanOut() {
	h.Helper()
	for range 1000 {
		more, err := h.FanOut(h.ctx, 100)
		h.must(err)
		if !more {
			return
		}
	}
	h.Fatal("fan-out does not end")
}

// The objects of the tests: the nth of each kind, valid, with only the required references set.

func idOf(kind catalogue.Kind, n int) catalogue.ID {
	return catalogue.DeriveID(kind, "test", fmt.Sprint(n))
}

func metaOf(kind catalogue.Kind, n int) catalogue.Meta {
	return catalogue.Meta{ID: idOf(kind, n), Source: "test", Reference: fmt.Sprint(n)}
}

func contract(n int) *catalogue.Contract {
	return &catalogue.Contract{Meta: metaOf(catalogue.KindContract, n), Name: fmt.Sprint("Contract ", n)}
}

func level(n int) *catalogue.EducationLevel {
	code := fmt.Sprintf("4C%d", n)
	return &catalogue.EducationLevel{
		Meta: catalogue.Meta{ID: catalogue.EducationLevelID(code), Source: "test", Reference: code},
		Code: code, Label: fmt.Sprint("Level ", n),
	}
}

func tag(n int) *catalogue.Tag {
	return &catalogue.Tag{Meta: metaOf(catalogue.KindTag, n), Label: fmt.Sprint("Tag ", n)}
}

func warning(n int) *catalogue.ContentWarning {
	return &catalogue.ContentWarning{Meta: metaOf(catalogue.KindContentWarning, n), Label: fmt.Sprint("Warning ", n)}
}

func subject(n int) *catalogue.Subject {
	return &catalogue.Subject{Meta: metaOf(catalogue.KindSubject, n), Name: fmt.Sprint("Subject ", n)}
}

func discipline(n int, subjects ...catalogue.ID) *catalogue.Discipline {
	return &catalogue.Discipline{
		Meta: metaOf(catalogue.KindDiscipline, n), Name: fmt.Sprint("Discipline ", n),
		Code: "code-" + string(rune('a'+n)), SubjectIDs: subjects,
	}
}

func topic(n int) *catalogue.Topic {
	return &catalogue.Topic{Meta: metaOf(catalogue.KindTopic, n), Name: fmt.Sprint("Topic ", n)}
}

func channel(n int) *catalogue.Channel {
	return &catalogue.Channel{Meta: metaOf(catalogue.KindChannel, n), Name: fmt.Sprint("Channel ", n)}
}

// video returns the nth video, in channel 1.
func video(n int) *catalogue.Video {
	return &catalogue.Video{
		Meta: metaOf(catalogue.KindVideo, n), Title: fmt.Sprint("Video ", n), Type: catalogue.Instructional,
		Playback:  catalogue.Playback{ID: fmt.Sprint("p", n), Provider: catalogue.ProviderHLS, Stream: "https://media.example/a.m3u8"},
		ChannelID: idOf(catalogue.KindChannel, 1),
	}
}

// everything returns one object of each kind that a video can refer to, each with the number 1.
func everything() []catalogue.Item {
	return []catalogue.Item{
		contract(1), level(1), tag(1), warning(1), subject(1), discipline(1, idOf(catalogue.KindSubject, 1)), topic(1), channel(1),
	}
}

// fullVideo returns video(n) with a value in every field. It refers to everything().
func fullVideo(n int) *catalogue.Video {
	v := video(n)
	v.Description, v.AdditionalDescription = "Why things float: <b>& more</b>", new("more")
	v.ReleasedOn = 20_000
	v.SubjectIDs, v.SubjectsSetManually = []catalogue.ID{idOf(catalogue.KindSubject, 1)}, true
	v.LegalRestrictions = "none"
	v.AgeRange = catalogue.AgeRange{Min: new(5), Max: new(11)}
	v.BestForIDs, v.Promoted = []catalogue.ID{idOf(catalogue.KindTag, 1)}, true
	v.Language = new(catalogue.Language("eng"))
	v.Attachments = []catalogue.Attachment{{ID: "a", Type: "LESSON_PLAN", Description: new("d"), Link: "https://media.example/a.pdf"}}
	v.ContentWarningIDs = []catalogue.ID{idOf(catalogue.KindContentWarning, 1)}
	v.Keywords = []string{"buoyancy", "Σ"}
	v.AvailableUntil = new(catalogue.Date(30_000))
	v.EducationLevels, v.CEFRLevel = []string{level(1).Code}, new(catalogue.CEFRLevel("B1"))
	v.ContentCategories = []catalogue.Subtype{"ANIMATION"}
	v.Categories = []string{"JNU"}
	v.TopicIDs = []catalogue.ID{idOf(catalogue.KindTopic, 1)}
	v.LegacyID = fmt.Sprint(1000 + n)
	v.Playback.Duration = 90 * catalogue.Second
	v.Playback.Thumbnail = "https://media.example/{thumbnailWidth}.jpg"
	v.Playback.Preview = "https://media.example/{thumbnailWidth}/{thumbnailCount}.jpg"
	return v
}

func videos(from, to int) (items []catalogue.Item) {
	for n := from; n <= to; n++ {
		items = append(items, video(n))
	}
	return items
}

func videoIDs(numbers ...int) (ids []catalogue.ID) {
	for _, n := range numbers {
		ids = append(ids, idOf(catalogue.KindVideo, n))
	}
	return ids
}

var errPlanned = errors.New("planned")
