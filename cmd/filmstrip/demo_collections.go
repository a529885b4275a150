package main

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// demoCollection is a collection of the demo: so many videos from a place in the catalogue on.
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

// prepareDemoCollections adds the collections of the demo, where there has never been any.
func (s *service) prepareDemoCollections(ctx context.Context) error {
	position, err := s.stores.collections.Head(ctx)
	if err != nil || position > 0 {
		return err
	}
	videos, err := s.catalogue.Scan(ctx, 0, demoVideos)
	if err != nil {
		return err
	}
	for _, one := range demoCollections {
		made := one.of(videos)
		if _, err := s.stores.collections.Create(ctx, made); err != nil && fault.CodeOf(err) != fault.Conflict {
			return err
		}
	}
	return nil
}

// of makes the collection out of the catalogue.
func (d *demoCollection) of(videos []*catalogue.Video) *collection.Collection {
	made := &collection.Collection{
		ID:      catalogue.DeriveID(store.KindCollection, demoOperator, d.name),
		Account: demoOperator, OwnerName: "Demo: the operator", Service: true, Title: d.title, Description: d.description,
		Discoverable: true, Promoted: d.promotedFor != nil, PromotedFor: d.promotedFor, Anyone: collection.ViewOnly,
	}
	if d.teachers {
		made.Account, made.Owner, made.OwnerName, made.Service = demoAccount, teacherID, "Ada Teacher", false
	}
	end := min(d.from+d.videos, len(videos))
	for _, video := range videos[min(d.from, end):end] {
		made.Add(collection.Asset{VideoID: video.ID})
	}
	return made
}
