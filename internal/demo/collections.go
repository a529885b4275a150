package demo

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// demoCollection is a collection of the demo: a number of videos, starting at a place in the catalogue.
type demoCollection struct {
	name, title, description string
	from, videos             int
	promotedFor              []account.Product
	teachers                 bool
}

var demoCollections = []demoCollection{
	{name: "start", title: "Start here", description: "A first look at what the catalogue holds.", videos: 8, promotedFor: []account.Product{"CLASSROOM", "LIBRARY"}},
	{name: "week", title: "One lesson a week", description: "Short videos to begin a lesson with.", from: 8, videos: 12, promotedFor: []account.Product{"CLASSROOM"}},
	{name: "project", title: "Ideas for projects", description: "What pupils can go on with by themselves.", from: 20, videos: 10},
	{name: "teacher", title: "My next lesson", from: 5, videos: 4, teachers: true},
}

// AddCollections adds the collections of the demo to a store that has never contained any.
func AddCollections(ctx context.Context, catalogue store.Catalogue, collections store.Collections) error {
	position, err := collections.Head(ctx)
	if err != nil || position > 0 {
		return err
	}
	videos, err := catalogue.Scan(ctx, 0, Videos)
	if err != nil {
		return err
	}
	for _, one := range demoCollections {
		made := one.of(videos)
		if _, err := collections.Create(ctx, made); err != nil && fault.CodeOf(err) != fault.Conflict {
			return err
		}
	}
	return nil
}

// of returns the collection with videos of the catalogue.
func (d *demoCollection) of(videos []*catalogue.Video) *collection.Collection {
	made := &collection.Collection{
		ID:      catalogue.DeriveID(store.KindCollection, OperatorAccount, d.name),
		Account: OperatorAccount, OwnerName: "Demo: the operator", Service: true, Title: d.title, Description: d.description,
		Discoverable: true, Promoted: d.promotedFor != nil, PromotedFor: d.promotedFor, Anyone: collection.ViewOnly,
	}
	if d.teachers {
		made.Account, made.Owner, made.OwnerName, made.Service = Account, TeacherID, "Ada Teacher", false
	}
	end := min(d.from+d.videos, len(videos))
	for _, video := range videos[min(d.from, end):end] {
		made.Add(collection.Asset{VideoID: video.ID})
	}
	return made
}
