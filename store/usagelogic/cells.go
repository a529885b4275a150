package usagelogic

import (
	"cmp"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// Beside the dimensions of usage there are two of cells which hold all plays of an account. Their value is 0.
const (
	// Total is that of cells with users and videos.
	Total = usage.Dimensions + iota
	// Listed is that of cells which list what each video comes to: a few of them say what else takes a cell for each
	// of many videos. Their users and videos are not told. What they say is verified (Lists).
	Listed
)

// Grain is the length of a cell's bucket. Grains are stored.
type Grain uint8

// The grains.
const (
	Hour Grain = iota + 1
	Day
	Month
)

const (
	hourLength = event.Hour
	dayLength  = 24 * event.Hour
)

// Bucket is the number of the bucket in which an instant lies, since 1970.
func (g Grain) Bucket(at event.Instant) int64 {
	switch g {
	case Hour:
		return floor(at, hourLength)
	case Day:
		return floor(at, dayLength)
	}
	return int64(usage.MonthOf(at).Number())
}

// Start is the first instant of a bucket.
func (g Grain) Start(bucket int64) event.Instant {
	switch g {
	case Hour:
		return event.Instant(bucket) * hourLength
	case Day:
		return event.Instant(bucket) * dayLength
	}
	return usage.MonthNumber(int(bucket)).Start()
}

// floor divides and rounds down, before 1970 too.
func floor(at, length event.Instant) int64 {
	bucket := at / length
	if at%length < 0 {
		bucket--
	}
	return int64(bucket)
}

// grains are those in which cells of a dimension are kept, the coarsest first. There are none of users: a cell
// would hold few plays. Hours of what has many values, and days of videos, would be no smaller than the plays.
var grains = map[usage.Dimension][]Grain{
	Total:           {Month, Day, Hour},
	Listed:          {Month},
	usage.ByClient:  {Month, Day, Hour},
	usage.ByChannel: {Month, Day},
	usage.BySubject: {Month, Day},
	usage.ByVideo:   {Month},
}

// CellKey names a cell: what one account played in one bucket, of one value of a dimension. What a sandbox account
// played lies apart.
type CellKey struct {
	Account   Number
	Dimension usage.Dimension
	Grain     Grain
	Bucket    int64
	Value     Number
	Sandbox   bool
}

// compare orders keys by their fields.
func (k CellKey) compare(other CellKey) int {
	return cmp.Or(cmp.Compare(k.Account, other.Account), cmp.Compare(k.Dimension, other.Dimension),
		cmp.Compare(k.Grain, other.Grain), cmp.Compare(k.Bucket, other.Bucket), cmp.Compare(k.Value, other.Value),
		cmp.Compare(truth(k.Sandbox), truth(other.Sandbox)))
}

// Cell is what plays come to. It is stored in one part or several, which have Key in common; together they are the
// cell. Parts are numbered from 0.
type Cell struct {
	Key                         CellKey
	Plays, Milliseconds, Excess int64

	persons, videos set
	list            list // of cells that are Listed
}

// Gather sums plays up in cells, in the order of their keys, but those that voids take out of the counts.
func Gather(plays []Play) []*Cell {
	cells := map[CellKey]*Cell{}
	for i := range plays {
		p := &plays[i]
		if p.Void != 0 {
			continue
		}
		p.keys(func(key CellKey) {
			cell := cells[key]
			if cell == nil {
				cell = &Cell{Key: key}
				cells[key] = cell
			}
			cell.add(p)
		})
	}
	return inOrder(cells)
}

func inOrder(cells map[CellKey]*Cell) []*Cell {
	return slices.SortedFunc(maps.Values(cells), func(a, b *Cell) int { return a.Key.compare(b.Key) })
}

// keys calls each with the keys of all cells that the play belongs to.
func (p *Play) keys(each func(CellKey)) {
	for dimension, kept := range grains {
		values := []Number{0}
		if dimension < usage.Dimensions {
			values = p.values(dimension)
		}
		for _, grain := range kept {
			for _, value := range values {
				each(CellKey{p.Account, dimension, grain, grain.Bucket(p.At), value, p.Sandbox})
			}
		}
	}
}

func (c *Cell) add(p *Play) {
	c.Plays++
	c.Milliseconds += p.Milliseconds()
	c.Excess += p.Excess
	if c.Key.Dimension == Listed {
		c.list.add(p.Video, sum{1, p.Milliseconds(), p.Excess})
		return
	}
	if p.Person != 0 {
		c.persons.add(p.Person)
	}
	if p.Video != 0 {
		c.videos.add(p.Video)
	}
}

// Users and Videos are how many distinct ones there are in this part.
func (c *Cell) Users() int64 { return c.persons.len() }

// Videos is Users for videos.
func (c *Cell) Videos() int64 { return c.videos.len() }

// Body is what Absorb reads: the users, the videos and the list.
func (c *Cell) Body() []byte { return c.list.append(c.videos.append(c.persons.append(nil))) }

// Absorb takes up a stored part.
func (c *Cell) Absorb(plays, milliseconds, excess int64, body []byte) error {
	c.Plays += plays
	c.Milliseconds += milliseconds
	c.Excess += excess
	rest, err := readSets(body, &c.persons, &c.videos)
	if err != nil {
		return err
	}
	return readList(rest, c.list.add)
}

// smallPart is up to how many bytes a part is never left beside another.
const smallPart = 1024

// Absorbs reports whether the newest stored part of a cell, with a body of so many bytes, is to be taken up into
// what is added, with a body of so many, and put in its place, once the part before it has been looked at in the
// same way; else what is added becomes a new part behind it. So parts become smaller from the first to the last,
// there are few of them, and what a large part holds is written again only when that much has come in addition.
func Absorbs(stored, added int) bool { return stored <= max(smallPart, 2*added) }

// ReplacePerson makes one person of the cell another, and reports whether it was there.
func (c *Cell) ReplacePerson(old, by Number) bool {
	had := c.persons.has(old)
	c.persons.replace(old, by)
	return had
}
