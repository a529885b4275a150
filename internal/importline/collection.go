package importline

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/jsonobject"
)

// Collection is a collection as lines describe it. Account and Owner are the line's own names, which the caller must
// look up; all other fields are as stored.
type Collection struct {
	catalogue.Meta `json:"-"`
	Body           collection.Collection
}

// CollectionOf returns the item that lines about a stored collection are applied to. It has no owner, so that Apply
// shows whether a line names one.
func CollectionOf(stored *collection.Collection) *Collection {
	c := &Collection{Meta: catalogue.Meta{ID: stored.ID, Source: stored.Source, Reference: stored.Reference}, Body: *stored}
	c.Body.Account, c.Body.Owner = "", ""
	return c
}

// Collection returns the collection with the identity that the line gives it.
func (c *Collection) Collection() *collection.Collection {
	made := c.Body
	made.ID, made.Source, made.Reference = c.ID, c.Source, c.Meta.Reference
	return &made
}

// Kind implements catalogue.Item.
func (*Collection) Kind() catalogue.Kind { return collection.Kind }

// Validate returns the faults of collection.Collection.Validate, with the field names of lines.
func (c *Collection) Validate() fault.FieldErrors {
	whole := c.Collection()
	whole.Account = "looked up later"
	faults := whole.Validate()
	for i := range faults {
		faults[i].Field = linedField.Replace(faults[i].Field)
	}
	return faults
}

// linedField translates the fields of a collection into those of lines.
var linedField = strings.NewReplacer("assets[", "videos[", ".videoId", ".video", ".highlightId", ".highlight", ".segment", "")

// Links lists videos, highlights, subjects and sub-collections.
func (c *Collection) Links() []catalogue.Link {
	var links []catalogue.Link
	for i, asset := range c.Body.Assets {
		field := fmt.Sprintf("videos[%d]", i)
		links = append(links, catalogue.Link{Kind: catalogue.KindVideo, ID: asset.VideoID, Field: field})
		if asset.HighlightID != "" {
			links = append(links, catalogue.Link{Kind: catalogue.KindHighlight, ID: asset.HighlightID, Field: field + ".highlight"})
		}
	}
	for i, id := range c.Body.SubjectIDs {
		links = append(links, catalogue.Link{Kind: catalogue.KindSubject, ID: id, Field: fmt.Sprintf("subjects[%d]", i)})
	}
	for i, id := range c.Body.SubCollections {
		links = append(links, catalogue.Link{Kind: collection.Kind, ID: id, Field: fmt.Sprintf("subCollections[%d]", i)})
	}
	return links
}

func collectionShape() *shape {
	return shapeOf[Collection](
		at("title", required, func(x *Collection) *string { return &x.Body.Title }, text),
		at("description", optional, func(x *Collection) *string { return &x.Body.Description }, text),
		at("videos", optional, func(x *Collection) *[]collection.Asset { return &x.Body.Assets }, assets).holding(assetFields),
		at("subjects", optional, func(x *Collection) *[]catalogue.ID { return &x.Body.SubjectIDs }, list(referenceTo(catalogue.KindSubject))),
		at("ageRange", optional, func(x *Collection) *catalogue.AgeRange { return &x.Body.AgeRange },
			object[catalogue.AgeRange](ageRangeFields)).holding(ageRangeFields),
		at("attachments", optional, func(x *Collection) *[]catalogue.Attachment { return &x.Body.Attachments },
			objects[catalogue.Attachment](attachmentFields, collection.MaxAttachments)).holding(attachmentFields),
		at("discoverable", optional, func(x *Collection) *bool { return &x.Body.Discoverable }, boolean),
		at("promoted", optional, func(x *Collection) *bool { return &x.Body.Promoted }, boolean),
		at("promotedFor", optional, func(x *Collection) *[]account.Product { return &x.Body.PromotedFor },
			list(parsed(among(account.Products())))),
		at("anyone", defaulted, func(x *Collection) *collection.Permission { return &x.Body.Anyone },
			parsed(among(collection.AllPermissions()))),
		at("subCollections", optional, func(x *Collection) *[]catalogue.ID { return &x.Body.SubCollections },
			list(referenceTo(collection.Kind))),
		at("account", optional, func(x *Collection) *string { return &x.Body.Account }, text),
		at("owner", optional, func(x *Collection) *string { return &x.Body.Owner }, text),
	)
}

// completeCollection fills in the values that a line may leave out of a collection and its parts.
func (s *scope) completeCollection(c *Collection) {
	if c.Body.Anyone == "" {
		c.Body.Anyone = collection.ViewOnly
	}
	s.completeAttachments(c.ID, c.Body.Attachments)
	for i, id := range c.Body.SubCollections {
		if id == c.ID {
			s.FaultAt(fmt.Sprintf("subCollections[%d]", i), "is the collection itself")
		}
	}
}

// assets reads the videos of a collection: each is a reference, or an object with more details. Duplicates count once.
func assets(s *scope, value jsontext.Value) []collection.Asset {
	var list []collection.Asset
	places := map[collection.Key]int{}
	s.Each(value, collection.MaxAssets, func(element jsontext.Value) {
		sound := s.Sound()
		asset := asset(s, element)
		if !sound() {
			return
		}
		if place, met := places[asset.Key()]; !met {
			places[asset.Key()] = len(list)
			list = append(list, asset)
		} else if !reflect.DeepEqual(list[place], asset) {
			s.Fault("is there twice, with another piece or note")
		}
	})
	return list
}

// asset reads one of them. An object without "ref" is not a reference.
func asset(s *scope, value jsontext.Value) collection.Asset {
	if value.Kind() != '{' || names(value, "ref") {
		return collection.Asset{VideoID: referenceTo(catalogue.KindVideo)(s, value)}
	}
	sound := s.Sound()
	said := object[saidAsset](assetFields)(s, value)
	switch {
	case !sound():
	case (said.start == nil) != (said.end == nil):
		s.Fault("holds one of start and end: expected both, or neither")
	case said.start != nil:
		said.Segment = &collection.Segment{Start: *said.start, End: *said.end}
	}
	return said.Asset
}

// names reports whether an object has a member with a name.
func names(value jsontext.Value, name string) bool {
	members, wrong := jsonobject.Split(value)
	if wrong != nil {
		return false
	}
	for _, m := range members {
		if m.Name == name {
			return true
		}
	}
	return false
}

// saidAsset is an asset as lines describe it.
type saidAsset struct {
	collection.Asset
	start, end *catalogue.Millis
}

var assetFields = newTable(
	at("video", required, func(x *saidAsset) *catalogue.ID { return &x.VideoID }, referenceTo(catalogue.KindVideo)),
	at("highlight", optional, func(x *saidAsset) *catalogue.ID { return &x.HighlightID }, referenceTo(catalogue.KindHighlight)),
	at("start", optional, func(x *saidAsset) **catalogue.Millis { return &x.start }, maybe(seconds)),
	at("end", optional, func(x *saidAsset) **catalogue.Millis { return &x.end }, maybe(seconds)),
	at("note", optional, func(x *saidAsset) *string { return &x.Note }, text),
)
