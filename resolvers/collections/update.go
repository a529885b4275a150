package collections

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

// update is a change of a collection whose input was checked against the catalogue.
type update struct {
	input graph.UpdateCollectionInput
	// subjects, ids, assets and parts are what the input names.
	subjects, ids, parts []catalogue.ID
	assets               []collection.Asset
	admission            *admission
	// user is the caller's user, who may own the collection, and ownerName the name of an owner.
	user, ownerName string
	// editor: the caller may promote.
	editor bool
}

func (r *Resolver) newUpdate(ctx context.Context, id string, input graph.UpdateCollectionInput) (*update, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	u := &update{input: input, user: caller.User, editor: caller.Permissions.Has(account.EditCatalogue)}
	if u.subjects, err = r.subjectsNamed(ctx, input.Subjects.Value()); err != nil {
		return nil, err
	}
	if u.ids, u.assets, u.admission, err = r.assetsNamed(ctx, id, input.Videos.Value(), input.Assets.Value()); err != nil {
		return nil, err
	}
	if u.parts, err = r.partsNamed(ctx, caller, input.SubCollections.Value()); err != nil {
		return nil, err
	}
	if caller.Account != nil {
		u.ownerName, err = r.ownerName(ctx, caller)
	}
	return u, err
}

// partsNamed returns sub-collections by their IDs, each once. The error has the code NotFound if the caller may not read
// one.
func (r *Resolver) partsNamed(ctx context.Context, caller *account.Caller, texts []string) ([]catalogue.ID, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if len(texts) > collection.MaxParts {
		return nil, inputs.Invalid("subCollections", "has %d elements, at most %d are allowed", len(texts), collection.MaxParts)
	}
	stored, err := r.store()
	if err != nil {
		return nil, err
	}
	ids := values.Distinct(values.IDs(texts))
	found, err := stored.Collections(ctx, ids)
	if err != nil {
		return nil, err
	}
	readable := map[catalogue.ID]bool{}
	for _, part := range found {
		readable[part.ID] = permissionsOf(caller).Reads(part)
	}
	for _, id := range ids {
		if !readable[id] {
			return nil, inputs.NotFound("collection", string(id))
		}
	}
	return ids, nil
}

// check returns an error if the caller may not change the collection like this.
func (u *update) check(mine collection.Permissions, c *collection.Collection) error {
	in := &u.input
	byOwner := in.Discoverable.IsSet() || in.AgeRange.IsSet() || in.Attachment.IsSet() || in.SubCollections.IsSet()
	promotes := in.Promoted.IsSet() || in.PromotedFor.IsSet()
	switch {
	case !mine.Edits(c) || byOwner && !mine.Changes(c):
		return errNotYours(c)
	case promotes && !u.editor:
		return fault.Errorf(fault.Forbidden, "promoted and promotedFor: the permission %s is required", account.EditCatalogue)
	case c.Default && (byOwner || promotes || in.Title.IsSet() || in.Description.IsSet() || in.Subjects.IsSet()):
		return fault.InvalidRequest("the collection %q is the default collection, of which only the videos can change", string(c.ID))
	}
	return nil
}

// apply changes the collection.
func (u *update) apply(c *collection.Collection) error {
	in, faults := &u.input, &inputs.Faults{}
	inputs.Require(faults, "title", &c.Title, in.Title)
	inputs.Set(&c.Description, in.Description)
	inputs.Require(faults, "discoverable", &c.Discoverable, in.Discoverable)
	inputs.Require(faults, "promoted", &c.Promoted, in.Promoted)
	if in.Subjects.IsSet() {
		c.SubjectIDs = u.subjects
	}
	if in.Videos.IsSet() || in.Assets.IsSet() {
		ids, assets, err := u.admission.choose(c.Assets, u.ids, u.assets)
		if err != nil {
			return err
		}
		c.Assets = merge(c.Assets, ids, assets)
	}
	if ages, given := in.AgeRange.ValueOK(); given {
		setAges(c, ages)
	}
	if attachment, given := in.Attachment.ValueOK(); given {
		c.Attachments = attachmentsOf(attachment)
	}
	if in.PromotedFor.IsSet() {
		c.PromotedFor = slices.Concat(values.Distinct(in.PromotedFor.Value())) // nil if it is empty
	}
	if in.SubCollections.IsSet() {
		c.SubCollections = u.parts
		if at := slices.Index(u.parts, c.ID); at >= 0 {
			faults.Add(fmt.Sprintf("subCollections[%d]", at), "is the collection itself")
		}
	}
	if c.OwnedBy(u.user) {
		c.OwnerName = u.ownerName
	}
	return faults.Err()
}

// setAges ignores a range without a lower bound; null clears the ages.
func setAges(c *collection.Collection, ages *graph.AgeRangeInput) {
	switch {
	case ages == nil:
		c.AgeRange = catalogue.AgeRange{}
	case ages.Min != nil:
		c.AgeRange = catalogue.AgeRange{Min: ages.Min, Max: ages.Max}
	}
}

// attachmentsOf returns the attachment of an input, if there is one. Its ID is derived from its type and link.
func attachmentsOf(input *graph.AttachmentInput) []catalogue.Attachment {
	if input == nil {
		return nil
	}
	id := catalogue.DeriveID("attachment", string(input.Type), input.LinkToResource)
	return []catalogue.Attachment{{ID: string(id), Type: input.Type, Link: input.LinkToResource, Description: input.Description}}
}

// assetsNamed returns the videos and assets that an input names for the collection with an ID ("": a new one), and
// which of them the collection may have. Aliases are resolved; unknown aliases are left out.
func (r *Resolver) assetsNamed(
	ctx context.Context, id string, names []string, described []*graph.CollectionAssetInput,
) ([]catalogue.ID, []collection.Asset, *admission, error) {
	for name, n := range map[string]int{"videos": len(names), "assets": len(described)} {
		if n > collection.MaxAssets {
			return nil, nil, nil, inputs.Invalid(name, "has %d elements, at most %d are allowed", n, collection.MaxAssets)
		}
	}
	all := slices.Clone(names)
	for _, asset := range described {
		all = append(all, asset.VideoID)
	}
	ids, err := r.config.Videos.ResolveAliases(ctx, all)
	if err != nil {
		return nil, nil, nil, err
	}
	var faults inputs.Faults
	var named []catalogue.ID
	for i, id := range ids[:len(names)] {
		switch {
		case catalogue.IsLegacyAlias(string(id)):
		case id.Valid():
			named = append(named, id)
		default:
			faults.Add(fmt.Sprintf("videos[%d]", i), "%q is not an id", id)
		}
	}
	var assets []collection.Asset
	for i, input := range described {
		asset := collection.Asset{VideoID: ids[len(names)+i], HighlightID: catalogue.ID(values.Or(input.HighlightID)), Note: values.Or(input.Note)}
		unknown := catalogue.IsLegacyAlias(string(asset.VideoID))
		field := fmt.Sprintf("assets[%d]", i)
		if input.Segment != nil {
			if asset.Segment, err = segmentOf(input.Segment, field+".segment"); err != nil {
				return nil, nil, nil, err
			}
		}
		if unknown { // the rest of the asset is checked as if the alias were known
			asset.VideoID = unknownVideo
		}
		faults = append(faults, asset.Validate(field)...)
		if !unknown {
			assets = append(assets, asset)
		}
	}
	if err := faults.Err(); err != nil {
		return nil, nil, nil, err
	}
	admission, err := r.admit(ctx, id, named, assets)
	return named, assets, admission, err
}

// unknownVideo is an ID that no video has.
const unknownVideo catalogue.ID = "000000000000000000000000"

// merge returns the assets for videos and then for described assets, each once. Assets keep their comments; those for
// videos also keep their note and segment.
func merge(before []collection.Asset, ids []catalogue.ID, described []collection.Asset) []collection.Asset {
	known := make(map[collection.Key]collection.Asset, len(before))
	for _, asset := range before {
		known[asset.Key()] = asset
	}
	var after []collection.Asset
	places := map[collection.Key]int{}
	add := func(asset collection.Asset) {
		if place, exists := places[asset.Key()]; exists {
			after[place] = asset
			return
		}
		places[asset.Key()] = len(after)
		after = append(after, asset)
	}
	for _, id := range ids {
		asset := known[collection.Key{Video: id}]
		asset.VideoID = id
		add(asset)
	}
	for _, asset := range described {
		asset.Comments = known[asset.Key()].Comments
		add(asset)
	}
	return after
}

func segmentOf(cut *graph.CollectionSegmentInput, field string) (*collection.Segment, error) {
	day := catalogue.MaxMillis.Seconds()
	if !(cut.Start >= 0 && cut.Start < cut.End && cut.End <= day) { // false for NaN
		return nil, inputs.Invalid(field, "%v to %v seconds is not a segment of a video", cut.Start, cut.End)
	}
	millis := func(seconds float64) catalogue.Millis { return catalogue.Millis(math.Round(seconds * 1000)) }
	return &collection.Segment{Start: millis(cut.Start), End: millis(cut.End)}, nil
}
