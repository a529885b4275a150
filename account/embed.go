package account

import (
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Embed is what the token of an embed is good for, and which page asked for it.
type Embed struct {
	// Video is the only one that the token's bearer may read and report playback of.
	Video catalogue.ID
	// Address identifies the address under which the page was opened. Many pages may be opened under one address.
	Address string
	// User is the ID of the user on whose behalf the address was made; "": a client made it for itself. It is not
	// the user who watches.
	User string
	// Viewing is the opened page.
	Viewing Viewing
}

// Viewing is one opened page of an embed. Every token that the page is given has the same Viewing.
type Viewing struct {
	// ID is random and unique.
	ID string
	// Opened is when the page was opened, to the millisecond, by the clock of the server.
	Opened time.Time
}
