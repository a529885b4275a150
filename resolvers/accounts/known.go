package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// A rule whose values name nothing silently hides everything or nothing. So every value that names something of the
// catalogue must exist when an operator writes it. A value whose item is deleted later stays in the rule, and an update
// may repeat it.

// kindNamedBy returns the kind of the items that the values of a rule name by ID or, for education levels, by code. It
// returns "" for values from a fixed list, and for Thema codes, of which only the form is known.
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

// named is what a value of a rule names.
type named struct {
	kind  catalogue.Kind
	value string
}

func namedIn(rules []catalogue.AccessRule) map[named]bool {
	all := map[named]bool{}
	for _, rule := range rules {
		if kind := kindNamedBy(rule.Type); kind != "" {
			for _, value := range rule.Values {
				all[named{kind, value}] = true
			}
		}
	}
	return all
}

// known says which of the items that rules name exist.
type known struct {
	directory   *catalogue.Directory // nil: the rules name nothing
	videos      map[catalogue.ID]bool
	collections map[catalogue.ID]bool
}

// knownIn looks for the items that rules name.
func (r *Resolver) knownIn(ctx context.Context, rules []catalogue.AccessRule) (k known, err error) {
	all := namedIn(rules)
	if len(all) == 0 {
		return k, nil
	}
	if k.directory, err = r.directory(ctx); err != nil {
		return k, err
	}
	var videos, collections []catalogue.ID
	for one := range all {
		switch id := catalogue.ID(one.value); {
		case !id.Valid():
		case one.kind == catalogue.KindVideo:
			videos = append(videos, id)
		case one.kind == collection.Kind:
			collections = append(collections, id)
		}
	}
	if k.videos, err = knownVideos(ctx, r.Catalogue, videos); err != nil {
		return k, err
	}
	k.collections, err = r.knownCollections(ctx, collections)
	return k, err
}

// videosAtOnce is the number of videos that one call of the store names.
const videosAtOnce = 1000

func knownVideos(ctx context.Context, in store.Catalogue, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	exist := make(map[catalogue.ID]bool, len(ids))
	for some := range slices.Chunk(ids, videosAtOnce) {
		states, err := in.States(ctx, some)
		if err != nil {
			return nil, err
		}
		for i := range states {
			exist[states[i].ID] = true
		}
	}
	return exist, nil
}

func (r *Resolver) knownCollections(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if r.Collections == nil {
		return nil, fault.Errorf(fault.Unavailable, "ids of collections cannot be checked here")
	}
	found, err := r.Collections.Collections(ctx, ids)
	exist := make(map[catalogue.ID]bool, len(found))
	for _, one := range found {
		exist[one.ID] = true
	}
	return exist, err
}

// has reports whether an item exists.
func (k known) has(one named) bool {
	id := catalogue.ID(one.value)
	switch one.kind {
	case catalogue.KindVideo:
		return k.videos[id]
	case collection.Kind:
		return k.collections[id]
	case catalogue.KindEducationLevel:
		return k.directory.EducationLevel(one.value) != nil
	}
	return k.directory.Has(one.kind, id)
}

// check returns a fault for each value that names nothing, unless the earlier rules name it too. Values that are not IDs
// are left to validation, except for names of subjects and channels, whose IDs the fault contains.
func (k known) check(rules, before []catalogue.AccessRule) (faults inputs.Faults) {
	had := namedIn(before)
	for i, rule := range rules {
		kind := kindNamedBy(rule.Type)
		if kind == "" {
			continue
		}
		for j, value := range rule.Values {
			field, one := fmt.Sprintf("rules[%d].values[%d]", i, j), named{kind, value}
			if kind != catalogue.KindEducationLevel && !catalogue.ID(value).Valid() {
				if id := idNamed(k.directory, kind, value); id != "" {
					faults.Add(field, "%s: %q is not an id; the %s with this name has the id %q", rule.Type, fault.Shorten(value), kind, id)
				}
				continue
			}
			if !had[one] && !k.has(one) {
				faults.Add(field, "%s: there is no %s %q%s", rule.Type, spaced(kind), fault.Shorten(value), hintFor(k.directory, one))
			}
		}
	}
	return faults
}

// spaced returns the name of a kind in messages.
func spaced(kind catalogue.Kind) string { return strings.ReplaceAll(string(kind), "-", " ") }

// idNamed returns the ID of the subject or channel with a name, or "" for other kinds and unknown names.
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

// maxListedLevels is the most codes of education levels that a fault lists.
const maxListedLevels = 50

// hintFor guesses what an operator meant by something that does not exist, or returns "".
func hintFor(directory *catalogue.Directory, one named) string {
	if one.kind == catalogue.KindEducationLevel {
		var codes []string
		for _, level := range directory.EducationLevels {
			if catalogue.FoldName(level.Code) == catalogue.FoldName(one.value) {
				return fmt.Sprintf("; did you mean %q?", level.Code)
			}
			codes = append(codes, level.Code)
		}
		if len(codes) == 0 || len(codes) > maxListedLevels {
			return ""
		}
		return "; the codes are " + strings.Join(codes, ", ")
	}
	var ids []catalogue.ID
	switch one.kind {
	case catalogue.KindSubject:
		ids = idsIn(directory.Subjects)
	case catalogue.KindChannel:
		ids = idsIn(directory.Channels)
	case catalogue.KindContentWarning:
		ids = idsIn(directory.ContentWarnings)
	}
	for _, id := range ids {
		if nearlyEqual(string(id), one.value) {
			return fmt.Sprintf("; did you mean %q?", id)
		}
	}
	for _, kind := range []catalogue.Kind{catalogue.KindSubject, catalogue.KindChannel, catalogue.KindContentWarning, catalogue.KindDiscipline, catalogue.KindTag, catalogue.KindTopic} {
		if directory.Has(kind, catalogue.ID(one.value)) {
			return fmt.Sprintf("; it is the id of a %s", spaced(kind))
		}
	}
	return ""
}

func idsIn[T catalogue.Item](items []T) []catalogue.ID {
	return values.Map(items, func(item T) catalogue.ID { return item.Head().ID })
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

// checkSubjects adds a fault for each subject that does not exist, unless it was set before.
func checkSubjects(f *inputs.Faults, directory *catalogue.Directory, subjects, before []catalogue.ID) {
	for i, id := range subjects {
		if id.Valid() && directory.Subject(id) == nil && !slices.Contains(before, id) {
			f.Add(fmt.Sprintf("subjects[%d]", i), "there is no subject %q%s", id, hintFor(directory, named{catalogue.KindSubject, string(id)}))
		}
	}
}
