package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/graph/model"
)

// showCollection shows one collection to a caller.
func (r *resolver) showCollection(ctx context.Context, caller *account.Caller, one *collection.Collection) (*model.Collection, error) {
	list, around, err := r.around(ctx, caller, []*collection.Collection{one}, nil, wantedBelow(ctx, ""))
	if err != nil {
		return nil, err
	}
	return model.NewCollection(list[0], around), nil
}

// showPage shows a page of collections. saved are those of the user's, nil: it is not known which.
func (r *resolver) showPage(ctx context.Context, caller *account.Caller, list []*collection.Collection, saved map[catalogue.ID]bool, total int, wanted wanted) (*model.CollectionPage, error) {
	list, around, err := r.around(ctx, caller, list, saved, wanted)
	if err != nil {
		return nil, err
	}
	page := &model.CollectionPage{Collections: make([]*model.Collection, len(list)), Total: total}
	for i, one := range list {
		page.Collections[i] = model.NewCollection(one, around)
	}
	return page, nil
}

// wanted says what of an answer needs more than the collections themselves.
type wanted struct {
	parts, assets, videos bool
	// read are the sub-collections that came with the collections, fewer than partsAtOnce where these are all; nil: none
	// were asked for.
	read []*collection.Collection
}

// wantedBelow looks at what is asked for below a prefix of paths.
func wantedBelow(ctx context.Context, prefix string) wanted {
	asked := func(names ...string) bool {
		for _, name := range names {
			if graphql.FieldRequested(ctx, prefix+name) || graphql.FieldRequested(ctx, prefix+"subCollections."+name) {
				return true
			}
		}
		return false
	}
	return wanted{
		parts:  graphql.FieldRequested(ctx, prefix+"subCollections"),
		assets: asked("references", "videos", "assets"),
		videos: asked("videos", "assets.video"),
	}
}

// around reads what stands around collections that a caller is shown: each kind of thing at once, for all of
// them. It returns the collections as far as one answer has room for them.
func (r *resolver) around(
	ctx context.Context, caller *account.Caller, list []*collection.Collection, saved map[catalogue.ID]bool, wanted wanted,
) ([]*collection.Collection, *model.Around, error) {
	around, room := &model.Around{Standing: standingOf(caller), Saved: saved}, roomFor(wanted)
	list = room.admitAll(list)
	var err error
	if wanted.parts {
		if around.Parts, err = r.partsOf(ctx, list, around.Standing, room, wanted.read); err != nil {
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
	if wanted.assets {
		if err := r.addVideos(ctx, caller, around, all, wanted.videos); err != nil {
			return nil, nil, err
		}
	}
	if around.Directory == nil {
		around.Directory, err = r.directory(ctx)
	}
	return list, around, err
}

// savedAmong tells which of some collections a user has saved.
func (r *resolver) savedAmong(ctx context.Context, user string, list []*collection.Collection) (map[catalogue.ID]bool, error) {
	if user == "" || len(list) == 0 {
		return nil, nil
	}
	shelves, err := r.collections()
	if err != nil {
		return nil, err
	}
	ids := make([]catalogue.ID, len(list))
	for i, one := range list {
		ids[i] = one.ID
	}
	return shelves.Saved(ctx, user, once(ids))
}

// addVideos adds the videos of assets that the caller may see, and the spans of those that are pieces of them.
func (r *resolver) addVideos(ctx context.Context, caller *account.Caller, around *model.Around, list []*collection.Collection, asObjects bool) error {
	videos, named := assetsOf(list)
	if len(videos) == 0 {
		return nil
	}
	var err error
	today := r.today()
	around.Refs = make(map[catalogue.ID]catalogue.Ref, len(videos))
	spoken := make(map[catalogue.ID]catalogue.Language, len(videos))
	if asObjects {
		err = r.addWholeVideos(ctx, caller, around, videos, spoken)
	} else {
		var states []catalogue.State
		states, err = r.catalogue.States(ctx, videos)
		for i := range states {
			if state := &states[i]; state.VisibleTo(caller.Access, today) {
				around.Refs[state.ID], spoken[state.ID] = state.Ref, state.Language
			}
		}
	}
	if err != nil {
		return err
	}
	around.Pieces, err = r.piecesNamed(ctx, named, spoken)
	return err
}

// addWholeVideos adds videos as objects, and to spoken what is spoken in them.
func (r *resolver) addWholeVideos(ctx context.Context, caller *account.Caller, around *model.Around, ids []catalogue.ID, spoken map[catalogue.ID]catalogue.Language) error {
	stored, directory, err := r.load(ctx, ids)
	if err != nil {
		return err
	}
	around.Directory, around.Videos = directory, make(map[catalogue.ID]*model.Video, len(stored))
	for _, video := range stored {
		if directory.Shows(video, caller.Access, r.today()) {
			one := model.NewVideo(video, directory)
			around.Refs[video.ID], around.Videos[video.ID], spoken[video.ID] = video.Ref(), one, one.LanguageCode()
		}
	}
	return nil
}

// assetsOf lists the videos of collections, each once, and the keys of those assets that are pieces of them.
func assetsOf(list []*collection.Collection) (videos []catalogue.ID, pieces []collection.Key) {
	for _, one := range list {
		for i := range one.Assets {
			asset := &one.Assets[i]
			videos = append(videos, asset.VideoID)
			if asset.HighlightID != "" {
				pieces = append(pieces, asset.Key())
			}
		}
	}
	return once(videos), pieces
}
