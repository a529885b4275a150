package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
)

// thing names what is stored.
type thing struct {
	kind catalogue.Kind
	id   catalogue.ID
}

func thingOf(item catalogue.Item) thing { return thing{item.Kind(), item.Head().ID} }

// storedEntity is a row of entities.
type storedEntity struct {
	item   catalogue.Item
	number int64
	body   []byte
}

var selectStoredEntities = define(`
	SELECT e.id, e.version, e.updated_at, e.source, e.reference, e.kind, e.number, e.body
	FROM json_each(?) AS asked
	CROSS JOIN entities AS e ON e.id = asked.value`)

// storedEntities reads what is stored under IDs, of whatever kinds.
func (t *transaction) storedEntities(ctx context.Context, ids []catalogue.ID) (map[thing]*storedEntity, error) {
	stored := make(map[thing]*storedEntity)
	if len(ids) == 0 {
		return stored, nil
	}
	err := t.query(ctx, selectStoredEntities, func(rows *sql.Rows) error {
		var (
			meta   catalogue.Meta
			kind   catalogue.Kind
			number int64
			body   []byte
		)
		if err := scanMeta(rows, &meta, &kind, &number, &body); err != nil {
			return err
		}
		item := catalogue.New(kind)
		*item.Head() = meta
		stored[thing{kind, meta.ID}] = &storedEntity{item: item, number: number, body: body}
		return decode(body, item)
	}, idList(ids))
	return stored, err
}

// equals reports whether putting the candidate would change nothing.
func (e *storedEntity) equals(c *candidate) bool {
	return sameOrigin(e.item.Head(), c.item.Head()) && bytes.Equal(e.body, c.body)
}

func sameOrigin(a, b *catalogue.Meta) bool { return a.Source == b.Source && a.Reference == b.Reference }

// storedVideo is a row of videos with its body.
type storedVideo struct {
	meta catalogue.Meta
	seq  int64
	body []byte
	// transcript is the sum of the transcript, nil where there is none.
	transcript []byte
	// parsed is the body's content, made when it is needed.
	parsed *catalogue.Video
}

var selectStoredVideos = define(`
	SELECT v.id, v.version, v.updated_at, v.source, v.reference, v.seq, b.body, t.sum
	FROM json_each(?) AS asked
	CROSS JOIN videos AS v ON v.id = asked.value
	CROSS JOIN video_bodies AS b ON b.seq = v.seq
	LEFT JOIN video_transcripts AS t ON t.seq = v.seq`)

func (t *transaction) storedVideos(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]*storedVideo, error) {
	stored := make(map[catalogue.ID]*storedVideo)
	if len(ids) == 0 {
		return stored, nil
	}
	err := t.query(ctx, selectStoredVideos, func(rows *sql.Rows) error {
		video := &storedVideo{}
		err := scanMeta(rows, &video.meta, &video.seq, &video.body, &video.transcript)
		stored[video.meta.ID] = video
		return err
	}, idList(ids))
	return stored, err
}

// equals reports whether putting the candidate would change nothing.
func (v *storedVideo) equals(c *candidate) bool {
	return sameOrigin(&v.meta, c.item.Head()) && bytes.Equal(v.body, c.body) && bytes.Equal(v.transcript, c.transcript)
}

// video decodes the body, once.
func (v *storedVideo) video() (*catalogue.Video, error) {
	if v.parsed == nil {
		video := &catalogue.Video{Meta: v.meta, Sequence: v.seq}
		if err := decode(v.body, video); err != nil {
			return nil, err
		}
		v.parsed = video
	}
	return v.parsed, nil
}

// numbers finds the number of what a link names.
type numbers map[thing]int64

var selectNumbers = define(`
	SELECT e.kind, e.id, e.number FROM json_each(?) AS asked CROSS JOIN entities AS e ON e.id = asked.value`)

// numbersOf reads the numbers of what these links name; what there is not, is missing.
func (t *transaction) numbersOf(ctx context.Context, links []catalogue.Link) (numbers, error) {
	ids := make([]catalogue.ID, len(links))
	for i, link := range links {
		ids[i] = link.ID
	}
	slices.Sort(ids)
	found := numbers{}
	if len(ids) == 0 {
		return found, nil
	}
	err := t.query(ctx, selectNumbers, func(rows *sql.Rows) error {
		var (
			name   thing
			number int64
		)
		err := rows.Scan(&name.kind, &name.id, &number)
		found[name] = number
		return err
	}, idList(slices.Compact(ids)))
	return found, err
}

// targets are the numbers of what links name, sorted, each once.
func (n numbers) targets(links []catalogue.Link) []int64 {
	targets := make([]int64, 0, len(links))
	for _, link := range links {
		if number, ok := n[thing{link.Kind, link.ID}]; ok {
			targets = append(targets, number)
		}
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}

// difference splits two sorted lists into what only the first and what only the second holds.
func difference(before, after []int64) (gone, come []int64) {
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(after) == 0 || (len(before) > 0 && before[0] < after[0]):
			gone, before = append(gone, before[0]), before[1:]
		case len(before) == 0 || after[0] < before[0]:
			come, after = append(come, after[0]), after[1:]
		default:
			before, after = before[1:], after[1:]
		}
	}
	return gone, come
}
