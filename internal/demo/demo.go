// Package demo contains the accounts, the catalogue and the collections of serve --demo.
package demo

// The accounts of the demo, each with a client of the same name, its other clients, and two of its users. Their secret, which
// is also the user's password, is public, so they work in demo mode only.
const (
	Account         = "demo"
	BasicAccount    = "demo-basic"
	PlusAccount     = "demo-plus"
	OperatorAccount = "demo-operator"
	WebClient       = "demo-web"
	WatchClient     = "demo-watch"
	ConsoleClient   = "demo-console"
	Teacher         = "teacher"
	Owner           = "owner"
	Secret          = "demo-secret"

	RedirectURI = "http://127.0.0.1:8765/callback"
	SignOutURI  = "http://127.0.0.1:8765/"
	// Origin is the origin of the page in docs/player.md that shows a video.
	Origin = "http://127.0.0.1:8765"

	// Actor is the client in the audit log for records that this program created. No client has this ID.
	Actor = "demo mode"

	seed = 1

	operatorName = "Demo Films"
)
