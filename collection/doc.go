// Package collection defines collections: lists of videos, or of parts of them, that users and the operator create, save, share and promote.
//
// A collection belongs to the user who created it, and so to an account. Everyone who knows its ID may read a collection
// of their own account or of the operator. Lists and searches contain the discoverable ones among these and the user's
// own. Videos that the caller may not see are omitted.
package collection
