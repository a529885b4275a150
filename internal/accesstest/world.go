package accesstest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// world is a random catalogue. Its items have the same IDs each time, so that one catalogue replaces the last.
type world struct {
	today       catalogue.Date
	subjects    []*catalogue.Subject
	disciplines []*catalogue.Discipline
	channels    []*catalogue.Channel
	videos      []*catalogue.Video
	// collections are the videos of the collections that rules may name.
	collections map[catalogue.ID][]catalogue.ID
}

const (
	videoCount   = 24
	channelCount = 5
	subjectCount = 4
)

// The vocabularies are small, so that rules match videos.
var (
	levelCodes    = []string{"4CA", "4CD", "4CL"}
	themaCodes    = []string{"J", "JN", "JNA", "K", "KC"}
	languageCodes = []catalogue.Language{"eng", "fra", "deu"}
	warningIDs    = ids(catalogue.KindContentWarning, 3)
	topicIDs      = ids(catalogue.KindTopic, 3)
	tagIDs        = ids(catalogue.KindTag, 2)
	subjectIDs    = ids(catalogue.KindSubject, subjectCount)
	channelIDs    = ids(catalogue.KindChannel, channelCount)
	videoIDs      = ids(catalogue.KindVideo, videoCount)
	collectionIDs = ids(collection.Kind, 3)
)

func ids(kind catalogue.Kind, n int) []catalogue.ID {
	list := make([]catalogue.ID, n)
	for i := range list {
		list[i] = meta(kind, i).ID
	}
	return list
}

func meta(kind catalogue.Kind, i int) catalogue.Meta {
	reference := fmt.Sprintf("%s-%d", kind, i)
	return catalogue.Meta{ID: catalogue.DeriveID(kind, "accesstest", reference), Source: "accesstest", Reference: reference}
}

// word returns a unique word that no typing error turns into another one.
func word(first string, i int) string { return first + strings.Repeat(string(rune('a'+i)), 6) }

func videoWord(i int) string   { return word("v", i) }
func channelWord(i int) string { return word("k", i) }

// legacyID returns the alias of a video.
func legacyID(i int) string { return fmt.Sprintf("7700%02d", i) }

func drawWorld(random *rand.Rand, today catalogue.Date) *world {
	w := &world{today: today, collections: map[catalogue.ID][]catalogue.ID{}}
	for i := range subjectCount {
		w.subjects = append(w.subjects, &catalogue.Subject{Meta: meta(catalogue.KindSubject, i), Name: "Subject " + word("s", i)})
	}
	for i := range 2 {
		w.disciplines = append(w.disciplines, &catalogue.Discipline{
			Meta: meta(catalogue.KindDiscipline, i), Name: "Discipline " + word("d", i), Code: word("d", i),
			SubjectIDs: subjectIDs[2*i : 2*i+2],
		})
	}
	for i := range channelCount {
		w.channels = append(w.channels, &catalogue.Channel{
			Meta: meta(catalogue.KindChannel, i), Name: "Channel " + channelWord(i), Description: "About " + channelWord(i),
			IngestType: "MANUAL", Private: chance(random, 0.3), Categories: some(random, themaCodes, 0.15),
			DistributionMethods: some(random, catalogue.DistributionMethods(), 0.6),
		})
	}
	for i := range videoCount {
		w.videos = append(w.videos, drawVideo(random, i, today))
	}
	for _, id := range collectionIDs {
		w.collections[id] = some(random, videoIDs, 0.25)
	}
	return w
}

func drawVideo(random *rand.Rand, i int, today catalogue.Date) *catalogue.Video {
	v := &catalogue.Video{
		Meta: meta(catalogue.KindVideo, i), Title: "Lesson " + videoWord(i), Description: "A lesson on " + videoWord(i),
		Type: one(random, catalogue.VideoTypes()), ChannelID: one(random, channelIDs), SubjectIDs: some(random, subjectIDs, 0.3),
		ReleasedOn: today, EducationLevels: some(random, levelCodes, 0.3), Categories: some(random, themaCodes, 0.2),
		TopicIDs: some(random, topicIDs, 0.3), BestForIDs: some(random, tagIDs, 0.3), Keywords: []string{"keyword " + videoWord(i)},
		LegacyID: legacyID(i), CEFRLevel: &level,
		Playback: catalogue.Playback{
			ID: "play-" + videoWord(i), Provider: catalogue.ProviderHLS, Duration: catalogue.Minute, Stream: "demo:bars",
		},
	}
	if chance(random, 0.25) {
		v.Playback.Provider, v.Playback.Stream = catalogue.ProviderYouTube, ""
	}
	if chance(random, 0.7) {
		language := one(random, languageCodes)
		v.Language = &language
	}
	if chance(random, 0.7) {
		v.ContentWarningIDs = some(random, warningIDs, 0.25)
	}
	if chance(random, 0.4) {
		until := today + one(random, []catalogue.Date{-1, 0, 1})
		v.AvailableUntil = &until
	}
	text := ""
	if chance(random, 0.6) {
		text = "The transcript of the water of " + videoWord(i)
	}
	v.Transcript = &text // an empty one removes that of an earlier round
	if chance(random, 0.1) {
		replacement := videoIDs[(i+1)%videoCount]
		v.Retired, v.RetiredInto = true, &replacement
	}
	return v
}

// items lists all items, each after those that it refers to.
func (w *world) items() []catalogue.Item {
	var items []catalogue.Item
	for i, code := range levelCodes {
		level := &catalogue.EducationLevel{Meta: meta(catalogue.KindEducationLevel, i), Code: code, Label: "Level " + code}
		level.ID = catalogue.EducationLevelID(code)
		items = append(items, level)
	}
	for i := range tagIDs {
		items = append(items, &catalogue.Tag{Meta: meta(catalogue.KindTag, i), Label: "Tag " + word("g", i)})
	}
	for i := range warningIDs {
		items = append(items, &catalogue.ContentWarning{Meta: meta(catalogue.KindContentWarning, i), Label: "Warning " + word("w", i)})
	}
	items = appendAll(items, w.subjects)
	items = appendAll(items, w.disciplines)
	for i := range topicIDs {
		items = append(items, &catalogue.Topic{Meta: meta(catalogue.KindTopic, i), Name: "Topic " + word("t", i)})
	}
	items = appendAll(items, w.channels)
	return append(appendAll(items, w.videos), learning()...)
}

func appendAll[T catalogue.Item](items []catalogue.Item, list []T) []catalogue.Item {
	for _, item := range list {
		items = append(items, item)
	}
	return items
}

// end returns the video at the end of a chain of retired videos; nil if the chain is a circle.
func (w *world) end(v *catalogue.Video) *catalogue.Video {
	for range w.videos {
		if !v.Retired {
			return v
		}
		v = w.video(*v.RetiredInto)
	}
	return nil
}

func (w *world) video(id catalogue.ID) *catalogue.Video { return withID(w.videos, id) }

// withID returns the item with an ID, or nil.
func withID[T catalogue.Item](items []T, id catalogue.ID) (found T) {
	if at := slices.IndexFunc(items, func(item T) bool { return item.Head().ID == id }); at >= 0 {
		found = items[at]
	}
	return found
}

func chance(random *rand.Rand, p float64) bool { return random.Float64() < p }

func one[T any](random *rand.Rand, pool []T) T { return pool[random.IntN(len(pool))] }

// some draws each value of a pool with a probability; it is never nil.
func some[T any](random *rand.Rand, pool []T, p float64) []T {
	list := []T{}
	for _, value := range pool {
		if chance(random, p) {
			list = append(list, value)
		}
	}
	return list
}
