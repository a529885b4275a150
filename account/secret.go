package account

import (
	"errors"
	"time"
)

// The errors of rotating a refresh token.
var (
	// ErrGrantUnknown says that there is no such token, that it has expired, or that it belongs to
	// another client: whoever asks must not learn which.
	ErrGrantUnknown = errors.New("account: unknown or expired refresh token")
	// ErrGrantReused says that the token had been replaced before; its whole family has been revoked.
	ErrGrantReused = errors.New("account: refresh token used twice")
)

// Key is a secret of the service, such as the one that signs tokens.
type Key struct {
	ID        string
	Secret    []byte
	CreatedAt time.Time
}

// Grant is what a refresh token stands for. The token itself is kept as its SHA-256 sum only.
type Grant struct {
	Hash [32]byte
	// Family is shared by all tokens that came from one sign-in, each replacing the one before.
	Family   string
	ClientID string
	// User is the ID of the user on whose behalf the client calls; "": none.
	User    string
	Scope   string
	Expires time.Time
}
