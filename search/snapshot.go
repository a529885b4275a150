package search

// Snapshot identifies a saved copy of an engine that lives in memory. The store attests to it (store.Catalogue.Attest), so
// that it is not mistaken for a snapshot of another catalogue.
type Snapshot struct {
	// Token is random and unique; "": there is no snapshot.
	Token string
	// Position is the position of the log that it reflects.
	Position int64
}
