// Package embed signs and opens embed URLs, under which customers' pages show one video.
//
// An embed URL is /embed/{video}?client=…&expires=…&issued=…&origin=…&signature=…. It contains everything that it
// allows; nothing is stored. When it is opened, the package checks everything that can change: whether client, user and
// account still have access, which origins the account allows, and whether it may see the video. A change therefore
// takes effect within a second, also for existing URLs.
package embed
