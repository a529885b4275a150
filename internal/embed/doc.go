// Package embed signs the addresses under which pages of customers show one video, and opens them.
//
// An address is /embed/{video}?client=…&expires=…&issued=…&origin=…&signature=…: what it allows stands in it,
// and nothing of it is stored. What can change is asked when it is opened: whether client, user and account are in
// force, which origins the account allows, whether it may see the video. So a change counts within a second,
// for addresses that were given before as well.
package embed
