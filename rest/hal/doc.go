// Package hal turns the result of a GraphQL operation into a HAL document.
//
// Load reads the operations (operations/*.graphql), one for each endpoint, and Run runs one. What an operation answers is a
// template: it holds nothing of one caller, and slots stand where something of the caller or of the hour belongs
// (template.go). Links are written into templates by relation (relations.go). Documents keeps the templates of videos in a
// cache under the version that they show (documents.go); page.go and collections.go write pages of them, and Pages keeps
// whole pages, plain and compressed (pages.go). A View fills the slots last.
package hal
