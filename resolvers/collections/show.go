package collections

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

// showCollection shows one collection to the caller.
func (r *Resolver) showCollection(ctx context.Context, one *collection.Collection) (*model.Collection, error) {
	list, around, err := r.around(ctx, []*collection.Collection{one}, nil, selectionBelow(ctx, ""))
	if err != nil {
		return nil, err
	}
	return model.NewCollection(list[0], around), nil
}

// showPage shows a page of collections. saved holds those that the user has saved; nil: this is unknown.
func (r *Resolver) showPage(ctx context.Context, list []*collection.Collection, saved map[catalogue.ID]bool, total int, selected selection) (*model.CollectionPage, error) {
	list, around, err := r.around(ctx, list, saved, selected)
	return &model.CollectionPage{
		Collections: values.Map(list, func(one *collection.Collection) *model.Collection { return model.NewCollection(one, around) }),
		Total:       total,
	}, err
}

// selection is what an operation selects that is read apart from the collections.
type selection struct {
	parts, assets, videos bool
	// read holds the sub-collections that were read with the collections. These are all if they are fewer than
	// partsAtOnce; nil: none were.
	read []*collection.Collection
}

// selectionBelow looks at the fields that an operation selects below a path.
func selectionBelow(ctx context.Context, prefix string) selection {
	selects := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return graphql.FieldRequested(ctx, prefix+name) || graphql.FieldRequested(ctx, prefix+"subCollections."+name)
		})
	}
	return selection{
		parts:  graphql.FieldRequested(ctx, prefix+"subCollections"),
		assets: selects("references", "videos", "assets"),
		videos: selects("videos", "assets.video"),
	}
}

// around reads what collections refer to, each kind of thing in one call for all of them. It returns the collections
// as far as the budget of one answer allows.
func (r *Resolver) around(
	ctx context.Context, list []*collection.Collection, saved map[catalogue.ID]bool, selected selection,
) ([]*collection.Collection, *model.Around, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, nil, err
	}
	around, left := &model.Around{Permissions: permissionsOf(caller), Saved: saved}, budgetFor(selected)
	list = values.Map(list, left.take)
	if selected.parts {
		if around.Parts, err = r.partsOf(ctx, list, around.Permissions, left, selected.read); err != nil {
			return nil, nil, err
		}
	}
	all := slices.Clone(list)
	for _, one := range list {
		all = append(all, around.Parts[one.ID]...)
	}
	if saved == nil || len(around.Parts) > 0 {
		if around.Saved, err = r.savedAmong(ctx, caller.User, all); err != nil {
			return nil, nil, err
		}
	}
	if selected.assets {
		if err := r.addVideos(ctx, around, all, selected.videos); err != nil {
			return nil, nil, err
		}
	}
	if around.Directory == nil {
		around.Directory, err = r.config.Videos.Directory(ctx)
	}
	return list, around, err
}

// savedAmong returns those of the collections that a user has saved.
func (r *Resolver) savedAmong(ctx context.Context, user string, list []*collection.Collection) (map[catalogue.ID]bool, error) {
	if user == "" || len(list) == 0 {
		return nil, nil
	}
	stored, err := r.store()
	if err != nil {
		return nil, err
	}
	ids := values.Map(list, func(one *collection.Collection) catalogue.ID { return one.ID })
	return stored.Saved(ctx, user, values.Distinct(ids))
}

// addVideos adds the videos that assets show, and the segments of those that are highlights or passages.
func (r *Resolver) addVideos(ctx context.Context, around *model.Around, list []*collection.Collection, asObjects bool) error {
	ids, pieces := assetsOf(list)
	if len(ids) == 0 {
		return nil
	}
	around.Refs = make(map[catalogue.ID]catalogue.Ref, len(ids))
	spoken := make(map[catalogue.ID]catalogue.Language, len(ids))
	if asObjects {
		shown, directory, err := r.config.Videos.LoadShown(ctx, ids)
		if err != nil {
			return err
		}
		around.Directory, around.Videos = directory, make(map[catalogue.ID]*model.Video, len(shown))
		for id, video := range shown {
			one := model.NewVideo(video, directory)
			around.Refs[id], around.Refs[video.ID] = video.Ref(), video.Ref()
			around.Videos[video.ID], spoken[video.ID] = one, one.LanguageCode()
		}
	} else {
		shown, err := r.config.Videos.Shown(ctx, ids)
		if err != nil {
			return err
		}
		for id, video := range shown {
			around.Refs[id], around.Refs[video.ID], spoken[video.ID] = video.Ref, video.Ref, video.Language
		}
	}
	var err error
	around.Pieces, err = r.segmentsOf(ctx, pieces, spoken)
	return err
}

// assetsOf returns the videos of collections and others, each once, and the keys of the assets that are highlights or passages.
func assetsOf(list []*collection.Collection, others ...catalogue.ID) (ids []catalogue.ID, pieces []collection.Key) {
	ids = others
	for _, one := range list {
		for i := range one.Assets {
			asset := &one.Assets[i]
			ids = append(ids, asset.VideoID)
			if asset.HighlightID != "" {
				pieces = append(pieces, asset.Key())
			}
		}
	}
	return values.Distinct(ids), pieces
}
