package typesense

import "github.com/filmstrip/filmstrip/catalogue"

// PrepareAll is Prepare, however little the rules cost.
func (x *Index) PrepareAll(accesses ...catalogue.Access) { x.prepare(accesses) }

// GoesByPass reports whether searches by an access go by its pass rather than by its rules.
func (x *Index) GoesByPass(access catalogue.Access) bool {
	return x.current.Load().passes[access.Fingerprint()] != ""
}

// Passes are those of the build that searches look at, as its state holds them.
func (x *Index) Passes() string { return string(x.current.Load().state.Passes) }

// IssuedTogether is how many documents are given passes by one call of Arrange.
const IssuedTogether = issuedTogether
