package usage

import (
	"context"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// maxFormer is the most deleted records of a kind whose last name is looked up in the audit log for one answer. Each is a
// read of its own.
const maxFormer = 50

// nameRows sets the names in rows that the operation selects. Rows have a name while the record exists, and staff also
// get the last name of a record that was deleted over GraphQL or by a command.
func (r *Resolver) nameRows(ctx context.Context, rows []*graph.UsageRow) error {
	n := naming{r: r, staff: account.CallerOf(ctx).Permissions.Has(account.Operate)}
	for field := range selectedOfRows(ctx) {
		var err error
		switch field {
		case "accountName":
			err = n.set(ctx, rows, func(row *graph.UsageRow) (*string, **string) { return row.Account, &row.AccountName }, n.accounts)
		case "clientName":
			err = n.set(ctx, rows, func(row *graph.UsageRow) (*string, **string) { return row.Client, &row.ClientName }, n.clients)
		case "userName":
			err = n.set(ctx, rows, func(row *graph.UsageRow) (*string, **string) { return row.User, &row.UserName }, n.users)
		case "videoTitle":
			err = n.set(ctx, rows, func(row *graph.UsageRow) (*string, **string) { return row.Video, &row.VideoTitle }, n.videos)
		case "channelName":
			err = n.set(ctx, rows, func(row *graph.UsageRow) (*string, **string) { return row.Channel, &row.ChannelName }, n.channels)
		case "subjectName":
			err = n.set(ctx, rows, func(row *graph.UsageRow) (*string, **string) { return row.Subject, &row.SubjectName }, n.subjects)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// selectedOfRows returns the names of the fields of rows that the operation selects.
func selectedOfRows(ctx context.Context) map[string]bool {
	selected := map[string]bool{}
	operation := graphql.GetOperationContext(ctx)
	for _, part := range graphql.CollectFieldsCtx(ctx, nil) {
		if part.Name != "rows" {
			continue
		}
		for _, field := range graphql.CollectFields(operation, part.Selections, nil) {
			selected[field.Name] = true
		}
	}
	return selected
}

// naming finds the names of keys.
type naming struct {
	r     *Resolver
	staff bool
}

// set sets the name of each row that has a key. find returns the names of distinct keys; those without one have none.
func (n naming) set(ctx context.Context, rows []*graph.UsageRow, of func(*graph.UsageRow) (key *string, name **string), find func(context.Context, []string) (map[string]string, error)) error {
	var keys []string
	known := map[string]bool{}
	for _, row := range rows {
		if key, _ := of(row); key != nil && !known[*key] {
			known[*key] = true
			keys = append(keys, *key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	names, err := find(ctx, keys)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if key, name := of(row); key != nil {
			*name = values.OrNil(names[*key])
		}
	}
	return nil
}

func (n naming) accounts(ctx context.Context, keys []string) (map[string]string, error) {
	roster := n.roster()
	names := namesWith(keys, func(key string) *account.Account { return roster.Accounts[key] }, func(of *account.Account) string { return of.Name })
	return names, n.addFormerRecords(ctx, names, keys, account.KindAccount.Key)
}

func (n naming) clients(ctx context.Context, keys []string) (map[string]string, error) {
	roster := n.roster()
	names := namesWith(keys, func(key string) *account.Client { return roster.Clients[key] }, func(client *account.Client) string { return client.Name })
	return names, n.addFormerRecords(ctx, names, keys, account.KindClient.Key)
}

// users returns the names of users that exist; those that were deleted asked for it.
func (n naming) users(ctx context.Context, keys []string) (map[string]string, error) {
	caller := account.CallerOf(ctx)
	return n.r.config.Registry.UserNames(ctx, keys, func(user *account.User) bool {
		return n.staff || caller.Account != nil && caller.Account.ID == user.AccountID
	})
}

// namesWith returns the names of the keys for which find returns something.
func namesWith[T comparable](keys []string, find func(key string) T, name func(T) string) map[string]string {
	var nothing T
	names := map[string]string{}
	for _, key := range keys {
		if found := find(key); found != nothing {
			names[key] = name(found)
		}
	}
	return names
}

func (n naming) roster() *account.Roster {
	if n.r.config.Roster == nil {
		return account.NewRoster(nil)
	}
	return n.r.config.Roster()
}

// videos returns the titles of the videos that the caller sees; staff see all.
func (n naming) videos(ctx context.Context, keys []string) (map[string]string, error) {
	ids := values.Map(keys, func(key string) catalogue.ID { return catalogue.ID(key) })
	var (
		videos []*catalogue.Video
		err    error
	)
	if n.staff {
		videos, err = n.r.config.Catalogue.Videos(ctx, ids)
	} else {
		videos, _, err = n.r.config.Videos.LoadVisible(ctx, ids)
	}
	if err != nil {
		return nil, err
	}
	titles := map[string]string{}
	for _, video := range videos {
		titles[string(video.ID)] = video.Title
	}
	return titles, n.addFormerItems(ctx, titles, keys, catalogue.KindVideo)
}

// channels returns names; hidden channels have no rows.
func (n naming) channels(ctx context.Context, keys []string) (map[string]string, error) {
	directory, err := n.r.config.Videos.Directory(ctx)
	if err != nil {
		return nil, err
	}
	names := namesWith(keys, func(key string) *catalogue.Channel { return directory.Channel(catalogue.ID(key)) }, func(channel *catalogue.Channel) string { return channel.Name })
	return names, n.addFormerItems(ctx, names, keys, catalogue.KindChannel)
}

func (n naming) subjects(ctx context.Context, keys []string) (map[string]string, error) {
	directory, err := n.r.config.Videos.Directory(ctx)
	if err != nil {
		return nil, err
	}
	names := namesWith(keys, func(key string) *catalogue.Subject { return directory.Subject(catalogue.ID(key)) }, func(subject *catalogue.Subject) string { return subject.Name })
	return names, n.addFormerItems(ctx, names, keys, catalogue.KindSubject)
}

// addFormerItems adds the last names of deleted items of the catalogue, for staff.
func (n naming) addFormerItems(ctx context.Context, names map[string]string, keys []string, kind catalogue.Kind) error {
	return n.addFormer(names, keys, func(key string) ([]byte, error) {
		entries, err := n.r.config.Catalogue.Audit(ctx, store.CatalogueAuditQuery{Kind: kind, ID: catalogue.ID(key), Limit: 1})
		if err != nil || len(entries) == 0 {
			return nil, err
		}
		return entries[0].Before, nil
	})
}

// addFormerRecords adds the last names of deleted accounts and clients, for staff.
func (n naming) addFormerRecords(ctx context.Context, names map[string]string, keys []string, keyOf func(string) account.EntityKey) error {
	records, err := n.r.config.Registry.Store()
	if err != nil {
		return nil //nolint:nilerr // without a registry, nothing was deleted from it
	}
	return n.addFormer(names, keys, func(key string) ([]byte, error) {
		entries, err := records.Audit(ctx, store.AuditQuery{Key: keyOf(key)}, 0, 1)
		if err != nil || len(entries) == 0 {
			return nil, err
		}
		return entries[0].Before, nil
	})
}

// addFormer adds the names in the last states of keys that have none.
func (n naming) addFormer(names map[string]string, keys []string, lastState func(key string) ([]byte, error)) error {
	if !n.staff {
		return nil
	}
	asked := 0
	for _, key := range keys {
		if _, known := names[key]; known || asked == maxFormer {
			continue
		}
		asked++
		state, err := lastState(key)
		if err != nil {
			return err
		}
		var body struct{ Name, Title string }
		if json.Unmarshal(state, &body) == nil {
			names[key] = body.Title + body.Name
		}
	}
	return nil
}
