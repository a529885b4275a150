package scalars

import (
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Most enums of the schema are strings of the domain, which gqlgen converts. The enums below have other values there.

// MarshalPermission writes the name of a permission.
func MarshalPermission(permission account.Permission) graphql.Marshaler {
	return plain(permission.String())
}

// UnmarshalPermission reads the name of a permission.
func UnmarshalPermission(v any) (account.Permission, error) { return parse(v, account.ParsePermission) }

// MarshalCatalogueKind writes a kind as a value of the enum CatalogueKind: in capitals, with underscores instead of
// hyphens.
func MarshalCatalogueKind(kind catalogue.Kind) graphql.Marshaler {
	return plain(strings.ToUpper(strings.ReplaceAll(string(kind), "-", "_")))
}

// UnmarshalCatalogueKind accepts only the values of the enum.
func UnmarshalCatalogueKind(v any) (catalogue.Kind, error) {
	return parse(v, func(name string) (catalogue.Kind, error) {
		kind := catalogue.Kind(strings.ReplaceAll(strings.ToLower(name), "_", "-"))
		if !slices.Contains(catalogue.Kinds(), kind) {
			return "", fault.InvalidRequest("%s", fault.NotOneOf(string(kind), catalogue.Kinds()))
		}
		return kind, nil
	})
}
