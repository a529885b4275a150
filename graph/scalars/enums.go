package scalars

import (
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
)

// The enums of the schema are the closed lists of the nouns; each pair below binds one.

// MarshalVideoType and UnmarshalVideoType bind the enum VideoType.
func MarshalVideoType(v catalogue.VideoType) graphql.Marshaler { return plain(v) }

// UnmarshalVideoType accepts the values of the enum only.
func UnmarshalVideoType(v any) (catalogue.VideoType, error) {
	return enum(v, catalogue.VideoTypes())
}

// MarshalVideoSubtype and UnmarshalVideoSubtype bind the enum VideoSubtype.
func MarshalVideoSubtype(v catalogue.Subtype) graphql.Marshaler { return plain(v) }

// UnmarshalVideoSubtype accepts the values of the enum only.
func UnmarshalVideoSubtype(v any) (catalogue.Subtype, error) {
	return enum(v, catalogue.Subtypes())
}

// MarshalCefrLevel and UnmarshalCefrLevel bind the enum CefrLevel.
func MarshalCefrLevel(v catalogue.CEFRLevel) graphql.Marshaler { return plain(v) }

// UnmarshalCefrLevel accepts the values of the enum only.
func UnmarshalCefrLevel(v any) (catalogue.CEFRLevel, error) {
	return enum(v, catalogue.CEFRLevels())
}

// MarshalAttachmentType and UnmarshalAttachmentType bind the enum AttachmentType.
func MarshalAttachmentType(v catalogue.AttachmentType) graphql.Marshaler { return plain(v) }

// UnmarshalAttachmentType accepts the values of the enum only.
func UnmarshalAttachmentType(v any) (catalogue.AttachmentType, error) {
	return enum(v, catalogue.AttachmentTypes())
}

// MarshalMarketSegment and UnmarshalMarketSegment bind the enum MarketSegment.
func MarshalMarketSegment(v catalogue.MarketSegment) graphql.Marshaler { return plain(v) }

// UnmarshalMarketSegment accepts the values of the enum only.
func UnmarshalMarketSegment(v any) (catalogue.MarketSegment, error) {
	return enum(v, catalogue.MarketSegments())
}

// MarshalIngestType and UnmarshalIngestType bind the enum IngestType.
func MarshalIngestType(v catalogue.IngestType) graphql.Marshaler { return plain(v) }

// UnmarshalIngestType accepts the values of the enum only.
func UnmarshalIngestType(v any) (catalogue.IngestType, error) {
	return enum(v, catalogue.IngestTypes())
}

// MarshalDistributionMethod and UnmarshalDistributionMethod bind the enum DistributionMethod.
func MarshalDistributionMethod(v catalogue.DistributionMethod) graphql.Marshaler { return plain(v) }

// UnmarshalDistributionMethod accepts the values of the enum only.
func UnmarshalDistributionMethod(v any) (catalogue.DistributionMethod, error) {
	return enum(v, catalogue.DistributionMethods())
}

// MarshalEditingPermission and UnmarshalEditingPermission bind the enum EditingPermission.
func MarshalEditingPermission(v catalogue.EditingPermission) graphql.Marshaler { return plain(v) }

// UnmarshalEditingPermission accepts the values of the enum only.
func UnmarshalEditingPermission(v any) (catalogue.EditingPermission, error) {
	return enum(v, catalogue.EditingPermissions())
}

// MarshalTerritoryType and UnmarshalTerritoryType bind the enum TerritoryType.
func MarshalTerritoryType(v catalogue.TerritoryType) graphql.Marshaler { return plain(v) }

// UnmarshalTerritoryType accepts the values of the enum only.
func UnmarshalTerritoryType(v any) (catalogue.TerritoryType, error) {
	return enum(v, catalogue.TerritoryTypes())
}

// MarshalProduct and UnmarshalProduct bind the enum Product.
func MarshalProduct(v account.Product) graphql.Marshaler { return plain(v) }

// UnmarshalProduct accepts the values of the enum only.
func UnmarshalProduct(v any) (account.Product, error) {
	return enum(v, account.Products())
}

// MarshalAccountType and UnmarshalAccountType bind the enum AccountType.
func MarshalAccountType(v account.Type) graphql.Marshaler { return plain(v) }

// UnmarshalAccountType accepts the values of the enum only.
func UnmarshalAccountType(v any) (account.Type, error) {
	return enum(v, account.Types())
}

// MarshalAccountStatus and UnmarshalAccountStatus bind the enum AccountStatus.
func MarshalAccountStatus(v account.Status) graphql.Marshaler { return plain(v) }

// UnmarshalAccountStatus accepts the values of the enum only.
func UnmarshalAccountStatus(v any) (account.Status, error) {
	return enum(v, account.Statuses())
}

// MarshalEnvironment and UnmarshalEnvironment bind the enum Environment.
func MarshalEnvironment(v account.Environment) graphql.Marshaler { return plain(v) }

// UnmarshalEnvironment accepts the values of the enum only.
func UnmarshalEnvironment(v any) (account.Environment, error) {
	return enum(v, account.Environments())
}

// MarshalAccessRuleType and UnmarshalAccessRuleType bind the enum AccessRuleType.
func MarshalAccessRuleType(v catalogue.RuleType) graphql.Marshaler { return plain(v) }

// UnmarshalAccessRuleType accepts the values of the enum only.
func UnmarshalAccessRuleType(v any) (catalogue.RuleType, error) {
	return enum(v, catalogue.RuleTypes())
}

// MarshalRecordKind and UnmarshalRecordKind bind the enum RecordKind.
func MarshalRecordKind(v account.Kind) graphql.Marshaler { return plain(v) }

// UnmarshalRecordKind accepts the values of the enum only.
func UnmarshalRecordKind(v any) (account.Kind, error) {
	return enum(v, account.Kinds())
}

// MarshalPermission writes a right's name.
func MarshalPermission(right account.Permission) graphql.Marshaler { return plain(right.String()) }

// UnmarshalPermission reads a right's name.
func UnmarshalPermission(v any) (account.Permission, error) { return parse(v, account.ParsePermission) }

func enum[T ~string](v any, values []T) (T, error) {
	text, err := text(v)
	if err == nil && !slices.Contains(values, T(text)) {
		err = fault.InvalidRequest("%q is not one of %v", text, values)
	}
	return T(text), err
}

// MarshalCollectionPermission and UnmarshalCollectionPermission bind the enum CollectionPermission.
func MarshalCollectionPermission(v collection.Permission) graphql.Marshaler { return plain(v) }

// UnmarshalCollectionPermission accepts the values of the enum only.
func UnmarshalCollectionPermission(v any) (collection.Permission, error) {
	return enum(v, collection.AllPermissions())
}

// MarshalCollectionOrder and UnmarshalCollectionOrder bind the enum CollectionOrder.
func MarshalCollectionOrder(v collection.Order) graphql.Marshaler { return plain(v) }

// UnmarshalCollectionOrder accepts the values of the enum only.
func UnmarshalCollectionOrder(v any) (collection.Order, error) {
	return enum(v, collection.Orders())
}
