package demo

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// collectionList is a collection of the demo.
type collectionList struct {
	Name        string            `yaml:"name"`
	Title       string            `yaml:"title"`
	Description string            `yaml:"description"`
	Subjects    []string          `yaml:"subjects"`
	PromotedFor []account.Product `yaml:"promoted_for"`
	// Teacher makes the demo's teacher the owner instead of the operator.
	Teacher bool `yaml:"teacher"`
	Videos  []struct {
		Ref  string `yaml:"ref"`
		Note string `yaml:"note"`
	} `yaml:"videos"`
}

// AddCollections adds the collections of the demo to a store that has never contained any. Their videos are in the demo's
// catalogue only.
func AddCollections(ctx context.Context, collections store.Collections) error {
	position, err := collections.Head(ctx)
	if err != nil || position > 0 {
		return err
	}
	for _, list := range contents().collections {
		if _, err := collections.Create(ctx, list.collection()); err != nil && fault.CodeOf(err) != fault.Conflict {
			return err
		}
	}
	return nil
}

// collection returns the list as a value of the domain.
func (l *collectionList) collection() *collection.Collection {
	made := &collection.Collection{
		ID:      catalogue.DeriveID(store.KindCollection, OperatorAccount, l.Name),
		Account: OperatorAccount, OwnerName: operatorName, Service: true, Title: l.Title, Description: l.Description,
		Discoverable: true, Promoted: l.PromotedFor != nil, PromotedFor: l.PromotedFor, Anyone: collection.ViewOnly,
	}
	if l.Teacher {
		made.Account, made.Owner, made.OwnerName, made.Service = Account, TeacherID, "Ada Teacher", false
	}
	for _, subject := range l.Subjects {
		made.SubjectIDs = append(made.SubjectIDs, catalogue.DeriveID(catalogue.KindSubject, source, subject))
	}
	for _, video := range l.Videos {
		made.Add(collection.Asset{VideoID: id(video.Ref), Note: video.Note})
	}
	return made
}
