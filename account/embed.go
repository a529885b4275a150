package account

import (
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Embed describes the embed for which a token was issued.
type Embed struct {
	// Video is the only video that the token's bearer may read and report playback of.
	Video catalogue.ID
	// Address identifies the embed URL under which the page was opened. Several pages may share it.
	Address string
	// User is the ID of the user for whom the embed URL was created; "" if a client created it for itself. It is not
	// the viewer.
	User string
	// Viewing identifies the opened page.
	Viewing Viewing
}

// Viewing is one opened page of an embed. All tokens of the page share it.
type Viewing struct {
	// ID is random and unique.
	ID string
	// Opened is the server's time at which the page was opened, in milliseconds.
	Opened time.Time
}
