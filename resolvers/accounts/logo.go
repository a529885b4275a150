package accounts

import (
	"context"
	"encoding/base64"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/store"
)

// readLogo decodes the logo of an input, or returns nil if there is none.
func readLogo(f *inputs.Faults, accountID string, given graphql.Omittable[*string]) *account.Logo {
	text, _ := given.ValueOK()
	if text == nil {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(*text)
	if err != nil {
		f.Add("logo", "is not Base64")
		return nil
	}
	logo, problem := account.NewLogo(accountID, data)
	if problem != "" {
		f.Add("logo", "%s", problem)
	}
	return logo
}

// setLogo replaces the logo of an account if isSet; a nil logo removes it. After the account is put, the caller runs the
// returned function, which deletes the logo before it.
func setLogo(ctx context.Context, tx store.RegistryTx, a *account.Account, logo *account.Logo, isSet bool) (after func() error, err error) {
	former := a.Logo
	if !isSet {
		return func() error { return nil }, nil
	}
	a.Logo = nil
	if logo != nil {
		a.Logo = logo.Info()
		if err := tx.Put(ctx, logo); err != nil {
			return nil, err
		}
	}
	return func() error {
		if former == nil || logo != nil && logo.ID == former.ID {
			return nil
		}
		return tx.Delete(ctx, account.KindLogo.Key(former.ID))
	}, nil
}

func shownLogo(logo *account.LogoInfo) *graph.AccountLogo {
	if logo == nil {
		return nil
	}
	return &graph.AccountLogo{ID: logo.ID, MediaType: logo.MediaType, Bytes: logo.Bytes}
}
