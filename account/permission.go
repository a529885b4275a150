package account

import (
	"slices"

	"github.com/filmstrip/filmstrip/fault"
)

// Permission is one thing that a caller may do. Its names are the roles of the API. Every permission except
// Operate, Browse, ReportExpiry and EmbedVideos, which follow from the account itself, and ViewSuggestions, which
// follows from others, can be part of a tier.
type Permission uint8

// The permissions.
const (
	// Browse is the permission to what needs no role of its own (a video by its id, subjects, education
	// levels). Whoever's account is in force has it, and loses it when the account expires.
	Browse Permission = iota + 1
	// ReportExpiry is the one permission that an account has because it has expired.
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
	// ViewLearningMaterial is the permission to learning outcomes, assessment questions, highlights and CEFR levels.
	ViewLearningMaterial
	ViewCollections
	InsertCollections
	UpdateCollections
	DeleteCollections
	// ViewAnyCollection is the permission to the collections of all accounts. Only clients of the operator's
	// account can have it, whatever a customer's tier says.
	ViewAnyCollection
	InsertEvents
	ViewUsers
	// ViewUsage is the permission to what the account's clients have used, and the statements of it. A token of a
	// user does not carry it: one pupil does not see what others watch.
	ViewUsage

	// ViewSuggestions is the permission to what a search box suggests: ViewVideos brings it, and so does ViewCollections.
	ViewSuggestions

	// EmbedVideos is the permission to addresses that show a video on pages of others: callers with ViewVideos have it
	// whose account names such pages (allowedOrigins).
	EmbedVideos

	// Operate marks the operator's own staff.
	Operate

	// Everyone is the permission that every caller with a valid token has. It is the zero Right.
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
}

// AllPermissions lists every permission but Everyone.
func AllPermissions() []Permission {
	rights := make([]Permission, 0, len(permissionNames))
	for r := Browse; r <= Operate; r++ {
		rights = append(rights, r)
	}
	return rights
}

// TierRights lists the permissions that a tier, or a client, may name.
func TierRights() []Permission {
	follow := []Permission{Browse, ReportExpiry, ViewSuggestions, EmbedVideos, Operate}
	return slices.DeleteFunc(AllPermissions(), func(r Permission) bool { return slices.Contains(follow, r) })
}

// String is the permission's name, "" for what is no permission.
func (r Permission) String() string {
	if int(r) < len(permissionNames) {
		return permissionNames[r]
	}
	return ""
}

// ParsePermission reads a permission's name. The error is a *catalogue.Error of code Invalid that names it.
func ParsePermission(name string) (Permission, error) {
	for right, known := range permissionNames {
		if known == name && name != "" {
			return Permission(right), nil
		}
	}
	return 0, fault.InvalidRequest("%q is not a right", name)
}

// MarshalText writes the name: numbers are no promise.
func (r Permission) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a name. What this release does not know becomes Everyone, which grants nothing.
func (r *Permission) UnmarshalText(text []byte) error {
	*r, _ = ParsePermission(string(text))
	return nil
}

// Permissions is a set of permissions. The zero value holds Everyone alone.
type Permissions uint64

// PermissionsOf is the set of these permissions and of what they bring along: whoever may see videos may know
// their types, and whoever may search is shown suggestions.
func PermissionsOf(rights ...Permission) Permissions {
	var set Permissions
	for _, right := range rights {
		if right != Everyone {
			set |= 1 << right
		}
		if right == ViewVideos {
			set |= 1 << ViewVideoTypes
		}
		if right == ViewVideos || right == ViewCollections {
			set |= 1 << ViewSuggestions
		}
	}
	return set
}

// CustomerPermissions is everything that a customer can be allowed while the account is in force.
func CustomerPermissions() Permissions {
	return PermissionsOf(append(TierRights(), Browse)...) &^ PermissionsOf(ViewAnyCollection)
}

// OperatorPermissions is everything but what follows from an account's end.
func OperatorPermissions() Permissions {
	return CustomerPermissions() | PermissionsOf(ViewAnyCollection, Operate)
}

// Has reports whether the set holds the permission; every set holds Everyone.
func (s Permissions) Has(right Permission) bool { return right == Everyone || s&(1<<right) != 0 }

// Names lists the permissions of the set by name, in their order.
func (s Permissions) Names() []string {
	var names []string
	for _, right := range AllPermissions() {
		if s.Has(right) {
			names = append(names, right.String())
		}
	}
	return names
}
