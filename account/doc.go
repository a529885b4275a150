// Package account holds the nouns of whoever calls: the accounts of customers and the operator's own,
// their clients, users, tiers and content packages; what signing in leaves behind; and the caller of a
// request with its rights. It imports the standard library and package catalogue only.
//
// What an operator administers is a Record. What every request needs to know of all records is a Roster,
// which fits in memory; users do not belong to it, for there may be millions.
package account
