// Package collection holds the nouns of collections: lists of videos, or of pieces of them, that users
// and the operator put together, keep, share and promote.
//
// A collection belongs to the user who made it, and so to an account. Whoever knows its id may read one
// of their own account or of the operator; lists and searches show what is discoverable of these, and
// what is the user's own. What a caller may not see of the videos in it is left out for them.
package collection
