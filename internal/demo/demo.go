package demo

// The demo's accounts, each with a client of its name. Their secret, which is the teacher's password too,
// is known to everybody, which is why they work in demo mode only.
const (
	Account         = "demo"
	BasicAccount    = "demo-basic"
	PlusAccount     = "demo-plus"
	OperatorAccount = "demo-operator"
	WebClient       = "demo-web"
	WatchClient     = "demo-watch"
	Teacher         = "teacher"
	Secret          = "demo-secret"

	RedirectURI = "http://127.0.0.1:8765/callback"
	SignOutURI  = "http://127.0.0.1:8765/"
	// demoOrigin is that of the page that docs/player.md puts a video into.
	Origin = "http://127.0.0.1:8765"

	// demoActor is what the trail says of accounts that nobody but this program made. It is no id of a client.
	Actor = "demo mode"

	Videos          = 1000
	seed            = 1
	transcriptWords = 120
	// demoSchools are of twenty districts in two states.
	schools = 200
)
