// Package hal turns the result of a GraphQL operation into a HAL document.
//
// Load reads the operations (operations/*.graphql), one per endpoint, and Run executes one. The result of an operation
// is a template: it contains nothing specific to one caller, and slots mark the positions of values that depend on the
// caller or on the current hour (template.go). Links are written into templates by relation (relations.go). Documents
// caches the templates of videos under the version that they show (documents.go). cut.go takes the data apart where a page
// needs parts of it, and page.go and collections.go assemble pages. Pages caches whole pages, plain and compressed
// (pages.go). A View fills the slots last.
package hal
