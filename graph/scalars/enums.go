package scalars

import (
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// The enums of the schema are closed lists of domain values. Each pair of functions below converts one enum.

// MarshalVideoType writes a value of the enum VideoType.
func MarshalVideoType(v catalogue.VideoType) graphql.Marshaler { return plain(v) }

// UnmarshalVideoType accepts only the values of the enum.
func UnmarshalVideoType(v any) (catalogue.VideoType, error) {
	return enum(v, catalogue.VideoTypes())
}

// MarshalVideoSubtype writes a value of the enum VideoSubtype.
func MarshalVideoSubtype(v catalogue.Subtype) graphql.Marshaler { return plain(v) }

// UnmarshalVideoSubtype accepts only the values of the enum.
func UnmarshalVideoSubtype(v any) (catalogue.Subtype, error) {
	return enum(v, catalogue.Subtypes())
}

// MarshalCefrLevel writes a value of the enum CefrLevel.
func MarshalCefrLevel(v catalogue.CEFRLevel) graphql.Marshaler { return plain(v) }

// UnmarshalCefrLevel accepts only the values of the enum.
func UnmarshalCefrLevel(v any) (catalogue.CEFRLevel, error) {
	return enum(v, catalogue.CEFRLevels())
}

// MarshalAttachmentType writes a value of the enum AttachmentType.
func MarshalAttachmentType(v catalogue.AttachmentType) graphql.Marshaler { return plain(v) }

// UnmarshalAttachmentType accepts only the values of the enum.
func UnmarshalAttachmentType(v any) (catalogue.AttachmentType, error) {
	return enum(v, catalogue.AttachmentTypes())
}

// MarshalMarketSegment writes a value of the enum MarketSegment.
func MarshalMarketSegment(v catalogue.MarketSegment) graphql.Marshaler { return plain(v) }

// UnmarshalMarketSegment accepts only the values of the enum.
func UnmarshalMarketSegment(v any) (catalogue.MarketSegment, error) {
	return enum(v, catalogue.MarketSegments())
}

// MarshalIngestType writes a value of the enum IngestType.
func MarshalIngestType(v catalogue.IngestType) graphql.Marshaler { return plain(v) }

// UnmarshalIngestType accepts only the values of the enum.
func UnmarshalIngestType(v any) (catalogue.IngestType, error) {
	return enum(v, catalogue.IngestTypes())
}

// MarshalDistributionMethod writes a value of the enum DistributionMethod.
func MarshalDistributionMethod(v catalogue.DistributionMethod) graphql.Marshaler { return plain(v) }

// UnmarshalDistributionMethod accepts only the values of the enum.
func UnmarshalDistributionMethod(v any) (catalogue.DistributionMethod, error) {
	return enum(v, catalogue.DistributionMethods())
}

// MarshalEditingPermission writes a value of the enum EditingPermission.
func MarshalEditingPermission(v catalogue.EditingPermission) graphql.Marshaler { return plain(v) }

// UnmarshalEditingPermission accepts only the values of the enum.
func UnmarshalEditingPermission(v any) (catalogue.EditingPermission, error) {
	return enum(v, catalogue.EditingPermissions())
}

// MarshalTerritoryType writes a value of the enum TerritoryType.
func MarshalTerritoryType(v catalogue.TerritoryType) graphql.Marshaler { return plain(v) }

// UnmarshalTerritoryType accepts only the values of the enum.
func UnmarshalTerritoryType(v any) (catalogue.TerritoryType, error) {
	return enum(v, catalogue.TerritoryTypes())
}

// MarshalProduct writes a value of the enum Product.
func MarshalProduct(v account.Product) graphql.Marshaler { return plain(v) }

// UnmarshalProduct accepts only the values of the enum.
func UnmarshalProduct(v any) (account.Product, error) {
	return enum(v, account.Products())
}

// MarshalAccountType writes a value of the enum AccountType.
func MarshalAccountType(v account.Type) graphql.Marshaler { return plain(v) }

// UnmarshalAccountType accepts only the values of the enum.
func UnmarshalAccountType(v any) (account.Type, error) {
	return enum(v, account.Types())
}

// MarshalAccountStatus writes a value of the enum AccountStatus.
func MarshalAccountStatus(v account.Status) graphql.Marshaler { return plain(v) }

// UnmarshalAccountStatus accepts only the values of the enum.
func UnmarshalAccountStatus(v any) (account.Status, error) {
	return enum(v, account.Statuses())
}

// MarshalEnvironment writes a value of the enum Environment.
func MarshalEnvironment(v account.Environment) graphql.Marshaler { return plain(v) }

// UnmarshalEnvironment accepts only the values of the enum.
func UnmarshalEnvironment(v any) (account.Environment, error) {
	return enum(v, account.Environments())
}

// MarshalAccessRuleType writes a value of the enum AccessRuleType.
func MarshalAccessRuleType(v catalogue.RuleType) graphql.Marshaler { return plain(v) }

// UnmarshalAccessRuleType accepts only the values of the enum.
func UnmarshalAccessRuleType(v any) (catalogue.RuleType, error) {
	return enum(v, catalogue.RuleTypes())
}

// MarshalRecordKind writes a value of the enum RecordKind.
func MarshalRecordKind(v account.Kind) graphql.Marshaler { return plain(v) }

// UnmarshalRecordKind accepts only the values of the enum.
func UnmarshalRecordKind(v any) (account.Kind, error) {
	return enum(v, account.Kinds())
}

// MarshalStaffRole writes a value of the enum StaffRole.
func MarshalStaffRole(v account.StaffRole) graphql.Marshaler { return plain(v) }

// UnmarshalStaffRole accepts only the values of the enum.
func UnmarshalStaffRole(v any) (account.StaffRole, error) {
	return enum(v, account.StaffRoles())
}

// MarshalPriceUnit writes a value of the enum PriceUnit.
func MarshalPriceUnit(v billing.Unit) graphql.Marshaler { return plain(v) }

// UnmarshalPriceUnit accepts only the values of the enum.
func UnmarshalPriceUnit(v any) (billing.Unit, error) { return enum(v, billing.Units()) }

// MarshalInvoiceState writes a value of the enum InvoiceState.
func MarshalInvoiceState(v billing.State) graphql.Marshaler { return plain(v) }

// UnmarshalInvoiceState accepts only the values of the enum.
func UnmarshalInvoiceState(v any) (billing.State, error) { return enum(v, billing.States()) }

// MarshalInvoiceLineKind writes a value of the enum InvoiceLineKind.
func MarshalInvoiceLineKind(v billing.LineKind) graphql.Marshaler { return plain(v) }

// UnmarshalInvoiceLineKind accepts only the values of the enum.
func UnmarshalInvoiceLineKind(v any) (billing.LineKind, error) { return enum(v, billing.LineKinds()) }

// MarshalRoyaltyBasis writes a value of the enum RoyaltyBasis.
func MarshalRoyaltyBasis(v billing.RoyaltyBasis) graphql.Marshaler { return plain(v) }

// UnmarshalRoyaltyBasis accepts only the values of the enum.
func UnmarshalRoyaltyBasis(v any) (billing.RoyaltyBasis, error) {
	return enum(v, billing.RoyaltyBases())
}

// MarshalPermission writes the name of a permission.
func MarshalPermission(permission account.Permission) graphql.Marshaler {
	return plain(permission.String())
}

// UnmarshalPermission reads the name of a permission.
func UnmarshalPermission(v any) (account.Permission, error) { return parse(v, account.ParsePermission) }

func enum[T ~string](v any, values []T) (T, error) {
	text, err := text(v)
	if err == nil && !slices.Contains(values, T(text)) {
		err = fault.InvalidRequest("%s", fault.NotOneOf(text, values))
	}
	return T(text), err
}

// MarshalCollectionPermission writes a value of the enum CollectionPermission.
func MarshalCollectionPermission(v collection.Permission) graphql.Marshaler { return plain(v) }

// UnmarshalCollectionPermission accepts only the values of the enum.
func UnmarshalCollectionPermission(v any) (collection.Permission, error) {
	return enum(v, collection.AllPermissions())
}

// MarshalCollectionOrder writes a value of the enum CollectionOrder.
func MarshalCollectionOrder(v collection.Order) graphql.Marshaler { return plain(v) }

// UnmarshalCollectionOrder accepts only the values of the enum.
func UnmarshalCollectionOrder(v any) (collection.Order, error) {
	return enum(v, collection.Orders())
}
