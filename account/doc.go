// Package account defines accounts and callers: the accounts of customers and the operator's own, their clients, users,
// tiers, content packages, price plans and invoices; refresh tokens, codes and browser sessions; and the caller of a request with its permissions.
//
// An Entity is a record that an operator administers. A Roster holds all entities that requests need, in memory; users
// and invoices, of which there may be millions, are not part of it.
package account
