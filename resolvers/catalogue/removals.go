package catalogue

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// RemovedVideos returns the same for all callers, because nobody knows any more who saw a removed video. It shows IDs
// only.
func (r *Resolver) RemovedVideos(ctx context.Context, first int, after *string, updatedAsOf *catalogue.Date) (*graph.RemovedVideoConnection, error) {
	if err := paging.CheckSize(first, catalogue.MaxFeedSize); err != nil {
		return nil, err
	}
	at := removalCursor{updatedAsOf: updatedAsOf}
	if after != nil {
		var err error
		if at, err = r.cursors.readRemoval(*after); err != nil {
			return nil, err
		}
	}
	query := store.RemovalQuery{After: at.place, Size: first, Today: r.Today()}
	if at.updatedAsOf != nil {
		query.From = at.updatedAsOf.Start()
	}
	page, err := r.store.Removals(ctx, query)
	if err != nil {
		return nil, err
	}
	connection := &graph.RemovedVideoConnection{Nodes: values.Pointers(page.Removals), PageInfo: &model.PageInfo{}}
	if page.More {
		next := r.cursors.writeRemoval(removalCursor{place: page.Next, updatedAsOf: at.updatedAsOf})
		connection.PageInfo = &model.PageInfo{HasNextPage: true, EndCursor: &next}
	}
	return connection, nil
}

// removalCursor is a place in the feed of removed videos, and the filter of the walk.
type removalCursor struct {
	place       store.RemovalPlace
	updatedAsOf *catalogue.Date
}

// The payload of a cursor of removed videos consists of the format, the place (8 bytes At, 8 bytes Position, 4 bytes
// Until, 12 bytes ID, which are 0 if there is none), and 4 bytes for updatedAsOf, which are noRemovalDay without this
// filter.
const (
	removalFormat = 2
	removalLength = 37
	noRemovalDay  = math.MinInt32
)

// noID stands for no ID.
var noID = catalogue.ID(strings.Repeat("0", catalogue.IDLength))

func (c cursors) writeRemoval(at removalCursor) string {
	day := int32(noRemovalDay)
	if at.updatedAsOf != nil {
		day = int32(*at.updatedAsOf)
	}
	id := at.place.ID
	if id == "" {
		id = noID
	}
	b := append(make([]byte, 0, removalLength+markLength), removalFormat)
	b = binary.BigEndian.AppendUint64(b, uint64(at.place.At))
	b = binary.BigEndian.AppendUint64(b, uint64(at.place.Position))
	b = binary.BigEndian.AppendUint32(b, uint32(at.place.Until))
	b, _ = hex.AppendDecode(b, []byte(id)) // the store's IDs are hexadecimal
	return c.seal(binary.BigEndian.AppendUint32(b, uint32(day)))
}

func (c cursors) readRemoval(text string) (at removalCursor, err error) {
	b, err := c.open(text, removalFormat, removalLength)
	if err != nil {
		return at, err
	}
	at.place = store.RemovalPlace{
		At:       int64(binary.BigEndian.Uint64(b[1:])),
		Position: int64(binary.BigEndian.Uint64(b[9:])),
		Until:    catalogue.Date(binary.BigEndian.Uint32(b[17:])),
		ID:       catalogue.ID(hex.EncodeToString(b[21:33])),
	}
	if at.place.ID == noID {
		at.place.ID = ""
	}
	if day := int32(binary.BigEndian.Uint32(b[33:])); day != noRemovalDay {
		date := catalogue.Date(day)
		at.updatedAsOf = &date
	}
	return at, nil
}
