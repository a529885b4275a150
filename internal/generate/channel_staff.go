package generate

import (
	"math/rand/v2"
	"strconv"

	"github.com/filmstrip/filmstrip/catalogue"
)

// staffFacts sets the fields of channels that only staff sees: some on every channel, all on some. It uses a random
// stream of its own, so that everything else is the same without it.
func (r *sharedRecords) staffFacts(seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1<<63+1))
	for i := range r.channels {
		r.staffFactsOf(rng, &r.channels[i], "https://media.example/channels/"+strconv.Itoa(i+1))
	}
}

func (r *sharedRecords) staffFactsOf(rng *rand.Rand, c *channel, address string) {
	item, public := c.item, bands[c.ages]
	item.Currency = []catalogue.Currency{"USD", "GBP", "EUR", ""}[pick(rng, 5, 2, 2, 1)]
	methods := catalogue.DistributionMethods()
	item.DistributionMethods = [][]catalogue.DistributionMethod{methods, methods[:1], methods[1:], nil}[pick(rng, 12, 5, 1, 2)]
	item.VideoLevelTagging = rng.IntN(4) == 0
	switch item.IngestType {
	case "MRSS":
		item.IngestURLs = []string{address + "/feed.xml"}
	case "YOUTUBE":
		item.IngestPlaylistIDs = []string{"PL" + strconv.FormatUint(rng.Uint64(), 36)}
	}
	if rng.IntN(3) > 0 {
		return
	}
	item.AgeRange = ageRange(public)
	item.Marketing = catalogue.ChannelMarketing{
		Status:       []string{"Needs content", "Ready to promote", "Promoted"}[rng.IntN(3)],
		OneLineIntro: item.OneLineDesc, Logos: []string{address + "/logo.png"},
		Showreel: address + "/showreel.mp4", SampleVideos: []string{address + "/sample.mp4"},
	}
	item.Pedagogy = catalogue.ChannelPedagogy{
		SubjectIDs: []catalogue.ID{r.subjects[c.areas[0]]}, AgeRanges: []catalogue.AgeRange{ageRange(public)},
		BestForTagIDs: []catalogue.ID{r.tags[r.tagOrder.draw(rng)]},
	}
}
