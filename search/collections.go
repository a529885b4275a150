package search

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// CollectionDocument is the indexed form of a collection.
type CollectionDocument struct {
	// ID and Version.
	catalogue.Ref
	// Account and Owner own the collection. Service is true for a collection of the operator, which everyone may find.
	Account, Owner string
	Service        bool

	// Title and Description are analyzed as English texts.
	Title, Description string
	Subjects           []catalogue.ID
	Ages               catalogue.AgeRange
	ResourceTypes      []catalogue.AttachmentType
	Discoverable       bool
	Promoted           bool
	PromotedFor        []account.Product
	UpdatedAt          time.Time
	Default            bool
}

// CollectionQuery asks for one page of collections. Results match every field, and any value within a list. A nil list or
// pointer is no filter; an empty list matches nothing.
type CollectionQuery struct {
	// Text must occur as a phrase of stemmed and folded words in the title or the description. With PartialTitle, it must
	// occur in the title, both as Analyzer.Fold writes them, also inside a word. A text without letters and digits
	// matches every collection.
	Text         string
	PartialTitle bool

	// Audience determines which collections the caller may find.
	Audience     CollectionAudience
	IDs          []catalogue.ID
	Discoverable *bool
	Promoted     *bool
	PromotedFor  []account.Product
	Owner        *string
	Subjects     []catalogue.ID
	// Ages, AgeMin and AgeMax match the collection's ages as those of Filter match a video's.
	Ages           []catalogue.AgeBracket
	AgeMin, AgeMax *int
	ResourceTypes  []catalogue.AttachmentType

	// Order applies first. Then a phrase in the title comes before one in the description only, then the newest UpdatedAt,
	// to the microsecond, then the lowest ID, so that the order is total.
	Order []collection.Order
	// Offset and Size choose the page: Offset >= 0, 0 <= Size, Offset+Size <= MaxWindow.
	Offset, Size int
}

// CollectionAudience determines which collections a caller may find: with All, every one; otherwise those that User ("":
// nobody) owns, and the discoverable ones of the operator and of Account. If Only is not nil, the collections that it lists
// replace the discoverable ones. Only is sorted.
type CollectionAudience struct {
	All           bool
	Account, User string
	Only          []catalogue.ID
}

// Finds reports whether the audience may find a collection.
func (a CollectionAudience) Finds(d *CollectionDocument) bool {
	return a.All || (a.User != "" && d.Owner == a.User) || a.admits(d)
}

func (a CollectionAudience) admits(d *CollectionDocument) bool {
	if a.Only == nil {
		return d.Discoverable && (d.Service || d.Account == a.Account)
	}
	_, listed := slices.BinarySearch(a.Only, d.ID)
	return listed
}

// CollectionResult is one page.
type CollectionResult struct {
	Refs  []catalogue.Ref
	Total int
}

// CollectionReader finds collections. Its rules are those of Reader.
type CollectionReader interface {
	// Find answers a query.
	Find(ctx context.Context, query CollectionQuery) (*CollectionResult, error)
	// Position is the position of the log of collections that Find reflects; 0: the index is empty and new.
	Position(ctx context.Context) (int64, error)
}

// CollectionWriter keeps an index of collections up to date with their log.
type CollectionWriter = WriterOf[CollectionDocument]

// CollectionIndex is a search engine for collections.
type CollectionIndex interface {
	CollectionReader
	CollectionWriter
	io.Closer
}

// CollectionBatch is a batch of changes of collections.
type CollectionBatch = BatchOf[CollectionDocument]
