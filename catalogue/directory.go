package catalogue

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Directory holds all catalogue items except videos and OwnedItems, as of one position of the log. It is immutable.
type Directory struct {
	// Position is the position of the log that the directory reflects.
	Position int64

	// The lists are sorted by name or label, folded with FoldName, then by ID. Education levels are sorted by code.
	Contracts         []*Contract
	LegalRestrictions []*LegalRestriction
	EducationLevels   []*EducationLevel
	Tags              []*Tag
	ContentWarnings   []*ContentWarning
	Subjects          []*Subject
	Disciplines       []*Discipline
	Topics            []*Topic
	Phrases           []*Phrase
	Synonyms          []*Synonym // sorted by first variant
	SearchRules       []*SearchRule
	Providers         []*Provider
	Channels          []*Channel

	items map[key]Item
	codes map[string]*EducationLevel
	named map[name]Item
}

// key identifies an item. IDs are unique within a kind only, because items may bring their own.
type key struct {
	kind Kind
	id   ID
}

// name is a folded name in a kind whose names are unique.
type name struct {
	kind   Kind
	folded string
}

// NewDirectory returns a directory of the given items, which must no longer change. It ignores videos and
// OwnedItems.
func NewDirectory(position int64, items []Item) *Directory {
	d := &Directory{
		Position: position,
		items:    make(map[key]Item, len(items)),
		codes:    map[string]*EducationLevel{},
		named:    map[name]Item{},
	}
	for _, item := range items {
		d.add(item)
	}
	d.Contracts = byName(items, func(c *Contract) string { return c.Name })
	d.LegalRestrictions = byName(items, func(r *LegalRestriction) string { return r.Text })
	d.EducationLevels = ofType[*EducationLevel](items)
	slices.SortFunc(d.EducationLevels, func(a, b *EducationLevel) int { return strings.Compare(a.Code, b.Code) })
	d.Tags = byName(items, func(t *Tag) string { return t.Label })
	d.ContentWarnings = byName(items, func(w *ContentWarning) string { return w.Label })
	d.Subjects = byName(items, func(s *Subject) string { return s.Name })
	d.Disciplines = byName(items, func(x *Discipline) string { return x.Name })
	d.Topics = byName(items, func(t *Topic) string { return t.Name })
	d.Phrases = byName(items, func(p *Phrase) string { return p.Text })
	d.Synonyms = byName(items, func(s *Synonym) string { return firstOf(s.Words) })
	d.SearchRules = byName(items, func(r *SearchRule) string { return r.Query })
	d.Providers = byName(items, func(p *Provider) string { return p.Name })
	d.Channels = byName(items, func(c *Channel) string { return c.Name })
	return d
}

// add makes an item available to look-ups.
func (d *Directory) add(item Item) {
	if !Holds(item.Kind()) {
		return
	}
	d.items[key{item.Kind(), item.Head().ID}] = item
	if level, ok := item.(*EducationLevel); ok {
		d.codes[level.Code] = level
	}
	if unique := UniqueName(item); unique != "" {
		d.named[name{item.Kind(), unique}] = item
	}
}

// UniqueName returns the folded name of an item that is unique within its kind: the name of channels, subjects and
// tags, the code of disciplines, the text of phrases, the query of search rules, and the slug of providers. It
// returns "" for kinds without unique names.
func UniqueName(item Item) string {
	switch item := item.(type) {
	case *Channel:
		return FoldName(item.Name)
	case *Subject:
		return FoldName(item.Name)
	case *Tag:
		return FoldName(item.Label)
	case *Discipline:
		return FoldName(item.Code)
	case *Phrase:
		return FoldName(item.Text)
	case *SearchRule:
		return FoldName(item.Query)
	case *Provider:
		return item.Slug
	}
	return ""
}

func firstOf(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}

// ofType returns the items of one type, in their order.
func ofType[T Item](items []Item) (list []T) {
	for _, item := range items {
		if one, ok := item.(T); ok {
			list = append(list, one)
		}
	}
	return list
}

// byName returns the items of one type, sorted by folded name, then by ID.
func byName[T Item](items []Item, name func(T) string) []T {
	list := ofType[T](items)
	folded := make(map[ID]string, len(list))
	for _, item := range list {
		folded[item.Head().ID] = FoldName(name(item))
	}
	slices.SortFunc(list, func(a, b T) int {
		x, y := a.Head().ID, b.Head().ID
		return cmp.Or(strings.Compare(folded[x], folded[y]), strings.Compare(string(x), string(y)))
	})
	return list
}

// FoldName returns the key by which names are compared and sorted in every engine: lower case, with leading and
// trailing spaces removed and inner spaces collapsed.
func FoldName(name string) string {
	return strings.Join(strings.Fields(strings.ToLower(name)), " ")
}

// Holds reports whether directories hold items of the kind.
func Holds(kind Kind) bool { return kind != KindVideo && !kind.IsRecord() }

// Has reports whether the directory holds the item.
func (d *Directory) Has(kind Kind, id ID) bool {
	_, ok := d.items[key{kind, id}]
	return ok
}

func lookUp[T Item](d *Directory, id ID) T {
	var item T
	item, _ = d.items[key{item.Kind(), id}].(T)
	return item
}

// withName returns the item whose unique name, as UniqueName returns it, is the given one.
func withName[T Item](d *Directory, folded string) T {
	var item T
	item, _ = d.named[name{item.Kind(), folded}].(T)
	return item
}

// Contract returns the contract with the given ID, or nil. The methods for other kinds do the same.
func (d *Directory) Contract(id ID) *Contract { return lookUp[*Contract](d, id) }

// Tag returns the tag with the given ID, or nil.
func (d *Directory) Tag(id ID) *Tag { return lookUp[*Tag](d, id) }

// ContentWarning returns the content warning with the given ID, or nil.
func (d *Directory) ContentWarning(id ID) *ContentWarning { return lookUp[*ContentWarning](d, id) }

// Subject returns the subject with the given ID, or nil.
func (d *Directory) Subject(id ID) *Subject { return lookUp[*Subject](d, id) }

// Discipline returns the discipline with the given ID, or nil.
func (d *Directory) Discipline(id ID) *Discipline { return lookUp[*Discipline](d, id) }

// Topic returns the topic with the given ID, or nil.
func (d *Directory) Topic(id ID) *Topic { return lookUp[*Topic](d, id) }

// Channel returns the channel with the given ID, or nil.
func (d *Directory) Channel(id ID) *Channel { return lookUp[*Channel](d, id) }

// Provider returns the provider with the given ID, or nil.
func (d *Directory) Provider(id ID) *Provider { return lookUp[*Provider](d, id) }

// EducationLevel returns the education level with the given code, or nil.
func (d *Directory) EducationLevel(code string) *EducationLevel { return d.codes[code] }

// ChannelNamed returns the channel with the given name, compared with FoldName, or nil.
func (d *Directory) ChannelNamed(text string) *Channel { return withName[*Channel](d, FoldName(text)) }

// SubjectNamed returns the subject with the given name, compared with FoldName, or nil.
func (d *Directory) SubjectNamed(text string) *Subject { return withName[*Subject](d, FoldName(text)) }

// TagLabeled returns the tag with the given label, compared with FoldName, or nil.
func (d *Directory) TagLabeled(text string) *Tag { return withName[*Tag](d, FoldName(text)) }

// StateOf returns the properties of a video that determine who sees it.
func (d *Directory) StateOf(v *Video) State {
	state := d.stateWithoutTraits(v)
	state.Traits = d.TraitsOf(v)
	return state
}

func (d *Directory) stateWithoutTraits(v *Video) State {
	channel := d.Channel(v.ChannelID)
	return State{
		Ref: v.Ref(), Sequence: v.Sequence, UpdatedAt: v.UpdatedAt, AvailableUntil: v.AvailableUntil,
		Private: channel != nil && channel.Private, Retired: v.Retired, RetiredInto: v.RetiredInto,
		Duration: v.Playback.Duration,
	}
}

// Shows returns StateOf(v).VisibleTo(access, today), but determines the video's traits only if there are rules.
func (d *Directory) Shows(v *Video, access Access, today Date) bool {
	state := d.stateWithoutTraits(v)
	if access.Rules != nil {
		state.Traits = d.TraitsOf(v)
	}
	return state.VisibleTo(access, today)
}

// TraitsOf returns the traits of a video. They share the video's slices.
func (d *Directory) TraitsOf(v *Video) Traits { return TraitsOf(v, d.Channel(v.ChannelID)) }

// ContractOf returns the contract of the video's channel, or nil.
func (d *Directory) ContractOf(v *Video) *Contract {
	if channel := d.Channel(v.ChannelID); channel != nil && channel.ContractID != nil {
		return d.Contract(*channel.ContractID)
	}
	return nil
}

// CategoriesOf returns the Thema codes of the video and its channel, sorted and without duplicates.
func (d *Directory) CategoriesOf(v *Video) []string {
	return categoriesOf(v, d.Channel(v.ChannelID))
}

// Shown describes how a change of an item affects the videos that refer to it.
type Shown int

// The effects, in increasing order.
const (
	// ShownNowhere means that videos are not affected.
	ShownNowhere Shown = iota
	// ShownInSearch means that videos must be indexed again, but their documents are unchanged.
	ShownInSearch
	// ShownInDocument means that the documents of the videos change.
	ShownInDocument
)

// ShownBy returns how the change of an item affects the videos that refer to it directly or, for a contract, through
// their channel.
func ShownBy(before, after Item) Shown {
	switch after := after.(type) {
	case *Channel:
		return shownByChannel(before.(*Channel), after)
	case *Contract:
		return shownByContract(*before.(*Contract), *after)
	case *Subject:
		return shownBySubject(*before.(*Subject), *after)
	case *Discipline, *Topic, *Video, *LegalRestriction, *Phrase, *Synonym, *SearchRule, *Provider:
		return ShownNowhere
	default:
		return ShownInDocument
	}
}

// shownByContract: videos show everything in a contract except its name.
func shownByContract(before, after Contract) Shown {
	before.Meta, before.Name = after.Meta, after.Name
	return shownUnlessEqual(before, after)
}

// shownBySubject: videos show everything in a subject except its market segments.
func shownBySubject(before, after Subject) Shown {
	before.Meta, before.MarketSegments = after.Meta, after.MarketSegments
	return shownUnlessEqual(before, after)
}

func shownUnlessEqual(before, after any) Shown {
	if reflect.DeepEqual(before, after) {
		return ShownNowhere
	}
	return ShownInDocument
}

func shownByChannel(before, after *Channel) Shown {
	sameContract := (before.ContractID == nil) == (after.ContractID == nil) &&
		(before.ContractID == nil || *before.ContractID == *after.ContractID)
	switch {
	case before.Name != after.Name || !sameContract:
		return ShownInDocument
	case before.Private != after.Private || !slices.Equal(before.Categories, after.Categories) ||
		!slices.Equal(before.DistributionMethods, after.DistributionMethods):
		return ShownInSearch
	}
	return ShownNowhere
}
