package generate

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Epoch is today's date in a generated catalogue: release dates are in the twenty years before it, ends of availability
// on both sides of it.
const Epoch catalogue.Date = 20_454 // 2026-01-01

const (
	// demoVideos is the number of videos, the first ones, that play the streams in the binary.
	demoVideos = 12
	// openChannels is the number of channels, the first ones, that are public and in English. The demo videos belong to
	// them.
	openChannels = 4
	// retiredEvery and retiredAt select the retired videos; every second one names the preceding video as its
	// replacement and repeats its texts.
	retiredEvery, retiredAt = 200, 173
)

// demoStreams are the streams in the binary (internal/media), with their lengths.
var demoStreams = []struct {
	name   string
	length catalogue.Duration
}{
	{"pattern", 30 * catalogue.Second}, {"fractal", 24 * catalogue.Second}, {"bars", 18 * catalogue.Second},
}

var videoTypes = catalogue.VideoTypes()

// typeShares are the percentages of videoTypes.
var typeShares = []int{12, 70, 9, 4, 5}

// band is an audience: ages in years (0: unknown) with matching education levels.
type band struct {
	low, high int
	levels    []string
}

var bands = []band{
	{3, 5, []string{"4CA"}}, {5, 9, []string{"4CD"}}, {7, 11, []string{"4CD"}},
	{11, 14, []string{"4CL"}}, {11, 16, []string{"4CL"}}, {14, 18, []string{"4CL", "4CN"}},
	{16, 18, []string{"4CN", "4CP"}}, {16, 0, []string{"4CP", "4CPC"}}, {18, 0, []string{"4CT"}},
	{18, 99, []string{"4CT", "4CX"}}, {0, 11, []string{"4CA", "4CD"}}, {12, 12, []string{"4CL"}},
}

// generator generates the videos of a catalogue, each from its number alone.
type generator struct {
	options Options
	*sharedRecords
	speaker speaker
	source  *rand.PCG
	rng     *rand.Rand
}

func newGenerator(options Options) *generator {
	source := rand.NewPCG(0, 0)
	rng := rand.New(source)
	return &generator{
		options: options, sharedRecords: newSharedRecords(options), source: source, rng: rng,
		speaker: speaker{rng: rng},
	}
}

func videoReference(number int) string { return "video-" + strconv.Itoa(number+1) }

// video generates the video with a number, from 0 on.
func (g *generator) video(number int) *catalogue.Video {
	if number%(2*retiredEvery) == retiredAt {
		return g.retiredDuplicate(number)
	}
	// The odd factor separates the random streams of neighboring numbers.
	g.source.Seed(g.options.Seed, (uint64(number)+1)*0x9E3779B97F4A7C15)
	from := g.drawChannel(g.rng)
	isDemo := number < demoVideos
	if isDemo {
		from = &g.channels[number%openChannels]
	}
	v := named(&catalogue.Video{ChannelID: from.item.ID}, videoReference(number))
	area := from.areas[pick(g.rng, 3, 1)]
	g.write(v, from, area)
	g.classify(v, from, area)
	g.rate(v, from)
	g.play(v, number)
	if !isDemo {
		g.limit(v, number)
	}
	g.transcribe(v)
	return v
}

func (g *generator) retiredDuplicate(number int) *catalogue.Video {
	v := g.video(number - 1)
	replacement := v.ID
	named(v, videoReference(number))
	v.Retired, v.RetiredInto = true, &replacement
	v.LegacyID, v.Playback.ID = "", playbackID(number)
	return v
}

// chance returns true in the given number of a thousand cases.
func (g *generator) chance(perMille int) bool { return g.rng.IntN(1000) < perMille }

// write sets the video's language and texts.
func (g *generator) write(v *catalogue.Video, from *channel, area int) {
	spoken := locales()[from.locale]
	if g.chance(970) {
		v.Language = new(spoken.language)
	}
	g.speaker.about(spoken, area, g.areaOrder.draw(g.rng))
	v.Title = g.speaker.title()
	v.Description = g.speaker.description()
	if g.chance(60) {
		v.AdditionalDescription = new(g.speaker.sentences(spoken.sentences, 10))
	}
	if g.chance(700) {
		v.Keywords = g.keywords()
	}
}

// transcribe comes last, so that a catalogue is the same with and without transcripts.
func (g *generator) transcribe(v *catalogue.Video) {
	if words := g.options.TranscriptWords; words > 0 && g.chance(950) {
		v.HasTranscript = true
		v.Transcript = new(g.speaker.transcript(max(1, words/2+g.rng.IntN(words+1))))
	}
}

func (g *generator) keywords() []string {
	nouns := g.speaker.area.nouns
	keywords := []string{nouns.list[g.speaker.focus]}
	for range g.rng.IntN(6) {
		if word := nouns.draw(g.rng); !slices.Contains(keywords, word) {
			keywords = append(keywords, word)
		}
	}
	if g.chance(300) {
		keywords = append(keywords, string(g.speaker.locale.term(nil, drawTail(g.rng))))
	}
	return keywords
}

// classify sets the video's subjects, topics and type.
func (g *generator) classify(v *catalogue.Video, from *channel, area int) {
	v.Type = from.kind
	if g.chance(150) {
		v.Type = videoTypes[pick(g.rng, typeShares...)]
	}
	v.SubjectIDs = []catalogue.ID{g.subjects[area]}
	if other := from.areas[1]; other != area && g.chance(200) {
		v.SubjectIDs = append(v.SubjectIDs, g.subjects[other])
	}
	if g.chance(30) {
		v.SubjectIDs = nil
	}
	v.SubjectsSetManually = g.chance(400)
	v.TopicIDs = g.some(g.topics[area], nil, pick(g.rng, 45, 40, 12, 3))
	code, _, _ := strings.Cut(areas[area].thema, " ")
	switch pick(g.rng, 25, 50, 25) {
	case 1:
		v.Categories = []string{code}
	case 2:
		v.Categories = []string{code + string(rune('A'+g.speaker.focus%6)), "YPA"}
	}
	subtypes := catalogue.Subtypes()
	switch pick(g.rng, 20, 60, 20) {
	case 1:
		v.ContentCategories = slices.Clone(from.item.ContentCategories)
	case 2:
		own := from.item.ContentCategories[0]
		v.ContentCategories = []catalogue.Subtype{own}
		if other := subtypes[g.rng.IntN(len(subtypes))]; other != own {
			v.ContentCategories = append(v.ContentCategories, other)
		}
	}
	// Release dates thin out into the past: the smaller of two draws.
	age := min(g.rng.IntN(20*365), g.rng.IntN(20*365))
	v.ReleasedOn = Epoch - catalogue.Date(age) - 1
}

// rate sets the audience of the video and how it can be used.
func (g *generator) rate(v *catalogue.Video, from *channel) {
	public := bands[from.ages]
	if g.chance(350) {
		public = bands[g.rng.IntN(len(bands))]
	}
	if g.chance(780) {
		v.AgeRange = ageRange(public)
	}
	if g.chance(650) {
		v.EducationLevels = slices.Clone(public.levels)
	}
	if g.chance(60) {
		v.CEFRLevel = new(catalogue.CEFRLevels()[pick(g.rng, 12, 22, 28, 22, 11, 5)])
	}
	if g.chance(140) {
		v.BestForIDs = g.some(g.tags, g.tagOrder, pick(g.rng, 0, 75, 20, 5))
	}
	switch pick(g.rng, 60, 26, 14) {
	case 1:
		v.ContentWarningIDs = []catalogue.ID{}
	case 2:
		v.ContentWarningIDs = g.some(g.warnings, g.warningOrder, pick(g.rng, 0, 80, 17, 3))
	}
	v.Promoted = g.chance(12)
	if g.chance(80) {
		v.Attachments = g.attachments(v.ID)
	}
}

func ageRange(public band) (r catalogue.AgeRange) {
	if public.low > 0 {
		r.Min = new(public.low)
	}
	if public.high > 0 {
		r.Max = new(public.high)
	}
	return r
}

func (g *generator) attachments(video catalogue.ID) []catalogue.Attachment {
	attachments := make([]catalogue.Attachment, pick(g.rng, 0, 8, 2))
	for i := range attachments {
		id := string(video[:12]) + "-" + strconv.Itoa(i+1)
		attachments[i] = catalogue.Attachment{
			ID: id, Type: catalogue.AttachmentTypes()[pick(g.rng, 6, 3, 1)],
			Link: "https://media.example/attachments/" + id + ".pdf",
		}
		if g.chance(600) {
			attachments[i].Description = new(g.speaker.sentences(g.speaker.locale.sentences, 8))
		}
	}
	return attachments
}

// limit hides a few videos, and sets rare fields.
func (g *generator) limit(v *catalogue.Video, number int) {
	v.Retired = number%retiredEvery == retiredAt
	if g.chance(30) {
		v.AvailableUntil = new(Epoch + catalogue.Date(g.rng.IntN(3*365)-365))
	}
	if g.chance(40) {
		v.LegalRestrictions = "For use in classrooms only"
	}
	if g.chance(300) {
		v.LegacyID = strconv.Itoa(1_000_000 + number)
	}
}

// some draws up to n different ids, by an order or, if it is nil, evenly; nil for n = 0.
func (g *generator) some(ids []catalogue.ID, order *skewed, n int) (out []catalogue.ID) {
	for range n {
		at := g.rng.IntN(len(ids))
		if order != nil {
			at = order.draw(g.rng)
		}
		if !slices.Contains(out, ids[at]) {
			out = append(out, ids[at])
		}
	}
	return out
}
