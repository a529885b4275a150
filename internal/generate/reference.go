package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Source is the source of all generated items.
const Source = "generated"

// educationLevels are codes of the Thema qualifiers 4C, with labels.
var educationLevels = [][2]string{
	{"4CA", "Pre-school"}, {"4CD", "Primary education"}, {"4CL", "Secondary education"},
	{"4CN", "Upper secondary education"}, {"4CP", "Vocational training"},
	{"4CPC", "Vocational certification"}, {"4CT", "Higher education"}, {"4CX", "Adult education"},
}

var tagLabels = []string{
	"Explainer", "Lesson starter", "Review", "Experiment", "Discussion", "Context", "Homework",
	"Application", "Brain break",
}

var warningLabels = []string{
	"Sensitive topics", "Violence", "War and conflict", "Blood or injury", "Discrimination",
	"Alcohol or drugs", "Natural disasters", "Strong language",
}

// sharedRecords holds everything that videos refer to: the whole catalogue except the videos.
type sharedRecords struct {
	items    []catalogue.Item // in the order of catalogue.Kinds
	tags     []catalogue.ID
	warnings []catalogue.ID
	subjects []catalogue.ID   // by area
	topics   [][]catalogue.ID // by area
	channels []channel
	// providers and themed, the videos of themes by subject, are set if there is material.
	providers []catalogue.ID
	themed    map[catalogue.ID][]catalogue.ID

	channelOrder, tagOrder, warningOrder, areaOrder *skewed
}

// channel is a channel with the properties that its videos share.
type channel struct {
	item   *catalogue.Channel
	areas  [2]int
	locale int
	kind   catalogue.VideoType
	// ages is an index into bands: the audience of most of its videos.
	ages int
}

func (r *sharedRecords) add(item catalogue.Item, reference string) catalogue.ID {
	if level, ok := named(item, reference).(*catalogue.EducationLevel); ok {
		level.ID = catalogue.EducationLevelID(level.Code)
	}
	r.items = append(r.items, item)
	return item.Head().ID
}

func newSharedRecords(options Options) *sharedRecords {
	r := &sharedRecords{
		channelOrder: newSkewed(channelCount(options.Videos)), tagOrder: newSkewed(len(tagLabels)),
		warningOrder: newSkewed(len(warningLabels)), areaOrder: newSkewed(len(areas)),
		themed: map[catalogue.ID][]catalogue.ID{},
	}
	contracts := r.addContracts()
	if options.Material {
		r.addLegalRestrictions()
	}
	for _, level := range educationLevels {
		r.add(&catalogue.EducationLevel{Code: level[0], Label: level[1]}, level[0])
	}
	for _, label := range tagLabels {
		r.tags = append(r.tags, r.add(&catalogue.Tag{Label: label}, "tag-"+slug(label)))
	}
	for _, label := range warningLabels {
		r.warnings = append(r.warnings, r.add(&catalogue.ContentWarning{Label: label}, "warning-"+slug(label)))
	}
	r.addSubjects()
	r.addDisciplines()
	r.addTopics()
	if options.Material {
		r.addPhrases()
		r.addSynonyms()
		r.addSearchRule(options.Videos)
		r.addProviders()
	}
	r.addChannels(options, contracts)
	return r
}

func slug(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

func (r *sharedRecords) addContracts() (ids []catalogue.ID) {
	allowed, restricted, forbidden := catalogue.EditingPermission("ALLOWED"), catalogue.EditingPermission("ALLOWED_WITH_RESTRICTIONS"), catalogue.EditingPermission("NOT_ALLOWED")
	for i, contract := range []*catalogue.Contract{
		{EditingPermission: &allowed, TerritoryType: "NO_RESTRICTIONS"},
		{EditingPermission: &restricted, EditingInfo: "Clips of up to three minutes", TerritoryType: "NO_RESTRICTIONS", MaxLicenseDurationYears: new(7)},
		{EditingPermission: &forbidden, TerritoryType: "RESTRICTED", Territories: []string{"Canada", "Ireland", "United Kingdom"}, AdditionalTerritoryInfo: "Schools only"},
		{Video: new("Keep the credits at the end"), TerritoryType: "NO_RESTRICTIONS", MaxLicenseDurationYears: new(3)},
		{},
	} {
		contract.Name = fmt.Sprintf("Agreement %d", i+1)
		ids = append(ids, r.add(contract, fmt.Sprintf("contract-%d", i+1)))
	}
	return ids
}

func (r *sharedRecords) addSubjects() {
	for _, area := range areas {
		code, description, _ := strings.Cut(area.thema, " ")
		r.subjects = append(r.subjects, r.add(&catalogue.Subject{
			Name:           area.name,
			Categories:     []catalogue.SubjectCategory{{Code: code, Description: description}},
			MarketSegments: area.segments,
		}, "subject-"+slug(area.name)))
	}
}

func (r *sharedRecords) addDisciplines() {
	for _, discipline := range disciplineNames {
		var subjects []catalogue.ID
		for i, area := range areas {
			if area.discipline == discipline[0] {
				subjects = append(subjects, r.subjects[i])
			}
		}
		r.add(&catalogue.Discipline{Name: discipline[1], Code: discipline[0], SubjectIDs: subjects}, "discipline-"+discipline[0])
	}
}

// topicsPerArea is the number of topics per area, each made of two nouns.
const topicsPerArea = 6

func (r *sharedRecords) addTopics() {
	for _, area := range areas {
		nouns := strings.Fields(area.nouns)
		var topics []catalogue.ID
		for i := range topicsPerArea {
			name := string(capitalize([]byte(plural(nouns[2*i])+" and "+plural(nouns[2*i+1])), 0))
			topics = append(topics, r.add(&catalogue.Topic{Name: name}, "topic-"+slug(area.name)+"-"+strconv.Itoa(i+1)))
		}
		r.topics = append(r.topics, topics)
	}
}

// channelCount returns the number of channels, which grows with the square root of the number of videos.
func channelCount(videos int) int {
	root := 0
	for (root+1)*(root+1) <= videos {
		root++
	}
	return 8 + root*3/2
}

var channelSuffixes = []string{"Academy", "Films", "Classroom", "Archive", "Learning", "Studio", "News", "Lab"}

func (r *sharedRecords) addChannels(options Options, contracts []catalogue.ID) {
	rng := rand.New(rand.NewPCG(options.Seed, 1<<63))
	spoken, ordinary := newSkewed(len(catalogue.Subtypes())), newSkewed(len(contracts))
	for i := range channelCount(options.Videos) {
		c := channel{
			areas:  [2]int{r.areaOrder.draw(rng), r.areaOrder.draw(rng)},
			locale: pick(rng, 84, 6, 4, 3, 3),
			kind:   videoTypes[pick(rng, typeShares...)],
			ages:   rng.IntN(len(bands)),
		}
		switch {
		case i < openChannels:
			c.locale, c.kind = 0, catalogue.Instructional
		case i >= 2*openChannels && i < 2*openChannels+len(locales()): // a small catalogue, too, has every language
			c.locale = i - 2*openChannels
		}
		category, _, _ := strings.Cut(areas[c.areas[0]].thema, " ")
		name := string(appendLatinName(nil, uint32(i))) + " " + channelSuffixes[i%len(channelSuffixes)]
		c.item = &catalogue.Channel{
			Name:              name,
			Description:       name + " makes videos about " + areas[c.areas[0]].name + " and " + areas[c.areas[1]].name + ".",
			OneLineDesc:       areas[c.areas[0]].name + " for everyone",
			ContentType:       string(c.kind),
			Language:          new(locales()[c.locale].language),
			ContentCategories: []catalogue.Subtype{catalogue.Subtypes()[spoken.draw(rng)]},
			IngestType:        catalogue.IngestTypes()[pick(rng, 5, 2, 2, 1)],
			EducationLevels:   slices.Clone(bands[c.ages].levels),
			Private:           i >= openChannels && rng.IntN(16) == 0,
		}
		if rng.IntN(4) == 0 {
			c.item.Categories = []string{category}
		}
		if rng.IntN(10) > 0 {
			c.item.ContractID = new(contracts[ordinary.draw(rng)])
		}
		r.add(c.item, "channel-"+strconv.Itoa(i+1))
		r.channels = append(r.channels, c)
	}
	r.staffFacts(options.Seed)
}

// drawChannel draws by Zipf's law, and one time in four evenly, so that small channels occur.
func (r *sharedRecords) drawChannel(rng *rand.Rand) *channel {
	if rng.Uint64()%4 == 0 {
		return &r.channels[rng.IntN(len(r.channels))]
	}
	return &r.channels[r.channelOrder.draw(rng)]
}

// pick draws an index with a probability proportional to its weight.
func pick(rng *rand.Rand, weights ...int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	at := rng.IntN(total)
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}
