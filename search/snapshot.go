package search

// Snapshot names what an engine that lives in memory has saved of itself. The store vouches for it
// (store.Catalogue.Vouch), so that it is not mistaken for one of another catalogue.
type Snapshot struct {
	// Token is random, so that no two are the same; "": there is no snapshot.
	Token string
	// Position is the place in the log that it reflects.
	Position int64
}
