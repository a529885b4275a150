package catalogue_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
)

// hexID returns the ID that ends in n in hexadecimal.
func hexID(n int) catalogue.ID { return catalogue.ID(fmt.Sprintf("%024x", n)) }

func meta(n int) catalogue.Meta { return catalogue.Meta{ID: hexID(n)} }

// tail returns the ends of the items' IDs without leading zeros.
func tail[T catalogue.Item](list []T) string {
	var texts []string
	for _, item := range list {
		texts = append(texts, strings.TrimLeft(string(item.Head().ID), "0"))
	}
	return strings.Join(texts, " ")
}

// TestDirectoryOrder checks that directories sort by folded name, then by ID, and education levels by code.
func TestDirectoryOrder(t *testing.T) {
	// The names are in order. Two of them fold to the same name, so their IDs decide.
	names := []string{" 3D Art", "art", "ART  history", "Art History", "biology", "Émile", "élan"}
	order := "2 7 1 3 4 6 5"
	numbers := []int{2, 7, 1, 3, 4, 5, 6}
	var items []catalogue.Item
	for i, name := range names {
		n := numbers[i]
		items = append(items,
			&catalogue.Contract{Meta: meta(n), Name: name}, &catalogue.Tag{Meta: meta(n), Label: name},
			&catalogue.ContentWarning{Meta: meta(n), Label: name}, &catalogue.Subject{Meta: meta(n), Name: name},
			&catalogue.Discipline{Meta: meta(n), Name: name, Code: "same"}, &catalogue.Topic{Meta: meta(n), Name: name},
			&catalogue.LegalRestriction{Meta: meta(n), Text: name}, &catalogue.Phrase{Meta: meta(n), Text: name},
			&catalogue.Synonym{Meta: meta(n), Words: []string{name, "same"}}, &catalogue.SearchRule{Meta: meta(n), Query: name},
			&catalogue.Provider{Meta: meta(n), Name: name, Slug: "same"}, &catalogue.School{Meta: meta(n), Name: name},
			&catalogue.Channel{Meta: meta(n), Name: name}, &catalogue.Video{Meta: meta(n), Title: name},
		)
	}
	for i, code := range []string{"4CA", "4CL", "4C", "4", "a", "B"} {
		items = append(items, &catalogue.EducationLevel{Meta: meta(i + 1), Code: code, Label: "Same"})
	}
	shuffled := rapid.Permutation(items)
	rapid.Check(t, func(t *rapid.T) {
		d := catalogue.NewDirectory(17, shuffled.Draw(t, "items"))
		if d.Position != 17 {
			t.Fatalf("the position is %d", d.Position)
		}
		for kind, got := range map[catalogue.Kind]string{
			catalogue.KindContract: tail(d.Contracts), catalogue.KindTag: tail(d.Tags), catalogue.KindContentWarning: tail(d.ContentWarnings),
			catalogue.KindSubject: tail(d.Subjects), catalogue.KindDiscipline: tail(d.Disciplines), catalogue.KindTopic: tail(d.Topics),
			catalogue.KindChannel: tail(d.Channels), catalogue.KindLegalRestriction: tail(d.LegalRestrictions),
			catalogue.KindSynonym: tail(d.Synonyms), catalogue.KindSearchRule: tail(d.SearchRules),
			catalogue.KindPhrase: tail(d.Phrases), catalogue.KindProvider: tail(d.Providers),
		} {
			if got != order {
				t.Fatalf("%s: got %s, want %s", kind, got, order)
			}
		}
		if got := tail(d.EducationLevels); got != "4 3 1 2 6 5" {
			t.Fatalf("education levels: got %s", got)
		}
	})
}

// TestDirectoryLookUps checks that a directory finds things by kind and ID, also when things of different kinds share
// an ID.
func TestDirectoryLookUps(t *testing.T) {
	var items []catalogue.Item
	for _, kind := range catalogue.Kinds() {
		item := least(kind)
		item.Head().ID = someID
		items = append(items, item)
	}
	d, empty := catalogue.NewDirectory(1, items), catalogue.NewDirectory(0, nil)
	found := func(d *catalogue.Directory, id catalogue.ID) []any {
		return []any{d.Contract(id), d.Tag(id), d.ContentWarning(id), d.Subject(id), d.Discipline(id), d.Topic(id), d.Channel(id), d.Provider(id)}
	}
	of := map[catalogue.Kind]catalogue.Item{}
	for _, item := range items {
		of[item.Kind()] = item
	}
	want := []any{
		of[catalogue.KindContract], of[catalogue.KindTag], of[catalogue.KindContentWarning], of[catalogue.KindSubject],
		of[catalogue.KindDiscipline], of[catalogue.KindTopic], of[catalogue.KindChannel], of[catalogue.KindProvider],
	}
	if got := found(d, someID); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, nothing := range [][]any{found(d, hexID(9)), found(empty, someID)} {
		for _, item := range nothing {
			if text := fmt.Sprint(item); text != "<nil>" {
				t.Errorf("there is %s", text)
			}
		}
	}
	for _, kind := range catalogue.Kinds() {
		if d.Has(kind, someID) != catalogue.Holds(kind) || d.Has(kind, hexID(9)) || empty.Has(kind, someID) {
			t.Errorf("whether there is a %s is wrong", kind)
		}
	}
	if d.EducationLevel("4") != of[catalogue.KindEducationLevel] || d.EducationLevel("5") != nil || empty.EducationLevel("4") != nil {
		t.Error("education levels are not found by their codes")
	}
}

func TestDirectoryNames(t *testing.T) {
	channel := &catalogue.Channel{Meta: meta(1), Name: "Open  Lab"}
	subject := &catalogue.Subject{Meta: meta(1), Name: "Éducation Civique"}
	tag := &catalogue.Tag{Meta: meta(1), Label: "Hook"}
	d := catalogue.NewDirectory(1, []catalogue.Item{channel, subject, tag, &catalogue.Topic{Meta: meta(2), Name: "Waves"}})
	for _, text := range []string{"Open Lab", "open lab", "\tOPEN\n LAB "} {
		if d.ChannelNamed(text) != channel || d.SubjectNamed(text) != nil || d.TagLabeled(text) != nil {
			t.Errorf("%q is not the channel alone", text)
		}
	}
	if d.SubjectNamed("éducation CIVIQUE") != subject || d.TagLabeled("hook") != tag {
		t.Error("subject or tag is not found by its name")
	}
	for _, text := range []string{"", " ", "Open", "OpenLab", "Open Lab 2", "Waves", "hooks"} {
		if d.ChannelNamed(text) != nil || d.SubjectNamed(text) != nil || d.TagLabeled(text) != nil {
			t.Errorf("%q names something", text)
		}
	}
}

func TestUniqueName(t *testing.T) {
	for _, c := range []struct {
		item catalogue.Item
		want string
	}{
		{&catalogue.Channel{Name: " Open  LAB"}, "open lab"},
		{&catalogue.Subject{Name: "Physics"}, "physics"},
		{&catalogue.Tag{Label: "Hook"}, "hook"},
		{&catalogue.Discipline{Name: "The Arts", Code: "arts"}, "arts"},
		{&catalogue.Phrase{Text: "Solar  System"}, "solar system"},
		{&catalogue.SearchRule{Query: "Solar  System"}, "solar system"},
		{&catalogue.Synonym{Words: []string{"sun", "star"}}, ""},
		{&catalogue.Provider{Name: "x", Slug: "open-stax"}, "open-stax"},
		{&catalogue.Contract{Name: "x"}, ""},
		{&catalogue.EducationLevel{Code: "4", Label: "x"}, ""},
		{&catalogue.ContentWarning{Label: "x"}, ""},
		{&catalogue.Topic{Name: "x"}, ""},
		{&catalogue.Video{Title: "x"}, ""},
	} {
		if got := catalogue.UniqueName(c.item); got != c.want {
			t.Errorf("%s: got %q, want %q", c.item.Kind(), got, c.want)
		}
	}
}

func TestFoldName(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " ": "", "A": "a", "  Open \t\r\n Lab ": "open lab", "ÉTÉ": "été", "ΣΟΦΟΣ": "σοφοσ", "日本": "日本", "a\u00a0b\u3000c": "a b c",
	} {
		if got := catalogue.FoldName(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		folded := catalogue.FoldName(rapid.String().Draw(t, "name"))
		if again := catalogue.FoldName(folded); again != folded {
			t.Fatalf("%q is folded again to %q", folded, again)
		}
	})
}

func TestStateOf(t *testing.T) {
	private, public := &catalogue.Channel{Meta: meta(1), Private: true}, &catalogue.Channel{Meta: meta(2)}
	d := catalogue.NewDirectory(1, []catalogue.Item{private, public})
	video := &catalogue.Video{
		Meta: catalogue.Meta{ID: someID, Version: 17, UpdatedAt: time.Unix(1, 0)}, Sequence: 4, Playback: catalogue.Playback{Duration: catalogue.Second},
		AvailableUntil: new(catalogue.Date(9)), Retired: true, RetiredInto: new(hexID(5)),
	}
	for channel, hidden := range map[catalogue.ID]bool{private.ID: true, public.ID: false, hexID(3): false, "": false} {
		video.ChannelID = channel
		want := catalogue.State{
			Ref: catalogue.Ref{ID: someID, Version: 17}, Sequence: 4, UpdatedAt: time.Unix(1, 0), AvailableUntil: video.AvailableUntil,
			Private: hidden, Retired: true, RetiredInto: video.RetiredInto, Duration: catalogue.Second,
			Traits: catalogue.Traits{Channel: channel},
		}
		if got := d.StateOf(video); !reflect.DeepEqual(got, want) {
			t.Errorf("of channel %s: got %+v, want %+v", channel, got, want)
		}
		excluded, err := catalogue.CompileRules([]catalogue.AccessRule{{Type: catalogue.ExcludedChannels, Values: []string{string(public.ID)}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, retired := range []bool{true, false} {
			shown := *video
			shown.Retired = retired
			for _, access := range []catalogue.Access{{}, {PrivateChannels: true}, excluded} {
				for _, day := range []catalogue.Date{9, 10} {
					if got, want := d.Shows(&shown, access, day), d.StateOf(&shown).VisibleTo(access, day); got != want {
						t.Errorf("of channel %s, with %s on day %d: shown is %v", channel, access.Fingerprint(), day, got)
					}
				}
			}
		}
	}
}

func TestVisibleTo(t *testing.T) {
	const today = catalogue.Date(20_000)
	staff := catalogue.Access{PrivateChannels: true}
	for name, c := range map[string]struct {
		state               catalogue.State
		toAll, toStaffAlone bool
	}{
		"plain":                       {catalogue.State{}, true, false},
		"private":                     {catalogue.State{Private: true}, false, true},
		"retired":                     {catalogue.State{Retired: true}, false, false},
		"retired into a twin":         {catalogue.State{Retired: true, RetiredInto: new(someID)}, false, false},
		"ended yesterday":             {catalogue.State{AvailableUntil: new(today - 1)}, false, false},
		"ends today":                  {catalogue.State{AvailableUntil: new(today)}, true, false},
		"ends tomorrow":               {catalogue.State{AvailableUntil: new(today + 1)}, true, false},
		"private, ends today":         {catalogue.State{Private: true, AvailableUntil: new(today)}, false, true},
		"private, ended":              {catalogue.State{Private: true, AvailableUntil: new(today - 1)}, false, false},
		"retired, available, private": {catalogue.State{Retired: true, Private: true, AvailableUntil: new(today)}, false, false},
	} {
		if got := c.state.VisibleTo(catalogue.Access{}, today); got != c.toAll {
			t.Errorf("%s: to everyone: %v", name, got)
		}
		if got := c.state.VisibleTo(staff, today); got != (c.toAll || c.toStaffAlone) {
			t.Errorf("%s: to callers who see private channels: %v", name, got)
		}
	}
}

// TestAvailableThroughTheDay checks that a video is available until the last instant of its last UTC day.
func TestAvailableThroughTheDay(t *testing.T) {
	last, err := catalogue.ParseDate("2026-11-21")
	if err != nil {
		t.Fatal(err)
	}
	state := catalogue.State{AvailableUntil: &last}
	end := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	west := time.FixedZone("west", -8*3600)
	for at, want := range map[time.Time]bool{
		end.Add(-time.Nanosecond): true, end: false, end.Add(-24 * time.Hour): true,
		end.Add(-time.Nanosecond).In(west): true, end.In(west): false,
	} {
		if got := state.VisibleTo(catalogue.Access{}, catalogue.DateOf(at)); got != want {
			t.Errorf("at %s: %v", at, got)
		}
	}
}

func TestContractOf(t *testing.T) {
	contract := &catalogue.Contract{Meta: meta(1)}
	d := catalogue.NewDirectory(1, []catalogue.Item{
		contract,
		&catalogue.Channel{Meta: meta(1), ContractID: new(hexID(1))},
		&catalogue.Channel{Meta: meta(2), ContractID: new(hexID(9))},
		&catalogue.Channel{Meta: meta(3)},
	})
	for n, want := range map[int]*catalogue.Contract{1: contract, 2: nil, 3: nil, 4: nil} {
		if got := d.ContractOf(&catalogue.Video{ChannelID: hexID(n)}); got != want {
			t.Errorf("through channel %d: got %v, want %v", n, got, want)
		}
	}
}

func TestCategoriesOf(t *testing.T) {
	d := catalogue.NewDirectory(1, []catalogue.Item{
		&catalogue.Channel{Meta: meta(1), Categories: []string{"PH", "A"}}, &catalogue.Channel{Meta: meta(2)},
	})
	for _, c := range []struct {
		channel int
		own     []string
		want    string
	}{
		{1, []string{"PHD", "PH", "B"}, "A B PH PHD"}, {1, nil, "A PH"}, {2, []string{"Z", "B", "Z"}, "B Z"}, {2, nil, ""}, {3, []string{"B"}, "B"},
	} {
		own := slices.Clone(c.own)
		for range 2 { // the second round checks that the first left nothing behind
			if got := strings.Join(d.CategoriesOf(&catalogue.Video{ChannelID: hexID(c.channel), Categories: c.own}), " "); got != c.want {
				t.Errorf("channel %d and %v: got %q, want %q", c.channel, c.own, got, c.want)
			}
		}
		if !slices.Equal(own, c.own) || !slices.Equal(d.Channel(hexID(1)).Categories, []string{"PH", "A"}) {
			t.Errorf("channel %d and %v: what was stored has changed", c.channel, own)
		}
	}
}

// TestShownBy changes each field of each kind alone and checks the effect that ShownBy returns: the documents of videos
// change, videos must only be indexed again, or videos are not affected.
func TestShownBy(t *testing.T) {
	const (
		nowhere, search, document = catalogue.ShownNowhere, catalogue.ShownInSearch, catalogue.ShownInDocument
	)
	type change struct {
		name string
		by   func(catalogue.Item)
		want catalogue.Shown
	}
	channel := func(name string, want catalogue.Shown, by func(*catalogue.Channel)) change {
		return change{"channel's " + name, func(item catalogue.Item) { by(item.(*catalogue.Channel)) }, want}
	}
	contract := func(name string, want catalogue.Shown, by func(*catalogue.Contract)) change {
		return change{"contract's " + name, func(item catalogue.Item) { by(item.(*catalogue.Contract)) }, want}
	}
	subject := func(name string, want catalogue.Shown, by func(*catalogue.Subject)) change {
		return change{"subject's " + name, func(item catalogue.Item) { by(item.(*catalogue.Subject)) }, want}
	}
	for kind, changes := range map[catalogue.Kind][]change{
		catalogue.KindChannel: {
			channel("name", document, func(c *catalogue.Channel) { c.Name = "new" }),
			channel("contract", document, func(c *catalogue.Channel) { c.ContractID = new(hexID(2)) }),
			channel("contract taken away", document, func(c *catalogue.Channel) { c.ContractID = nil }),
			channel("contract, the same", nowhere, func(c *catalogue.Channel) { c.ContractID = new(*c.ContractID) }),
			channel("privacy", search, func(c *catalogue.Channel) { c.Private = false }),
			channel("categories", search, func(c *catalogue.Channel) { c.Categories = c.Categories[1:] }),
			channel("name and privacy", document, func(c *catalogue.Channel) { c.Name, c.Private = "new", false }),
			channel("description", nowhere, func(c *catalogue.Channel) { c.Description = "new" }),
			channel("line", nowhere, func(c *catalogue.Channel) { c.OneLineDesc = "new" }),
			channel("notes", nowhere, func(c *catalogue.Channel) { c.Notes = "new" }),
			channel("content type", nowhere, func(c *catalogue.Channel) { c.ContentType = "new" }),
			channel("legal restriction", nowhere, func(c *catalogue.Channel) { c.LegalRestriction = "new" }),
			channel("language", nowhere, func(c *catalogue.Channel) { c.Language = nil }),
			channel("content categories", nowhere, func(c *catalogue.Channel) { c.ContentCategories = nil }),
			channel("education levels", nowhere, func(c *catalogue.Channel) { c.EducationLevels = nil }),
			channel("ingest", nowhere, func(c *catalogue.Channel) { c.IngestType, c.IngestURLs, c.IngestPlaylistIDs = "", nil, nil }),
			channel("distribution methods", search, func(c *catalogue.Channel) { c.DistributionMethods = c.DistributionMethods[1:] }),
			channel("currency", nowhere, func(c *catalogue.Channel) { c.Currency = "EUR" }),
			channel("ages", nowhere, func(c *catalogue.Channel) { c.AgeRange = ages(1, 2) }),
			channel("tagging", nowhere, func(c *catalogue.Channel) { c.VideoLevelTagging = false }),
			channel("marketing", nowhere, func(c *catalogue.Channel) { c.Marketing.Status = "new" }),
			channel("pedagogy", nowhere, func(c *catalogue.Channel) { c.Pedagogy.SubjectIDs = nil }),
		},
		catalogue.KindContract: {
			contract("name", nowhere, func(c *catalogue.Contract) { c.Name = "new" }),
			contract("text on videos", document, func(c *catalogue.Contract) { c.Video = nil }),
			contract("text on videos, the same", nowhere, func(c *catalogue.Contract) { c.Video = new(*c.Video) }),
			contract("editing permission", document, func(c *catalogue.Contract) { c.EditingPermission = nil }),
			contract("editing info", document, func(c *catalogue.Contract) { c.EditingInfo = "new" }),
			contract("territory type", document, func(c *catalogue.Contract) { c.TerritoryType = "" }),
			contract("territories", document, func(c *catalogue.Contract) { c.Territories = c.Territories[1:] }),
			contract("no list of territories", document, func(c *catalogue.Contract) { c.Territories = nil }),
			contract("territory info", document, func(c *catalogue.Contract) { c.AdditionalTerritoryInfo = "new" }),
			contract("licence", document, func(c *catalogue.Contract) { *c.MaxLicenseDurationYears = 7 }),
		},
		catalogue.KindSubject: {
			subject("name", document, func(s *catalogue.Subject) { s.Name = "new" }),
			subject("categories", document, func(s *catalogue.Subject) { s.Categories[1].Description = "new" }),
			subject("no categories", document, func(s *catalogue.Subject) { s.Categories = nil }),
			subject("segments", nowhere, func(s *catalogue.Subject) { s.MarketSegments = nil }),
		},
		catalogue.KindTag: {{"tag's label", func(item catalogue.Item) { item.(*catalogue.Tag).Label = "new" }, document}},
		catalogue.KindContentWarning: {
			{"warning's label", func(item catalogue.Item) { item.(*catalogue.ContentWarning).Label = "new" }, document},
		},
		catalogue.KindEducationLevel: {
			{"level's label", func(item catalogue.Item) { item.(*catalogue.EducationLevel).Label = "new" }, document},
		},
		catalogue.KindDiscipline: {{"discipline's name", func(item catalogue.Item) { item.(*catalogue.Discipline).Name = "new" }, nowhere}},
		catalogue.KindTopic:      {{"topic's name", func(item catalogue.Item) { item.(*catalogue.Topic).Name = "new" }, nowhere}},
		catalogue.KindVideo:      {{"video's title", func(item catalogue.Item) { item.(*catalogue.Video).Title = "new" }, nowhere}},
	} {
		for _, change := range changes {
			after := fullest(kind)
			change.by(after)
			if got := catalogue.ShownBy(fullest(kind), after); got != change.want {
				t.Errorf("%s: got %d, want %d", change.name, got, change.want)
			}
		}
	}
}
