package resolvers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
)

// A rule whose values name nothing hides everything or nothing, without a trace. So every value that names something
// of the catalogue must exist when an operator writes it. What is deleted later stays in the rule, and an update may
// repeat it.

// kindNamedBy returns the kind of things whose ids, for education levels whose codes, the values of a rule are; "" for
// values from a list that the program knows, and for Thema codes, of which it knows only the form.
func kindNamedBy(rule catalogue.RuleType) catalogue.Kind {
	switch rule {
	case catalogue.IncludedVideos, catalogue.ExcludedVideos:
		return catalogue.KindVideo
	case catalogue.IncludedCollections:
		return collection.Kind
	case catalogue.IncludedChannels, catalogue.IncludedPrivateChannels, catalogue.ExcludedChannels:
		return catalogue.KindChannel
	case catalogue.IncludedSubjects:
		return catalogue.KindSubject
	case catalogue.IncludedEducationLevels, catalogue.ExcludedEducationLevels:
		return catalogue.KindEducationLevel
	case catalogue.ExcludedContentWarnings:
		return catalogue.KindContentWarning
	}
	return ""
}

// namedThing is what a value of a rule names.
type namedThing struct {
	kind  catalogue.Kind
	value string
}

// namedIn lists what rules name.
func namedIn(rules []catalogue.AccessRule) map[namedThing]bool {
	named := map[namedThing]bool{}
	for _, rule := range rules {
		if kind := kindNamedBy(rule.Type); kind != "" {
			for _, value := range rule.Values {
				named[namedThing{kind, value}] = true
			}
		}
	}
	return named
}

// knownThings says which of the things that rules name exist.
type knownThings struct {
	directory   *catalogue.Directory // nil: no rule names anything
	videos      map[catalogue.ID]bool
	collections map[catalogue.ID]bool
}

// knownOf looks for what rules name.
func (r *resolver) knownOf(ctx context.Context, rules []catalogue.AccessRule) (known knownThings, err error) {
	named := namedIn(rules)
	if len(named) == 0 {
		return known, nil
	}
	if known.directory, err = r.directoryToCheck(ctx); err != nil {
		return known, err
	}
	var videos, collections []catalogue.ID
	for thing := range named {
		switch id := catalogue.ID(thing.value); {
		case !id.Valid():
		case thing.kind == catalogue.KindVideo:
			videos = append(videos, id)
		case thing.kind == collection.Kind:
			collections = append(collections, id)
		}
	}
	if known.videos, err = r.knownVideos(ctx, videos); err != nil {
		return known, err
	}
	known.collections, err = r.knownCollections(ctx, collections)
	return known, err
}

// directoryToCheck is the directory for administration that names things of the catalogue, where there is a catalogue.
func (r *resolver) directoryToCheck(ctx context.Context) (*catalogue.Directory, error) {
	if r.catalogue == nil {
		return nil, fault.Errorf(fault.Unavailable, "ids of the catalogue cannot be checked here")
	}
	return r.directory(ctx)
}

func (r *resolver) knownVideos(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	known := make(map[catalogue.ID]bool, len(ids))
	for some := range slices.Chunk(ids, namedAtOnce) {
		states, err := r.catalogue.States(ctx, some)
		if err != nil {
			return nil, err
		}
		for i := range states {
			known[states[i].Ref.ID] = true
		}
	}
	return known, nil
}

// namedAtOnce is how many videos one question to the store names.
const namedAtOnce = 1000

func (r *resolver) knownCollections(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if r.shelves == nil {
		return nil, fault.Errorf(fault.Unavailable, "ids of collections cannot be checked here")
	}
	found, err := r.shelves.Collections(ctx, ids)
	known := make(map[catalogue.ID]bool, len(found))
	for _, one := range found {
		known[one.ID] = true
	}
	return known, err
}

// has reports whether a thing exists.
func (k knownThings) has(thing namedThing) bool {
	id := catalogue.ID(thing.value)
	switch thing.kind {
	case catalogue.KindVideo:
		return k.videos[id]
	case collection.Kind:
		return k.collections[id]
	case catalogue.KindEducationLevel:
		return k.directory.EducationLevel(thing.value) != nil
	}
	return k.directory.Has(thing.kind, id)
}

// check finds a fault for each value that names nothing, unless the rules of before name it too. Values that are no id
// at all are left to validation, except names of subjects and channels, whose ids the fault gives.
func (k knownThings) check(rules, before []catalogue.AccessRule) (faults changes) {
	had := namedIn(before)
	for i, rule := range rules {
		kind := kindNamedBy(rule.Type)
		if kind == "" {
			continue
		}
		for j, value := range rule.Values {
			field, thing := fmt.Sprintf("rules[%d].values[%d]", i, j), namedThing{kind, value}
			if kind != catalogue.KindEducationLevel && !catalogue.ID(value).Valid() {
				if id := idNamed(k.directory, kind, value); id != "" {
					faults.add(field, "%s: %q is not an id; the %s with this name has the id %q", rule.Type, catalogue.Shorten(value), kind, id)
				}
				continue
			}
			if !had[thing] && !k.has(thing) {
				faults.add(field, "%s: there is no %s %q%s", rule.Type, strings.ReplaceAll(string(kind), "-", " "), catalogue.Shorten(value), hintFor(k.directory, thing))
			}
		}
	}
	return faults
}

// idNamed is the id of the subject or channel with a name; "" for other kinds, and where there is none.
func idNamed(directory *catalogue.Directory, kind catalogue.Kind, name string) catalogue.ID {
	switch kind {
	case catalogue.KindSubject:
		if subject := directory.SubjectNamed(name); subject != nil {
			return subject.ID
		}
	case catalogue.KindChannel:
		if channel := directory.ChannelNamed(name); channel != nil {
			return channel.ID
		}
	}
	return ""
}

// mostLevels is how many codes of education levels a fault lists at most.
const mostLevels = 50

// hintFor says what an operator may have meant by something that does not exist; "": nobody knows.
func hintFor(directory *catalogue.Directory, thing namedThing) string {
	if thing.kind == catalogue.KindEducationLevel {
		var codes []string
		for _, level := range directory.EducationLevels {
			if catalogue.FoldName(level.Code) == catalogue.FoldName(thing.value) {
				return fmt.Sprintf("; did you mean %q?", level.Code)
			}
			codes = append(codes, level.Code)
		}
		if len(codes) == 0 || len(codes) > mostLevels {
			return ""
		}
		return "; the codes are " + strings.Join(codes, ", ")
	}
	var ids []catalogue.ID
	switch thing.kind {
	case catalogue.KindSubject:
		ids = idsIn(directory.Subjects)
	case catalogue.KindChannel:
		ids = idsIn(directory.Channels)
	case catalogue.KindContentWarning:
		ids = idsIn(directory.ContentWarnings)
	}
	for _, id := range ids {
		if nearlyEqual(string(id), thing.value) {
			return fmt.Sprintf("; did you mean %q?", id)
		}
	}
	for _, kind := range []catalogue.Kind{catalogue.KindSubject, catalogue.KindChannel, catalogue.KindContentWarning, catalogue.KindDiscipline, catalogue.KindTag, catalogue.KindTopic} {
		if directory.Has(kind, catalogue.ID(thing.value)) {
			return fmt.Sprintf("; it is the id of a %s", strings.ReplaceAll(string(kind), "-", " "))
		}
	}
	return ""
}

func idsIn[T catalogue.Item](items []T) []catalogue.ID {
	ids := make([]catalogue.ID, len(items))
	for i, item := range items {
		ids[i] = item.Head().ID
	}
	return ids
}

// nearlyEqual reports whether two texts of one length differ in at most two characters.
func nearlyEqual(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	differ := 0
	for i := range len(a) {
		if a[i] != b[i] {
			differ++
		}
	}
	return differ <= 2
}

// checkSubjects finds a fault for each subject that does not exist, unless it was among those of before.
func checkSubjects(c *changes, directory *catalogue.Directory, subjects, before []catalogue.ID) {
	for i, id := range subjects {
		if id.Valid() && directory.Subject(id) == nil && !slices.Contains(before, id) {
			c.add(fmt.Sprintf("subjects[%d]", i), "there is no subject %q%s", id, hintFor(directory, namedThing{catalogue.KindSubject, string(id)}))
		}
	}
}
