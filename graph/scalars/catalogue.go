package scalars

import (
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/catalogue"
)

// MarshalCatalogueKind writes a kind as a value of the enum CatalogueKind: in capitals, with underscores instead of
// hyphens.
func MarshalCatalogueKind(kind catalogue.Kind) graphql.Marshaler {
	return plain(strings.ToUpper(strings.ReplaceAll(string(kind), "-", "_")))
}

// UnmarshalCatalogueKind accepts only the values of the enum.
func UnmarshalCatalogueKind(v any) (catalogue.Kind, error) {
	name, err := text(v)
	if err != nil {
		return "", err
	}
	kind := catalogue.Kind(strings.ReplaceAll(strings.ToLower(name), "_", "-"))
	return enum(string(kind), catalogue.Kinds())
}

// MarshalRemovalReason writes a value of the enum RemovalReason.
func MarshalRemovalReason(v catalogue.RemovalReason) graphql.Marshaler { return plain(v) }

// UnmarshalRemovalReason accepts only the values of the enum.
func UnmarshalRemovalReason(v any) (catalogue.RemovalReason, error) {
	return enum(v, catalogue.RemovalReasons())
}
