package usagelogic

import (
	"cmp"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// Pseudo-dimensions of cells contain all plays of an account, in addition to the dimensions of usage. The value of their
// cells is 0 unless a comment says otherwise.
const (
	// Total is the dimension of cells with users and videos.
	Total = usage.Dimensions + iota
	// Listed is the dimension of cells that list the sums of each video. A few of these cells answer a query that
	// otherwise needs one cell for each of many videos. They contain no sets of users and videos. Lists provides the
	// data to verify them.
	Listed
	// ListedUsers is the dimension of cells that list the sums of each user, as Listed does for videos.
	ListedUsers
	// UserVideos is the dimension of cells with the videos of each user. The value of a cell is the share of its users
	// (see shareOf), so that a query reads the videos of a few users without those of all.
	UserVideos
)

// Grain is the length of a cell's bucket. Stores persist its values.
type Grain uint8

// The grains, from the finest to the coarsest. Buckets are hours, days and months in UTC.
const (
	Hour Grain = iota + 1
	Day
	Month
)

const (
	hourLength = event.Hour
	dayLength  = 24 * event.Hour
)

// Bucket returns the number of the bucket that contains an instant, counting from 1970 in UTC.
func (g Grain) Bucket(at event.Instant) int64 {
	switch g {
	case Hour:
		return floor(at, hourLength)
	case Day:
		return floor(at, dayLength)
	}
	return int64(usage.MonthOf(at).Number())
}

// Start returns the first instant of a bucket.
func (g Grain) Start(bucket int64) event.Instant {
	switch g {
	case Hour:
		return event.Instant(bucket) * hourLength
	case Day:
		return event.Instant(bucket) * dayLength
	}
	return usage.MonthNumber(int(bucket)).Start()
}

// floor returns at / length, rounded down, also before 1970.
func floor(at, length event.Instant) int64 {
	bucket := at / length
	if at%length < 0 {
		bucket--
	}
	return int64(bucket)
}

// grains lists the grains of the cells of each dimension, the coarsest first. There are no cells of users, because each
// would contain few plays; lists contain them. Hourly cells of a dimension with many values, and daily cells of videos,
// would be no smaller than the plays.
var grains = map[usage.Dimension][]Grain{
	Total:           {Month, Day, Hour},
	Listed:          {Month},
	ListedUsers:     {Month},
	UserVideos:      {Month},
	usage.ByClient:  {Month, Day, Hour},
	usage.ByChannel: {Month, Day},
	usage.BySubject: {Month, Day},
	usage.ByVideo:   {Month},
}

// CellKey identifies a cell: the plays of one account in one bucket with one value of a dimension. Plays of sandbox
// accounts have cells of their own.
type CellKey struct {
	Account   Number
	Dimension usage.Dimension
	Grain     Grain
	Bucket    int64
	Value     Number
	Sandbox   bool
}

// compare orders keys by their fields, in the order of declaration.
func (k CellKey) compare(other CellKey) int {
	return cmp.Or(cmp.Compare(k.Account, other.Account), cmp.Compare(k.Dimension, other.Dimension),
		cmp.Compare(k.Grain, other.Grain), cmp.Compare(k.Bucket, other.Bucket), cmp.Compare(k.Value, other.Value),
		cmp.Compare(truth(k.Sandbox), truth(other.Sandbox)))
}

// Cell contains the sums of plays. A cell is stored in one or more parts, which have the same Key and together are the
// cell. Parts are numbered from 0.
type Cell struct {
	Key                         CellKey
	Plays, Milliseconds, Excess int64

	persons, videos set
	list            list  // only of cells with the dimension Listed or ListedUsers
	pairs           pairs // only of cells with the dimension UserVideos
}

func inOrder(cells map[CellKey]*Cell) []*Cell {
	return slices.SortedFunc(maps.Values(cells), func(a, b *Cell) int { return a.Key.compare(b.Key) })
}

// keys calls each with the key of every cell that the play belongs to.
func (p *Play) keys(each func(CellKey)) {
	for dimension, kept := range grains {
		for _, grain := range kept {
			p.cellValues(dimension, func(value Number) {
				each(CellKey{p.Account, dimension, grain, grain.Bucket(p.At), value, p.Sandbox})
			})
		}
	}
}

// cellValues calls each with the values of the cells of a dimension that the play belongs to.
func (p *Play) cellValues(dimension usage.Dimension, each func(Number)) {
	switch {
	case dimension == usage.BySubject:
		for _, subject := range p.subjects() {
			each(subject)
		}
	case dimension < usage.Dimensions:
		each(p.value(dimension))
	case dimension != UserVideos:
		each(0)
	case !p.Continues && p.Video != 0:
		each(shareOf(p.Person))
	}
}

func (c *Cell) add(p *Play) {
	c.Plays += p.Plays()
	c.Milliseconds += p.Milliseconds()
	c.Excess += p.Excess
	switch c.Key.Dimension {
	case Listed:
		c.list.add(p.Video, sum{p.Plays(), p.Milliseconds(), p.Excess})
		return
	case ListedUsers:
		c.list.add(p.Person, sum{p.Plays(), p.Milliseconds(), p.Excess})
		return
	case UserVideos:
		c.pairs.add(p.Person, p.Video)
		return
	}
	if p.Continues {
		return
	}
	if p.Person != 0 {
		c.persons.add(p.Person)
	}
	if p.Video != 0 {
		c.videos.add(p.Video)
	}
}

// Empty reports whether nothing was added to the cell.
func (c *Cell) Empty() bool { return c.Plays == 0 && c.Milliseconds == 0 && c.Excess == 0 }

// Users returns the number of distinct users in this part.
func (c *Cell) Users() int64 { return c.persons.len() }

// Videos returns the number of distinct videos in this part.
func (c *Cell) Videos() int64 { return c.videos.len() }

// Body returns the encoded users, videos and lists, which Absorb decodes.
func (c *Cell) Body() []byte {
	switch c.Key.Dimension {
	case ListedUsers:
		return c.list.appendShort([]byte{})
	case UserVideos:
		return c.pairs.append([]byte{})
	}
	return c.list.append(c.videos.append(c.persons.append(nil)))
}

// Part returns the cell as a part with a number and the current body of the cell.
func (c *Cell) Part(number int64, body []byte) Part {
	return Part{
		Key: PartKey{c.Key, number}, Plays: c.Plays, Milliseconds: c.Milliseconds, Excess: c.Excess, Users: c.Users(), Videos: c.Videos(), Body: body,
	}
}

// Absorb adds a stored part to the cell. It returns an error if the body is damaged.
func (c *Cell) Absorb(plays, milliseconds, excess int64, body []byte) error {
	c.Plays += plays
	c.Milliseconds += milliseconds
	c.Excess += excess
	switch c.Key.Dimension {
	case ListedUsers:
		return readShortList(body, c.list.add)
	case UserVideos:
		return readPairs(body, anyone, c.pairs.add)
	}
	rest, err := readSets(body, &c.persons, &c.videos)
	if err != nil {
		return err
	}
	return readList(rest, c.list.add)
}

// smallPart is the largest size in bytes of a body that is always absorbed.
const smallPart = 1024

// Absorbs reports whether an addition to a cell, with a body of added bytes, absorbs and replaces the newest stored
// part, with a body of stored bytes. If it does, the caller applies the same test to the part before; if not, the
// addition becomes a new part after the stored ones. So parts become smaller from first to last, there are few of them,
// and a large part is rewritten only after a comparable amount has been added.
func Absorbs(stored, added int) bool { return stored <= max(smallPart, 2*added) }

// replacePerson replaces one person of the cell by another. It reports whether the cell contained the old one. moved
// receives the videos of the person that now belong to another cell.
func (c *Cell) replacePerson(old, by Number, moved map[CellKey]*Cell) bool {
	switch c.Key.Dimension {
	case ListedUsers:
		return c.list.replace(old, by)
	case UserVideos:
		return c.moveVideos(old, by, moved)
	}
	had := c.persons.has(old)
	c.persons.replace(old, by)
	return had
}
