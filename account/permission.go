package account

import (
	"slices"

	"github.com/filmstrip/filmstrip/fault"
)

// Permission is one thing that a caller may do. Its names are the roles of the API. Tiers can contain every
// permission except Browse, ReportExpiry and EmbedVideos, which follow from the account, ViewSuggestions, which follows
// from other permissions, and those from Operate on, which staff have by their StaffRole.
type Permission uint8

// The permissions.
const (
	// Browse covers everything that needs no role of its own: a video by its ID, subjects, education levels. Every
	// account has it until it expires.
	Browse Permission = iota + 1
	// ReportExpiry is the only permission of an expired account.
	ReportExpiry

	ViewVideos
	ViewVideoTypes
	ViewChannels
	ViewDisciplines
	ViewTags
	ViewContentWarnings
	ViewContentCategories
	ViewLegalRestrictions
	DownloadTranscript
	DownloadVideo
	RateVideos
	TagVideos
	ShareVideos
	// ViewLearningMaterial covers learning outcomes, assessment questions, highlights and CEFR levels.
	ViewLearningMaterial
	ViewCollections
	InsertCollections
	UpdateCollections
	DeleteCollections
	// ViewAnyCollection covers the collections of all accounts. Only clients of the operator's account can have it,
	// regardless of a customer's tier.
	ViewAnyCollection
	InsertEvents
	ViewUsers
	// ViewUsage covers the account's usage and statements. A user's token does not carry it, because one student must
	// not see what others watch.
	ViewUsage

	// ViewSuggestions covers search suggestions. ViewVideos and ViewCollections include it.
	ViewSuggestions

	// EmbedVideos covers the creation of embed URLs. Callers have it if they have ViewVideos and their account allows
	// embedding origins (allowedOrigins).
	EmbedVideos

	// Operate marks the operator's staff, and programs of the operator. It covers the catalogue as it is stored and the
	// usage of all accounts.
	Operate
	// EditCatalogue covers every change of the catalogue and of search rules.
	EditCatalogue
	// ViewCustomers covers accounts, clients, tiers, content packages and policies; ManageCustomers their changes.
	ViewCustomers
	ManageCustomers
	// ViewPersons covers the users of all accounts, and what single persons watch; ManagePersons changes of users.
	ViewPersons
	ManagePersons
	// ViewBilling covers the statements and invoices of all accounts, voids of plays, price plans and royalties;
	// ManageBilling their changes.
	ViewBilling
	ManageBilling
	// ManageSystem covers policies for all tokens and clients, and deprecations.
	ManageSystem
	// ManageStaff covers the roles of staff, and the operator's own accounts, clients and users.
	ManageStaff

	// Everyone is the permission that every caller with a valid token has. It is the zero Permission.
	Everyone Permission = 0
)

var permissionNames = [...]string{
	Browse:                "BROWSE",
	ReportExpiry:          "REPORT_EXPIRY",
	ViewVideos:            "VIEW_VIDEOS",
	ViewVideoTypes:        "VIEW_VIDEO_TYPES",
	ViewChannels:          "VIEW_CHANNELS",
	ViewDisciplines:       "VIEW_DISCIPLINES",
	ViewTags:              "VIEW_TAGS",
	ViewContentWarnings:   "VIEW_CONTENT_WARNINGS",
	ViewContentCategories: "VIEW_CONTENT_CATEGORIES",
	ViewLegalRestrictions: "VIEW_LEGAL_RESTRICTIONS",
	DownloadTranscript:    "DOWNLOAD_TRANSCRIPT",
	DownloadVideo:         "DOWNLOAD_VIDEO",
	RateVideos:            "RATE_VIDEOS",
	TagVideos:             "TAG_VIDEOS",
	ShareVideos:           "SHARE_VIDEOS",
	ViewLearningMaterial:  "VIEW_LEARNING_MATERIAL",
	ViewCollections:       "VIEW_COLLECTIONS",
	InsertCollections:     "INSERT_COLLECTIONS",
	UpdateCollections:     "UPDATE_COLLECTIONS",
	DeleteCollections:     "DELETE_COLLECTIONS",
	ViewAnyCollection:     "VIEW_ANY_COLLECTION",
	InsertEvents:          "INSERT_EVENTS",
	ViewUsers:             "VIEW_USERS",
	ViewUsage:             "VIEW_USAGE",
	ViewSuggestions:       "VIEW_SUGGESTIONS",
	EmbedVideos:           "EMBED_VIDEOS",
	Operate:               "OPERATE",
	EditCatalogue:         "EDIT_CATALOGUE",
	ViewCustomers:         "VIEW_CUSTOMERS",
	ManageCustomers:       "MANAGE_CUSTOMERS",
	ViewPersons:           "VIEW_PERSONS",
	ManagePersons:         "MANAGE_PERSONS",
	ViewBilling:           "VIEW_BILLING",
	ManageBilling:         "MANAGE_BILLING",
	ManageSystem:          "MANAGE_SYSTEM",
	ManageStaff:           "MANAGE_STAFF",
}

// AllPermissions returns every permission except Everyone, in order.
func AllPermissions() []Permission {
	permissions := make([]Permission, 0, len(permissionNames))
	for r := range permissionNames[Browse:] {
		permissions = append(permissions, Browse+Permission(r))
	}
	return permissions
}

// TierPermissions returns the permissions that a tier or client may contain.
func TierPermissions() []Permission {
	follow := []Permission{Browse, ReportExpiry, ViewSuggestions, EmbedVideos}
	return slices.DeleteFunc(AllPermissions(), func(r Permission) bool { return r >= Operate || slices.Contains(follow, r) })
}

// String returns the permission's name, or "" if the permission is unknown.
func (r Permission) String() string {
	if int(r) < len(permissionNames) {
		return permissionNames[r]
	}
	return ""
}

// ParsePermission parses the name of a permission. If it is unknown, the error is a *fault.Error with code Invalid
// that quotes the name.
func ParsePermission(name string) (Permission, error) {
	for permission, known := range permissionNames {
		if known == name && name != "" {
			return Permission(permission), nil
		}
	}
	return 0, fault.InvalidRequest("%q is not a permission", name)
}

// MarshalText returns the name; numbers may change between releases.
func (r Permission) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText parses a name. A name that this release does not know becomes Everyone, which grants nothing.
func (r *Permission) UnmarshalText(text []byte) error {
	*r, _ = ParsePermission(string(text))
	return nil
}

// Permissions is a set of permissions. The zero value contains only Everyone.
type Permissions uint64

// PermissionsOf returns the set of the given permissions and those that they include: ViewVideos includes
// ViewVideoTypes, and both ViewVideos and ViewCollections include ViewSuggestions.
func PermissionsOf(permissions ...Permission) Permissions {
	var set Permissions
	for _, permission := range permissions {
		if permission != Everyone {
			set |= 1 << permission
		}
		if permission == ViewVideos {
			set |= 1 << ViewVideoTypes
		}
		if permission == ViewVideos || permission == ViewCollections {
			set |= 1 << ViewSuggestions
		}
	}
	return set
}

// CustomerPermissions returns every permission that a customer can have before the account expires.
func CustomerPermissions() Permissions {
	return PermissionsOf(append(TierPermissions(), Browse)...) &^ PermissionsOf(ViewAnyCollection)
}

// OperatorPermissions returns every permission of the operator, which are those of an Owner.
func OperatorPermissions() Permissions {
	return CustomerPermissions() | PermissionsOf(AllPermissions()[Operate-Browse:]...) | PermissionsOf(ViewAnyCollection)
}

// Has reports whether the set contains the permission. Every set contains Everyone.
func (s Permissions) Has(permission Permission) bool {
	return permission == Everyone || s&(1<<permission) != 0
}

// List returns the permissions in the set, in order.
func (s Permissions) List() []Permission {
	return slices.DeleteFunc(AllPermissions(), func(permission Permission) bool { return !s.Has(permission) })
}

// Names returns the names of the permissions in the set, in order.
func (s Permissions) Names() []string {
	var names []string
	for _, permission := range s.List() {
		names = append(names, permission.String())
	}
	return names
}
