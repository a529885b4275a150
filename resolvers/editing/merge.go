package editing

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/store"
)

const (
	// mergedPerCall is the most videos that one call of MergeItems changes, mergedAtOnce the most in one transaction.
	mergedPerCall = 1_000
	mergedAtOnce  = 100
)

var mergeableKinds = []catalogue.Kind{catalogue.KindSubject, catalogue.KindTag, catalogue.KindTopic, catalogue.KindChannel}

// MergeItems lets what refers to an item refer to another one of its kind, and deletes the first. Videos change in
// transactions of their own, and the item is deleted in the last one, so an interruption loses nothing.
func (r *Resolver) MergeItems(ctx context.Context, kind catalogue.Kind, from, into catalogue.ID) (*graph.MergeProgress, error) {
	if !slices.Contains(mergeableKinds, kind) {
		return nil, fault.InvalidRequest("kind %q cannot be merged; the kinds that can be merged are subject, tag, topic and channel", kind)
	}
	if from == into {
		return nil, inputs.Invalid("into", "%q is the merged %s itself", fault.Shorten(string(into)), kind)
	}
	progress := &graph.MergeProgress{}
	for progress.Changed < mergedPerCall && !progress.Done {
		if err := r.mergeSome(ctx, kind, from, into, progress); err != nil {
			return nil, err
		}
	}
	return progress, nil
}

// mergeSome changes some videos or, if none refers to the item any more, the other items that do, and deletes the item.
func (r *Resolver) mergeSome(ctx context.Context, kind catalogue.Kind, from, into catalogue.ID, progress *graph.MergeProgress) error {
	if r.store == nil {
		return errNotChangeable
	}
	if err := r.checkPackages(ctx, kind, from); err != nil {
		return err
	}
	directory, err := r.store.Directory(ctx, 0)
	if err != nil {
		return err
	}
	changed, done := 0, false
	err = r.edit(ctx, func(ctx context.Context, tx store.Tx, note notes) error {
		merged, err := expected(ctx, tx, kind, from, nil)
		if err != nil {
			return errOfOther(err, directory, from)
		}
		if _, err := expected(ctx, tx, kind, into, nil); err != nil {
			return errOfOther(err, directory, into)
		}
		videos, err := tx.Referring(ctx, kind, from, mergedAtOnce)
		if err != nil {
			return err
		}
		m := merging{kind, from, into}
		if len(videos) > 0 {
			changed = len(videos)
			return m.move(ctx, tx, note, catalogue.KindVideo, videos)
		}
		for of, ids := range m.referring(directory) {
			changed += len(ids)
			if err := m.move(ctx, tx, note, of, ids); err != nil {
				return err
			}
		}
		kept, err := tx.Delete(ctx, kind, []catalogue.ID{from})
		switch {
		case err != nil:
			return err
		case len(kept) > 0:
			return fault.Errorf(fault.Conflict, "other items refer to the %s since a moment ago; try again", nameOf(kind, from))
		}
		done = true
		return note(ctx, merged, nil)
	})
	if err != nil {
		return err
	}
	progress.Changed, progress.Done = progress.Changed+changed, done
	return nil
}

// errOfOther adds to an error about a missing item that an item of another kind has its ID.
func errOfOther(err error, directory *catalogue.Directory, id catalogue.ID) error {
	for _, kind := range catalogue.Kinds() {
		if fault.CodeOf(err) == fault.NotFound && catalogue.Holds(kind) && directory.Has(kind, id) {
			return fault.Errorf(fault.Invalid, "%q is the id of a %s; only records of one kind can be merged", fault.Shorten(string(id)), kind)
		}
	}
	return err
}

// merging is the change of items that refer to one item, so that they refer to another.
type merging struct {
	kind       catalogue.Kind
	from, into catalogue.ID
}

// referring returns the small items that refer to the merged one, by kind.
func (m merging) referring(directory *catalogue.Directory) map[catalogue.Kind][]catalogue.ID {
	found := map[catalogue.Kind][]catalogue.ID{}
	for _, kind := range catalogue.Kinds() {
		if !catalogue.Holds(kind) {
			continue
		}
		for _, item := range directory.ItemsOf(kind, "", math.MaxInt) {
			if slices.ContainsFunc(item.Links(), m.isMerged) {
				found[kind] = append(found[kind], item.Head().ID)
			}
		}
	}
	return found
}

func (m merging) isMerged(link catalogue.Link) bool { return link.Kind == m.kind && link.ID == m.from }

// move changes items of a kind, as an editor would.
func (m merging) move(ctx context.Context, tx store.Tx, note notes, kind catalogue.Kind, ids []catalogue.ID) error {
	stored, err := tx.Items(ctx, kind, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		before := stored[id]
		if before == nil {
			continue // deleted since the directory was read
		}
		input, err := m.change(before)
		if err != nil {
			return err
		}
		after, err := edited(before, input)
		if err != nil {
			return err
		}
		outcomes, err := tx.Put(ctx, []catalogue.Item{after})
		switch {
		case err != nil:
			return err
		case outcomes[0].Status == store.Rejected:
			return fmt.Errorf("merge in the %s: %w", nameOf(kind, id), inputs.Faults(outcomes[0].Faults).Err())
		}
		if err := note(ctx, before, after); err != nil {
			return err
		}
	}
	return nil
}

// change returns the fields of an item that refer to the merged item, with the other item in its place.
func (m merging) change(item catalogue.Item) (fields, error) {
	body, err := importline.Body(item)
	if err != nil {
		return nil, err
	}
	var all fields
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, err
	}
	changed := fields{}
	for _, link := range item.Links() {
		if m.isMerged(link) {
			path := strings.FieldsFunc(link.Field, func(r rune) bool { return r == '.' || r == '[' })
			changed[path[0]] = m.replaced(all[path[0]], path[1:])
		}
	}
	return changed, nil
}

// replaced returns the value of a field with the IDs at a path replaced. A list keeps each ID once.
func (m merging) replaced(value any, path []string) any {
	switch value := value.(type) {
	case string:
		return m.into
	case map[string]any:
		value[path[0]] = m.replaced(value[path[0]], path[1:])
		return value
	case []any:
		var list []any
		for _, one := range value {
			if one == string(m.from) {
				one = string(m.into)
			}
			if !slices.Contains(list, one) {
				list = append(list, one)
			}
		}
		return list
	}
	return value
}

// checkPackages returns an error if a content package names an item that is to be merged: the package would then show
// other videos than its owner chose.
func (r *Resolver) checkPackages(ctx context.Context, kind catalogue.Kind, id catalogue.ID) error {
	if !r.registry.Available() {
		return nil
	}
	records, err := r.registry.Store()
	if err != nil {
		return err
	}
	var naming []string
	for content, err := range store.Records[*account.ContentPackage](ctx, records, account.KindContentPackage, "", "") {
		if err != nil {
			return err
		}
		if slices.ContainsFunc(content.Rules, func(rule catalogue.AccessRule) bool { return slices.Contains(rule.Values, string(id)) }) {
			naming = append(naming, content.ID)
		}
	}
	if len(naming) > 0 {
		return fault.Errorf(fault.Conflict, "the content packages %s name the %s; let them name the other %s first", strings.Join(naming[:min(len(naming), 10)], ", "), nameOf(kind, id), kind)
	}
	return nil
}
