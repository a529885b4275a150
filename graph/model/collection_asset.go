package model

import (
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// Assets returns the assets whose videos the caller may see, in order, with the replacements of retired videos in their
// places. It omits an asset whose highlight no longer exists.
func (c *Collection) Assets() []CollectionAsset {
	assets := make([]CollectionAsset, 0, len(c.Collection.Assets))
	replaced := false
	for i := range c.Collection.Assets {
		asset := CollectionAsset{stored: &c.Collection.Assets[i], of: c}
		if !asset.isThere() {
			continue
		}
		if shown := asset.Reference().ID; shown != asset.stored.VideoID {
			one := *asset.stored
			one.VideoID, asset.stored, replaced = shown, &one, true
		}
		assets = append(assets, asset)
	}
	if replaced {
		assets = once(assets)
	}
	return assets
}

// once returns each asset once, at its first place, with all its comments.
func once(assets []CollectionAsset) []CollectionAsset {
	places := make(map[collection.Key]int, len(assets))
	kept := assets[:0]
	for _, asset := range assets {
		place, met := places[asset.stored.Key()]
		if !met {
			places[asset.stored.Key()] = len(kept)
			kept = append(kept, asset)
			continue
		}
		one := *kept[place].stored
		one.Comments, kept[place].stored = slices.Concat(one.Comments, asset.stored.Comments), &one
	}
	return kept
}

// videoIDs returns the videos of Assets in order, each once.
func (c *Collection) videoIDs() []catalogue.ID {
	assets := c.Assets()
	ids := make([]catalogue.ID, 0, len(assets))
	met := make(map[catalogue.ID]bool, len(assets))
	for _, asset := range assets {
		if id := asset.stored.VideoID; !met[id] {
			met[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// CollectionAsset is one video of a collection, or a segment of it, as one caller sees it.
type CollectionAsset struct {
	stored *collection.Asset
	of     *Collection
}

func (a CollectionAsset) isThere() bool {
	if _, visible := a.of.around.Refs[a.stored.VideoID]; !visible {
		return false
	}
	_, there := a.of.around.Pieces[a.stored.Key()]
	return there || a.stored.HighlightID == ""
}

func (a CollectionAsset) ID() CollectionAssetID    { return CollectionAssetID{a.stored} }
func (a CollectionAsset) Reference() catalogue.Ref { return a.of.around.Refs[a.stored.VideoID] }
func (a CollectionAsset) Video() *Video            { return a.of.around.Videos[a.stored.VideoID] }

// Note returns the note, or nil if there is none.
func (a CollectionAsset) Note() *string { return orNil(a.stored.Note) }

// Segment returns the segment that the owner set, or else the segment of the highlight. It returns nil for the whole
// video.
func (a CollectionAsset) Segment() *CollectionSegment {
	if cut := a.stored.Segment; cut != nil {
		return &CollectionSegment{Start: cut.Start.Seconds(), End: cut.End.Seconds()}
	}
	if piece, is := a.of.around.Pieces[a.stored.Key()]; is {
		return &CollectionSegment{Start: piece.Start.Seconds(), End: piece.End.Seconds()}
	}
	return nil
}

// CollectionSegment is a segment of a video. Start and End are in seconds.
type CollectionSegment struct{ Start, End float64 }

// Comments returns the comments that the caller may see, oldest first.
func (a CollectionAsset) Comments() []CollectionComment {
	comments := make([]CollectionComment, 0, len(a.stored.Comments))
	for i := range a.stored.Comments {
		if comment := &a.stored.Comments[i]; a.of.permissions.SeesComment(a.of.Collection, comment) {
			comments = append(comments, CollectionComment{comment, a.of})
		}
	}
	return comments
}

// CollectionAssetID identifies an asset within its collection.
type CollectionAssetID struct{ stored *collection.Asset }

func (id CollectionAssetID) VideoID() catalogue.ID { return id.stored.VideoID }

// HighlightID returns the ID of the highlight, or nil if the asset is the video itself.
func (id CollectionAssetID) HighlightID() *catalogue.ID { return orNil(id.stored.HighlightID) }

// CollectionComment is a user's comment on an asset.
type CollectionComment struct {
	*collection.Comment
	of *Collection
}

func (c CollectionComment) CreatedAt() time.Time { return c.At }

// Email returns the author's address, or "" if the caller may not see it.
func (c CollectionComment) Email() string {
	if !c.of.permissions.SeesEmail(c.of.Collection, c.Comment) {
		return ""
	}
	return c.Comment.Email
}

func orNil[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}
