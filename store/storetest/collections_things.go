package storetest

import (
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
)

// The objects of the tests.

func collectionID(n int) catalogue.ID {
	return catalogue.DeriveID(store.KindCollection, "test", fmt.Sprint(n))
}

// list returns the nth collection, owned by a user.
func list(n int, owner string) *collection.Collection {
	return &collection.Collection{
		ID: collectionID(n), Account: "school", Owner: owner, OwnerName: "Name of " + owner, Title: fmt.Sprint("Collection ", n), Anyone: collection.ViewOnly,
	}
}

// watchLater returns the nth collection as a user's default collection.
func watchLater(n int, owner string) *collection.Collection {
	c := list(n, owner)
	c.Default, c.Title = true, collection.DefaultTitle
	return c
}

// holding returns list with videos.
func holding(n int, owner string, videos ...int) *collection.Collection {
	c := list(n, owner)
	for _, id := range videoIDs(videos...) {
		c.Add(collection.Asset{VideoID: id})
	}
	return c
}

// remark returns a user's comment.
func remark(n int, user string) collection.Comment {
	return collection.Comment{
		ID: collectionID(n), UserID: user, Name: "Name of " + user, Email: user + "@school.example", Text: fmt.Sprint("Text ", n),
		At: time.Date(2026, 3, 4, 5, 6, n, 7000, time.UTC),
	}
}

// fullList returns a collection with a value in every field, in several scripts.
func fullList(n int, owner string) *collection.Collection {
	c := list(n, owner)
	c.Source, c.Reference = "cms", "日本語 1"
	c.Account, c.OwnerName, c.Service = "konto-ä", "Ученик \"x\" 👩‍🚀", true
	c.Title, c.Description = "日本語 <b>&", "a\nb\tc"
	c.Assets = []collection.Asset{
		{VideoID: videoIDs(2)[0], Segment: &collection.Segment{Start: 1500, End: 2750}, Note: "ملاحظة", Comments: []collection.Comment{remark(1, "ann"), remark(2, "bob")}},
		{VideoID: videoIDs(1)[0]},
		{VideoID: videoIDs(2)[0], HighlightID: videoIDs(9)[0]},
	}
	c.SubjectIDs = []catalogue.ID{idOf(catalogue.KindSubject, 2), idOf(catalogue.KindSubject, 1)}
	c.AgeRange = catalogue.AgeRange{Min: new(5), Max: new(11)}
	c.Attachments = []catalogue.Attachment{{ID: "a", Type: "LESSON_PLAN", Description: new("d"), Link: "https://media.example/a.pdf"}}
	c.Discoverable, c.Promoted, c.PromotedFor = true, true, []account.Product{"LIBRARY", "CLASSROOM"}
	c.Anyone, c.SubCollections = collection.Edit, []catalogue.ID{collectionID(77)}
	return c
}

// idsOf returns the IDs of collections in order.
func idsOf(list []*collection.Collection) (ids []catalogue.ID) {
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

func collectionIDs(numbers ...int) (ids []catalogue.ID) {
	for _, n := range numbers {
		ids = append(ids, collectionID(n))
	}
	return ids
}
