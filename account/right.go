package account

import (
	"slices"

	"github.com/filmstrip/filmstrip/fault"
)

// Right is one thing that a caller may be allowed to do. Names are the roles of the API. Every right but
// Operate, Browse, ReportExpiry and EmbedVideos, which follow from the account itself, and ViewSuggestions, which
// follows from others, can be part of a tier.
type Right uint8

// The rights.
const (
	// Browse is the right to what needs no role of its own (a video by its id, subjects, education
	// levels). Whoever's account is in force has it, and loses it when the account expires.
	Browse Right = iota + 1
	// ReportExpiry is the one right that an account has because it has expired.
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
	// ViewLearningMaterial is the right to learning outcomes, assessment questions, highlights and CEFR levels.
	ViewLearningMaterial
	ViewCollections
	InsertCollections
	UpdateCollections
	DeleteCollections
	// ViewAnyCollection is the right to the collections of all accounts. Only clients of the operator's
	// account can have it, whatever a customer's tier says.
	ViewAnyCollection
	InsertEvents
	ViewUsers
	// ViewUsage is the right to what the account's clients have used, and the statements of it. A token of a
	// user does not carry it: one pupil does not see what others watch.
	ViewUsage

	// ViewSuggestions is the right to what a search box suggests: ViewVideos brings it, and so does ViewCollections.
	ViewSuggestions

	// EmbedVideos is the right to addresses that show a video on pages of others: callers with ViewVideos have it
	// whose account names such pages (allowedOrigins).
	EmbedVideos

	// Operate marks the operator's own staff.
	Operate

	// Everyone is the right that every caller with a valid token has. It is the zero Right.
	Everyone Right = 0
)

var rightNames = [...]string{
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

// AllRights lists every right but Everyone.
func AllRights() []Right {
	rights := make([]Right, 0, len(rightNames))
	for r := Browse; r <= Operate; r++ {
		rights = append(rights, r)
	}
	return rights
}

// TierRights lists the rights that a tier, or a client, may name.
func TierRights() []Right {
	follow := []Right{Browse, ReportExpiry, ViewSuggestions, EmbedVideos, Operate}
	return slices.DeleteFunc(AllRights(), func(r Right) bool { return slices.Contains(follow, r) })
}

// String is the right's name, "" for what is no right.
func (r Right) String() string {
	if int(r) < len(rightNames) {
		return rightNames[r]
	}
	return ""
}

// ParseRight reads a right's name. The error is a *catalogue.Error of code Invalid that names it.
func ParseRight(name string) (Right, error) {
	for right, known := range rightNames {
		if known == name && name != "" {
			return Right(right), nil
		}
	}
	return 0, fault.InvalidRequest("%q is not a right", name)
}

// MarshalText writes the name: numbers are no promise.
func (r Right) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a name. What this release does not know becomes Everyone, which grants nothing.
func (r *Right) UnmarshalText(text []byte) error {
	*r, _ = ParseRight(string(text))
	return nil
}

// Rights is a set of rights. The zero value holds Everyone alone.
type Rights uint64

// RightsOf is the set of these rights and of what they bring along: whoever may see videos may know
// their types, and whoever may search is shown suggestions.
func RightsOf(rights ...Right) Rights {
	var set Rights
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

// CustomerRights is everything that a customer can be allowed while the account is in force.
func CustomerRights() Rights {
	return RightsOf(append(TierRights(), Browse)...) &^ RightsOf(ViewAnyCollection)
}

// OperatorRights is everything but what follows from an account's end.
func OperatorRights() Rights { return CustomerRights() | RightsOf(ViewAnyCollection, Operate) }

// Has reports whether the set holds the right; every set holds Everyone.
func (s Rights) Has(right Right) bool { return right == Everyone || s&(1<<right) != 0 }

// Names lists the rights of the set by name, in their order.
func (s Rights) Names() []string {
	var names []string
	for _, right := range AllRights() {
		if s.Has(right) {
			names = append(names, right.String())
		}
	}
	return names
}
