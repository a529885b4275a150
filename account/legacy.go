package account

import (
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// LegacyClient is a client as it was kept before there were accounts. It goes once nothing reads it.
type LegacyClient struct {
	ID           string
	SecretHashes [][32]byte
	Rights       Rights
	Access       catalogue.Access
	Subjects     []catalogue.ID
	Disabled     bool
	UpdatedAt    time.Time
}
