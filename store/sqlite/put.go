package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// Put implements store.Tx.
func (t *transaction) Put(ctx context.Context, items []catalogue.Item) ([]store.Outcome, error) {
	outcomes := make([]store.Outcome, 0, len(items))
	err := t.doing(func() error {
		for _, run := range distinctRuns(items) {
			done, err := newPutting(t).put(ctx, run)
			if err != nil {
				return err
			}
			outcomes = append(outcomes, done...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

// distinctRuns cuts a list into pieces in none of which one thing occurs twice.
func distinctRuns(items []catalogue.Item) (runs [][]catalogue.Item) {
	met := make(map[thing]bool, len(items))
	start := 0
	for i, item := range items {
		if t := thingOf(item); met[t] {
			runs = append(runs, items[start:i])
			clear(met)
			start = i
		}
		met[thingOf(item)] = true
	}
	return append(runs, items[start:])
}

// putting is the Put of one list of different things. What the items touch is read first, with one
// query for each table; then they are judged one by one, in their order, against what was read and
// what came before them; what they change is gathered in batches and written at the end.
type putting struct {
	*transaction
	now time.Time

	// What is stored, kept up to date as items are accepted.
	entities map[thing]*storedEntity
	videos   map[catalogue.ID]*storedVideo
	numbers  numbers
	names    map[name]catalogue.ID
	aliases  map[string]catalogue.ID

	log           batch
	entityRows    batch
	entityLinks   batch
	videoRows     batch
	bodyRows      batch
	videoLinks    batch
	transcripts   batch
	noEntityLinks pairs
	noVideoLinks  pairs
	noTranscripts []int64
	fanOuts       []fanOut
}

// pairs are links to be removed: who refers, by target.
type pairs map[int64][]int64

func newPutting(t *transaction) *putting {
	return &putting{
		transaction: t,
		now:         catalogue.Instant(t.settings.now()),
		log:         batch{insertion: insertOutbox},
		entityRows:  batch{insertion: insertEntities}, entityLinks: batch{insertion: insertEntityLinks},
		videoRows: batch{insertion: insertVideos}, bodyRows: batch{insertion: insertBodies},
		videoLinks: batch{insertion: insertVideoLinks}, transcripts: batch{insertion: insertTranscripts},
		noEntityLinks: pairs{}, noVideoLinks: pairs{},
	}
}

func (p *putting) put(ctx context.Context, items []catalogue.Item) ([]store.Outcome, error) {
	candidates, err := p.read(ctx, items)
	if err != nil {
		return nil, err
	}
	outcomes := make([]store.Outcome, len(items))
	for i := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		outcomes[i] = p.judge(&candidates[i])
	}
	return outcomes, p.write(ctx)
}

// candidate is an item with what can be said of it alone.
type candidate struct {
	item   catalogue.Item
	faults catalogue.FieldErrors
	links  []catalogue.Link
	body   []byte
	// transcript is the sum of the transcript that the video will have, nil: none.
	transcript []byte
}

// judge decides on one item and, where it changes something, hands what is to be written to the
// batches.
func (p *putting) judge(c *candidate) store.Outcome {
	for _, link := range c.links {
		if _, known := p.numbers[thing{link.Kind, link.ID}]; !known && link.ID != "" {
			c.fault(link.Field, "there is no %s %q", link.Kind, link.ID)
		}
	}
	p.judgeUnique(c)
	switch item := c.item.(type) {
	case *catalogue.Video:
		return p.judgeVideo(c, item)
	default:
		return p.judgeEntity(c, item)
	}
}

// judgeUnique looks whether the item's name or alias is another's already.
func (p *putting) judgeUnique(c *candidate) {
	id := c.item.Head().ID
	if video, ok := c.item.(*catalogue.Video); ok {
		if holder, taken := p.aliases[video.LegacyID]; taken && holder != id {
			c.fault("legacyId", "%q is that of video %s already", video.LegacyID, holder)
		}
		return
	}
	if own, ok := nameOf(c.item); ok {
		if holder, taken := p.names[own]; taken && holder != id {
			c.fault(nameField(own.kind), "%q is that of %s %s already", own.folded, own.kind, holder)
		}
	}
}

func (c *candidate) fault(field, format string, args ...any) {
	c.faults = append(c.faults, catalogue.FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

func (c *candidate) rejected() store.Outcome {
	return store.Outcome{Status: store.Rejected, Faults: c.faults}
}

// place gives an accepted item its version.
func (p *putting) place(item catalogue.Item) {
	head := item.Head()
	head.Version = p.entry(&p.log, item.Kind(), head.ID, false)
	head.UpdatedAt = p.now
}

// name is a name within the kind in which it must be unique.
type name struct {
	kind   catalogue.Kind
	folded string
}

// nameOf returns the unique name of an item; false for kinds that may repeat theirs.
func nameOf(item catalogue.Item) (name, bool) {
	folded := catalogue.UniqueName(item)
	return name{item.Kind(), folded}, folded != ""
}

// nameField is the field of a kind that holds the unique name.
func nameField(kind catalogue.Kind) string {
	switch kind {
	case catalogue.KindTag:
		return "label"
	case catalogue.KindDiscipline:
		return "code"
	}
	return "name"
}
