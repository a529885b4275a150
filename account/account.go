// Package account holds the nouns of whoever calls: clients, their rights, and the caller of a
// request. It imports the standard library and package catalogue only.
package account

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Right is one thing that a caller may be allowed to do. Names are the roles of the API.
type Right uint8

// The rights of readers, and Operate, which marks the operator's own staff.
const (
	ViewVideos Right = iota + 1
	ViewVideoTypes
	ViewChannels
	ViewDisciplines
	ViewTags
	ViewContentWarnings
	DownloadTranscript
	Operate

	// Everyone is the right that every caller with a valid token has. It is the zero Right.
	Everyone Right = 0
)

var rightNames = map[Right]string{
	ViewVideos:          "VIEW_VIDEOS",
	ViewVideoTypes:      "VIEW_VIDEO_TYPES",
	ViewChannels:        "VIEW_CHANNELS",
	ViewDisciplines:     "VIEW_DISCIPLINES",
	ViewTags:            "VIEW_TAGS",
	ViewContentWarnings: "VIEW_CONTENT_WARNINGS",
	DownloadTranscript:  "DOWNLOAD_TRANSCRIPT",
	Operate:             "OPERATE",
}

// AllRights lists every right but Everyone.
func AllRights() []Right {
	rights := make([]Right, 0, len(rightNames))
	for r := ViewVideos; int(r) <= len(rightNames); r++ {
		rights = append(rights, r)
	}
	return rights
}

// String is the right's name.
func (r Right) String() string { return rightNames[r] }

// ParseRight reads a right's name. The error is a *catalogue.Error of code Invalid that names it.
func ParseRight(name string) (Right, error) {
	for right, known := range rightNames {
		if known == name {
			return right, nil
		}
	}
	return 0, catalogue.InvalidRequest("%q is not a right", name)
}

// Rights is a set of rights. The zero value holds Everyone alone.
type Rights uint64

// RightsOf is the set of these rights and of what they bring along: whoever may see videos may know
// their types.
func RightsOf(rights ...Right) Rights {
	var set Rights
	for _, right := range rights {
		if right != Everyone {
			set |= 1 << right
		}
		if right == ViewVideos {
			set |= 1 << ViewVideoTypes
		}
	}
	return set
}

// CustomerRights is everything that a customer can be allowed.
func CustomerRights() Rights {
	return RightsOf(AllRights()...) &^ RightsOf(Operate)
}

// OperatorRights is everything.
func OperatorRights() Rights { return RightsOf(AllRights()...) }

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

// Client is a program that a customer, or the operator, was given credentials for.
type Client struct {
	ID string
	// SecretHashes are the SHA-256 sums of the secrets that count now; empty: a public client.
	SecretHashes [][32]byte
	Rights       Rights
	Access       catalogue.Access
	// Subjects are those that the client's account is about; they reorder search, nothing else.
	Subjects []catalogue.ID
	Disabled bool
	// UpdatedAt is when any of this last changed.
	UpdatedAt time.Time
}

// Caller is who sent a request, as far as authorisation needs to know.
type Caller struct {
	ClientID string
	// User is the ID of the user on whose behalf the client calls; "": none.
	User   string
	Rights Rights
	Access catalogue.Access
	// Subjects are those of the caller's account.
	Subjects []catalogue.ID
}

type callerKey struct{}

// WithCaller returns a context that carries the caller.
func WithCaller(ctx context.Context, caller *Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerOf returns the caller of a context, nil where nobody has been authenticated.
func CallerOf(ctx context.Context) *Caller {
	caller, _ := ctx.Value(callerKey{}).(*Caller)
	return caller
}

// Require returns nil if the context's caller has the right, else an error of code Unauthenticated
// or Forbidden.
func Require(ctx context.Context, right Right) error {
	caller := CallerOf(ctx)
	switch {
	case caller == nil:
		return catalogue.Errorf(catalogue.Unauthenticated, "a bearer token is required")
	case !caller.Rights.Has(right):
		return catalogue.Errorf(catalogue.Forbidden, "the right %s is required", right)
	}
	return nil
}
