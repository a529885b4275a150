package resolvers

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

func (m mutation) AddCollectionComment(ctx context.Context, id string, input graph.CollectionCommentInput) (*model.Collection, error) {
	ids, err := m.resolveAliases(ctx, []string{input.VideoID})
	if err != nil {
		return nil, err
	}
	comment, err := m.newComment(ctx, input)
	if err != nil {
		return nil, err
	}
	key := collection.Key{Video: ids[0], Highlight: catalogue.ID(or(input.HighlightID))}
	return m.change(ctx, id, func(by collection.Permissions, c *collection.Collection) error {
		if !by.Discusses(c) {
			return notChanged(c)
		}
		at := slices.IndexFunc(c.Assets, func(asset collection.Asset) bool { return asset.Key() == key })
		if at < 0 {
			return fault.Errorf(fault.NotFound, "the collection %q has no video %q", id, input.VideoID)
		}
		c.Assets[at].Comments = append(c.Assets[at].Comments, comment)
		return nil
	})
}

// newComment is a comment of the caller's. What the input does not say of who made it is the user's.
func (m mutation) newComment(ctx context.Context, input graph.CollectionCommentInput) (collection.Comment, error) {
	comment := collection.Comment{
		ID: newCollectionID(), Name: or(input.Name), Email: or(input.Email), Text: input.Text, At: m.now().UTC(),
	}
	if strings.TrimSpace(input.Text) == "" {
		return comment, invalidField("text", "is required")
	}
	caller, err := caller(ctx)
	if err != nil {
		return comment, err
	}
	comment.UserID = caller.User
	user, err := m.userOf(ctx, caller)
	if err != nil {
		return comment, err
	}
	if user != nil {
		comment.Name, comment.Email = cmp.Or(comment.Name, user.Name()), cmp.Or(comment.Email, user.Email)
	}
	return comment, nil
}

// RemoveCollectionComment finds no fault with a comment that is there no longer, for whoever could have made it.
func (m mutation) RemoveCollectionComment(ctx context.Context, id, comment string) (*model.Collection, error) {
	return m.change(ctx, id, func(by collection.Permissions, c *collection.Collection) error {
		for i := range c.Assets {
			at := slices.IndexFunc(c.Assets[i].Comments, func(one collection.Comment) bool { return string(one.ID) == comment })
			if at < 0 {
				continue
			}
			if !by.Withdraws(c, &c.Assets[i].Comments[at]) {
				return notChanged(c)
			}
			c.Assets[i].Comments = slices.Delete(c.Assets[i].Comments, at, at+1)
			return nil
		}
		if !by.Discusses(c) {
			return notChanged(c)
		}
		return nil
	})
}
