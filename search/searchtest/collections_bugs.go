package searchtest

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/search"
)

// CollectionBug is a planted fault that CollectionProperties must detect.
type CollectionBug = BugOf[buggyCollections]

// buggyCollections is a CollectionModel with faults. Each hook that is set changes an input or an output.
type buggyCollections struct {
	*CollectionModel
	faultyWrites[search.CollectionDocument]
	query  func(*search.CollectionQuery)
	answer func(*CollectionModel, search.CollectionQuery, *search.CollectionResult)
}

func (b *buggyCollections) Find(ctx context.Context, query search.CollectionQuery) (*search.CollectionResult, error) {
	asked := query
	if b.query != nil {
		b.query(&query)
	}
	result, err := b.CollectionModel.Find(ctx, query)
	if err == nil && b.answer != nil {
		b.answer(b.CollectionModel, asked, result)
	}
	return result, err
}

func (b *buggyCollections) Apply(ctx context.Context, batch search.CollectionBatch) error {
	return b.apply(ctx, b.CollectionModel, batch)
}

func (b *buggyCollections) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.CollectionDocument, error]) error {
	return b.rebuild(ctx, b.CollectionModel, position, documents)
}

// PlantedCollectionBugs returns the faults that CollectionProperties is proven to detect.
func PlantedCollectionBugs() []CollectionBug {
	return slices.Concat(droppedCollectionFilters(), wrongAudience(), wrongCollectionText(), wrongCollectionOrder(), wrongCollectionWrites())
}

func onCollectionQuery(name string, change func(*search.CollectionQuery)) CollectionBug {
	return CollectionBug{name, func(b *buggyCollections) { b.query = change }}
}

func onCollectionDocument(name string, change func(*search.CollectionDocument)) CollectionBug {
	return CollectionBug{name, func(b *buggyCollections) { b.document = change }}
}

func onCollectionBatch(name string, change func(*search.CollectionBatch)) CollectionBug {
	return CollectionBug{name, func(b *buggyCollections) { b.batch = change }}
}

func droppedCollectionFilters() []CollectionBug {
	dropped := func(name string, drop func(*search.CollectionQuery)) CollectionBug {
		return onCollectionQuery("filter of collections dropped: "+name, drop)
	}
	return []CollectionBug{
		dropped("ids", func(q *search.CollectionQuery) { q.IDs = nil }),
		dropped("discoverable", func(q *search.CollectionQuery) { q.Discoverable = nil }),
		dropped("promoted", func(q *search.CollectionQuery) { q.Promoted = nil }),
		dropped("promoted for", func(q *search.CollectionQuery) { q.PromotedFor = nil }),
		dropped("owner", func(q *search.CollectionQuery) { q.Owner = nil }),
		dropped("subjects", func(q *search.CollectionQuery) { q.Subjects = nil }),
		dropped("ages", func(q *search.CollectionQuery) { q.Ages = nil }),
		dropped("lowest age", func(q *search.CollectionQuery) { q.AgeMin = nil }),
		dropped("highest age", func(q *search.CollectionQuery) { q.AgeMax = nil }),
		dropped("resource types", func(q *search.CollectionQuery) { q.ResourceTypes = nil }),
		onCollectionQuery("an empty list of collection ids applied as no filter", func(q *search.CollectionQuery) {
			if len(q.IDs) == 0 {
				q.IDs = nil
			}
		}),
		onCollectionQuery("only the first of the subjects of collections counts", func(q *search.CollectionQuery) {
			q.Subjects = q.Subjects[:min(1, len(q.Subjects))]
		}),
		onCollectionDocument("only the first product of a promoted collection counts", func(d *search.CollectionDocument) {
			d.PromotedFor = slices.Clone(d.PromotedFor[:min(1, len(d.PromotedFor))])
		}),
	}
}

func wrongAudience() []CollectionBug {
	return []CollectionBug{
		onCollectionQuery("the audience of collections ignored", func(q *search.CollectionQuery) { q.Audience.All = true }),
		onCollectionQuery("an operator treated as a customer", func(q *search.CollectionQuery) { q.Audience.All = false }),
		onCollectionQuery("the caller's own hidden collections not found", func(q *search.CollectionQuery) { q.Audience.User = "" }),
		onCollectionQuery("collections of access rules ignored", func(q *search.CollectionQuery) { q.Audience.Only = nil }),
		onCollectionQuery("access rules without collections applied as no rules", func(q *search.CollectionQuery) {
			if len(q.Audience.Only) == 0 {
				q.Audience.Only = nil
			}
		}),
		onCollectionDocument("collections without an owner shown to callers without a user", func(d *search.CollectionDocument) {
			if d.Owner == "" {
				d.Discoverable = true
			}
		}),
		onCollectionDocument("the operator's collections hidden from other accounts", func(d *search.CollectionDocument) { d.Service = false }),
		onCollectionDocument("accounts compared without case", func(d *search.CollectionDocument) {
			d.Account = strings.ReplaceAll(strings.ToLower(d.Account), " ", "-")
		}),
		onCollectionDocument("owners compared without case", func(d *search.CollectionDocument) { d.Owner = strings.ToLower(d.Owner) }),
		{"the total of collections counted before the audience", func(b *buggyCollections) {
			b.answer = func(m *CollectionModel, q search.CollectionQuery, result *search.CollectionResult) {
				q.Audience.All, q.Offset, q.Size = true, 0, 0
				all, _ := m.Find(context.Background(), q)
				result.Total = all.Total
			}
		}},
		{"the total of collections is that of the page", func(b *buggyCollections) {
			b.answer = func(_ *CollectionModel, _ search.CollectionQuery, result *search.CollectionResult) {
				result.Total = len(result.Refs)
			}
		}},
	}
}

func wrongCollectionText() []CollectionBug {
	return []CollectionBug{
		onCollectionDocument("phrases of collections matched across title and description", func(d *search.CollectionDocument) {
			d.Description = d.Title + " " + d.Description
		}),
		onCollectionDocument("titles of collections not searched", func(d *search.CollectionDocument) { d.Title = "" }),
		onCollectionDocument("descriptions of collections not searched", func(d *search.CollectionDocument) { d.Description = "" }),
		onCollectionQuery("only the first word of a phrase counts", func(q *search.CollectionQuery) {
			if words := strings.Fields(q.Text); !q.PartialTitle && len(words) > 1 {
				q.Text = words[0]
			}
		}),
		onCollectionDocument("words of collections not stemmed", func(d *search.CollectionDocument) {
			d.Title, d.Description = strings.ReplaceAll(d.Title, "waters", "floods"), strings.ReplaceAll(d.Description, "waters", "floods")
		}),
		onCollectionQuery("a part of a title matched as a phrase", func(q *search.CollectionQuery) { q.PartialTitle = false }),
		onCollectionQuery("a phrase matched as a part of a title", func(q *search.CollectionQuery) { q.PartialTitle = true }),
	}
}

func wrongCollectionOrder() []CollectionBug {
	without := func(name string, criterion collection.Order) CollectionBug {
		return onCollectionQuery("order of collections without "+name, func(q *search.CollectionQuery) {
			q.Order = slices.DeleteFunc(slices.Clone(q.Order), func(o collection.Order) bool { return o == criterion })
		})
	}
	return []CollectionBug{
		without("the title", collection.ByTitle),
		without("the last change", collection.ByUpdatedAt),
		without("the default", collection.ByDefault),
		without("attachments", collection.ByHasAttachment),
		onCollectionQuery("order criteria of collections reversed", func(q *search.CollectionQuery) {
			q.Order = slices.Clone(q.Order)
			slices.Reverse(q.Order)
		}),
		onCollectionQuery("relevance of collections before their order", func(q *search.CollectionQuery) {
			if len(q.Order) > 0 && !q.PartialTitle && strings.TrimSpace(q.Text) != "" {
				q.Order = nil
			}
		}),
		onCollectionQuery("relevance of collections ignored", func(q *search.CollectionQuery) {
			q.Order = append(slices.Clone(q.Order), collection.ByUpdatedAt)
		}),
		onCollectionDocument("times of collections truncated to seconds", func(d *search.CollectionDocument) { d.UpdatedAt = d.UpdatedAt.Truncate(time.Second) }),
		{"collections with equal times in the order of descending ids", func(b *buggyCollections) {
			b.answer = func(m *CollectionModel, q search.CollectionQuery, result *search.CollectionResult) {
				for i := 1; i < len(result.Refs); i++ {
					before, here := m.documents[result.Refs[i-1].ID], m.documents[result.Refs[i].ID]
					if len(q.Order) == 0 && q.Text == "" && before.UpdatedAt.Equal(here.UpdatedAt) {
						result.Refs[i-1], result.Refs[i] = result.Refs[i], result.Refs[i-1]
					}
				}
			}
		}},
		onCollectionQuery("the offset of collections ignored", func(q *search.CollectionQuery) { q.Offset = 0 }),
		onCollectionQuery("a page of collections one too long", func(q *search.CollectionQuery) { q.Size++ }),
	}
}

func wrongCollectionWrites() []CollectionBug {
	return []CollectionBug{
		onCollectionBatch("a stale collection replaces a newer one", func(b *search.CollectionBatch) {
			b.Put = slices.Clone(b.Put)
			for i := range b.Put {
				b.Put[i].Version += 1000
			}
		}),
		onCollectionBatch("deletes of collections ignored", func(b *search.CollectionBatch) { b.Delete = nil }),
		onCollectionBatch("new collections ignored", func(b *search.CollectionBatch) { b.Put = nil }),
		onCollectionBatch("the position of collections ignored", func(b *search.CollectionBatch) { b.Position = 0 }),
		{"a rebuild keeps old collections", func(b *buggyCollections) { b.merges = true }},
	}
}
