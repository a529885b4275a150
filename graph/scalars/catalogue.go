package scalars

import (
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/catalogue"
)

// MarshalCatalogueKind writes a kind as the enum CatalogueKind calls it: in capitals, with underscores for hyphens.
func MarshalCatalogueKind(kind catalogue.Kind) graphql.Marshaler {
	return plain(strings.ToUpper(strings.ReplaceAll(string(kind), "-", "_")))
}

// UnmarshalCatalogueKind accepts the values of the enum only.
func UnmarshalCatalogueKind(v any) (catalogue.Kind, error) {
	name, err := text(v)
	if err != nil {
		return "", err
	}
	kind := catalogue.Kind(strings.ReplaceAll(strings.ToLower(name), "_", "-"))
	return enum(string(kind), catalogue.Kinds())
}

// MarshalRemovalReason and UnmarshalRemovalReason bind the enum RemovalReason.
func MarshalRemovalReason(v catalogue.RemovalReason) graphql.Marshaler { return plain(v) }

// UnmarshalRemovalReason accepts the values of the enum only.
func UnmarshalRemovalReason(v any) (catalogue.RemovalReason, error) {
	return enum(v, catalogue.RemovalReasons())
}
