package resolvers

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
)

// collectionUpdate is a change of a collection that has been held against the catalogue.
type collectionUpdate struct {
	given graph.UpdateCollectionInput
	// subjects, videos, assets and parts are what the input names.
	subjects, videos, parts []catalogue.ID
	assets                  []collection.Asset
	admission               *admission
	// user is the caller's, whose collection it may be, ownerName that user's name.
	user, ownerName string
	// operator: the caller may promote.
	operator bool
}

func (m mutation) collectionUpdate(ctx context.Context, id string, input graph.UpdateCollectionInput) (*collectionUpdate, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	u := &collectionUpdate{given: input, user: caller.User, operator: caller.Permissions.Has(account.Operate)}
	if u.subjects, err = m.subjectsNamed(ctx, input.Subjects.Value()); err != nil {
		return nil, err
	}
	if u.videos, u.assets, u.admission, err = m.assetsNamed(ctx, id, input.Videos.Value(), input.Assets.Value()); err != nil {
		return nil, err
	}
	if u.parts, err = m.partsNamed(ctx, caller, input.SubCollections.Value()); err != nil {
		return nil, err
	}
	if caller.Account != nil {
		u.ownerName, err = m.ownerName(ctx, caller)
	}
	return u, err
}

// partsNamed are sub-collections by their ids, each once and each one that the caller may read.
func (r *resolver) partsNamed(ctx context.Context, caller *account.Caller, texts []string) ([]catalogue.ID, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if len(texts) > collection.MaxParts {
		return nil, invalidField("subCollections", "has %d elements, at most %d are allowed", len(texts), collection.MaxParts)
	}
	shelves, err := r.collections()
	if err != nil {
		return nil, err
	}
	ids := idsOf(once(texts))
	found, err := shelves.Collections(ctx, ids)
	if err != nil {
		return nil, err
	}
	readable := map[catalogue.ID]bool{}
	standing := standingOf(caller)
	for _, part := range found {
		readable[part.ID] = standing.Reads(part)
	}
	for _, id := range ids {
		if !readable[id] {
			return nil, noSuch("collection", string(id))
		}
	}
	return ids, nil
}

// allowed reports why the caller may not change the collection so; nil: it may.
func (u *collectionUpdate) allowed(by collection.Permissions, c *collection.Collection) error {
	in := &u.given
	ofOwner := in.Discoverable.IsSet() || in.AgeRange.IsSet() || in.Attachment.IsSet() || in.SubCollections.IsSet()
	promotes := in.Promoted.IsSet() || in.PromotedFor.IsSet()
	switch {
	case !by.Edits(c) || ofOwner && !by.Changes(c):
		return notChanged(c)
	case promotes && !u.operator:
		return fault.Errorf(fault.Forbidden, "promoted and promotedFor: the permission %s is required", account.Operate)
	case c.Default && (ofOwner || promotes || in.Title.IsSet() || in.Description.IsSet() || in.Subjects.IsSet()):
		return fault.InvalidRequest("the collection %q is the default one, of which only the videos change", string(c.ID))
	}
	return nil
}

// apply changes the collection.
func (u *collectionUpdate) apply(c *collection.Collection) error {
	in, faults := &u.given, &changes{}
	must(faults, "title", &c.Title, in.Title)
	may(&c.Description, in.Description)
	must(faults, "discoverable", &c.Discoverable, in.Discoverable)
	must(faults, "promoted", &c.Promoted, in.Promoted)
	if in.Subjects.IsSet() {
		c.SubjectIDs = u.subjects
	}
	if in.Videos.IsSet() || in.Assets.IsSet() {
		videos, assets, err := u.admission.choose(c.Assets, u.videos, u.assets)
		if err != nil {
			return err
		}
		c.Assets = arranged(c.Assets, videos, assets)
	}
	if ages, given := in.AgeRange.ValueOK(); given {
		setAges(c, ages)
	}
	if attachment, given := in.Attachment.ValueOK(); given {
		c.Attachments = attachmentsOf(attachment)
	}
	if in.PromotedFor.IsSet() {
		c.PromotedFor = once(in.PromotedFor.Value())
	}
	if in.SubCollections.IsSet() {
		c.SubCollections = u.parts
		if at := slices.Index(u.parts, c.ID); at >= 0 {
			faults.add(fmt.Sprintf("subCollections[%d]", at), "is the collection itself")
		}
	}
	if c.OwnedBy(u.user) {
		c.OwnerName = u.ownerName
	}
	return faults.err()
}

// setAges ignores a range without a lower bound; null clears it.
func setAges(c *collection.Collection, ages *graph.AgeRangeInput) {
	switch {
	case ages == nil:
		c.AgeRange = catalogue.AgeRange{}
	case ages.Min != nil:
		c.AgeRange = catalogue.AgeRange{Min: ages.Min, Max: ages.Max}
	}
}

// attachmentsOf is the one attachment of an input, or none. Its ID follows from what it is.
func attachmentsOf(input *graph.AttachmentInput) []catalogue.Attachment {
	if input == nil {
		return nil
	}
	id := catalogue.DeriveID("attachment", string(input.Type), input.LinkToResource)
	return []catalogue.Attachment{{ID: string(id), Type: input.Type, Link: input.LinkToResource, Description: input.Description}}
}

// assetsNamed returns the videos and assets that an input names for the collection with an ID ("": a new one), and
// which of them the collection may have. Aliases are resolved; unknown aliases are left out.
func (r *resolver) assetsNamed(
	ctx context.Context, id string, videos []string, described []*graph.CollectionAssetInput,
) ([]catalogue.ID, []collection.Asset, *admission, error) {
	for name, n := range map[string]int{"videos": len(videos), "assets": len(described)} {
		if n > collection.MaxAssets {
			return nil, nil, nil, invalidField(name, "has %d elements, at most %d are allowed", n, collection.MaxAssets)
		}
	}
	names := slices.Clone(videos)
	for _, asset := range described {
		names = append(names, asset.VideoID)
	}
	ids, err := r.resolveAliases(ctx, names)
	if err != nil {
		return nil, nil, nil, err
	}
	var faults changes
	var named []catalogue.ID
	for i, id := range ids[:len(videos)] {
		switch {
		case catalogue.IsLegacyAlias(string(id)):
		case id.Valid():
			named = append(named, id)
		default:
			faults.add(fmt.Sprintf("videos[%d]", i), "%q is not an id", id)
		}
	}
	var assets []collection.Asset
	for i, input := range described {
		asset := collection.Asset{VideoID: ids[len(videos)+i], HighlightID: catalogue.ID(or(input.HighlightID)), Note: or(input.Note)}
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
		faults.faults = append(faults.faults, asset.Validate(field)...)
		if !unknown {
			assets = append(assets, asset)
		}
	}
	if err := faults.err(); err != nil {
		return nil, nil, nil, err
	}
	admission, err := r.admit(ctx, id, named, assets)
	return named, assets, admission, err
}

// unknownVideo is the ID of no video.
const unknownVideo catalogue.ID = "000000000000000000000000"

// arranged are the assets that videos and assets, which are said more of, stand for: each once, and in that order.
// Comments stay with what was there before; so do note and segment of what is a video alone.
func arranged(before []collection.Asset, videos []catalogue.ID, described []collection.Asset) []collection.Asset {
	known := make(map[collection.Key]collection.Asset, len(before))
	for _, asset := range before {
		known[asset.Key()] = asset
	}
	var after []collection.Asset
	places := map[collection.Key]int{}
	add := func(asset collection.Asset) {
		if place, there := places[asset.Key()]; there {
			after[place] = asset
			return
		}
		places[asset.Key()] = len(after)
		after = append(after, asset)
	}
	for _, id := range videos {
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
	if !(cut.Start >= 0 && cut.Start < cut.End && cut.End <= day) { // no comparison holds for what is no number
		return nil, invalidField(field, "%v to %v seconds is no piece of a video", cut.Start, cut.End)
	}
	millis := func(seconds float64) catalogue.Millis { return catalogue.Millis(math.Round(seconds * 1000)) }
	return &collection.Segment{Start: millis(cut.Start), End: millis(cut.End)}, nil
}
