package collections

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

func (r *Resolver) AddCollectionComment(ctx context.Context, id string, input graph.CollectionCommentInput) (*model.Collection, error) {
	ids, err := r.config.Videos.ResolveAliases(ctx, []string{input.VideoID})
	if err != nil {
		return nil, err
	}
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	comment, err := r.newComment(ctx, caller, input)
	if err != nil {
		return nil, err
	}
	key := collection.Key{Video: ids[0], Highlight: catalogue.ID(values.Or(input.HighlightID))}
	sees, err := r.shownIn(ctx, id, ids)
	if err != nil {
		return nil, err
	}
	commented, err := r.change(ctx, id, func(mine collection.Permissions, c *collection.Collection) error {
		if !mine.Discusses(c) {
			return errNotYours(c)
		}
		at := slices.IndexFunc(c.Assets, func(asset collection.Asset) bool { return sees.same(asset.Key(), key) })
		if at < 0 {
			return fault.Errorf(fault.NotFound, "the collection %q has no video %q", id, input.VideoID)
		}
		c.Assets[at].Comments = append(c.Assets[at].Comments, comment)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return commented, r.forgetIfDeleted(ctx, caller)
}

// newComment makes a comment by the caller. Name and address are those of the user unless the input has others.
func (r *Resolver) newComment(ctx context.Context, caller *account.Caller, input graph.CollectionCommentInput) (collection.Comment, error) {
	comment := collection.Comment{
		ID: catalogue.RandomID(), Name: values.Or(input.Name), Email: values.Or(input.Email), Text: input.Text, At: r.config.Now().UTC(),
	}
	if strings.TrimSpace(input.Text) == "" {
		return comment, inputs.Invalid("text", "is required")
	}
	comment.UserID = caller.User
	user, err := r.userOf(ctx, caller)
	if err != nil {
		return comment, err
	}
	if user != nil {
		comment.Name, comment.Email = cmp.Or(comment.Name, user.Name()), cmp.Or(comment.Email, user.Email)
	}
	return comment, nil
}

// RemoveCollectionComment succeeds if the comment does not exist, for callers who may comment.
func (r *Resolver) RemoveCollectionComment(ctx context.Context, id, comment string) (*model.Collection, error) {
	return r.change(ctx, id, func(mine collection.Permissions, c *collection.Collection) error {
		for i := range c.Assets {
			at := slices.IndexFunc(c.Assets[i].Comments, func(one collection.Comment) bool { return string(one.ID) == comment })
			if at < 0 {
				continue
			}
			if !mine.Withdraws(c, &c.Assets[i].Comments[at]) {
				return errNotYours(c)
			}
			c.Assets[i].Comments = slices.Delete(c.Assets[i].Comments, at, at+1)
			return nil
		}
		if !mine.Discusses(c) {
			return errNotYours(c)
		}
		return nil
	})
}
