// Package model holds the catalogue as callers see it: a video with the names of what it refers to,
// facets with their labels, and on each resource the links that its state allows. Values are views:
// they hold no copy of what they show, and building one costs next to nothing.
package model

import (
	"slices"

	"github.com/filmstrip/filmstrip/account"
)

// Link is one relation that the state of a resource allows. Addresses are not known here: whoever
// writes documents has a table from relation to address.
type Link struct {
	// Rel is the relation's name.
	Rel string
	// To names what the link leads to, where that is not the relation's name: self leads to a video,
	// a subject and so on.
	To string
	// ID fills the variable of the relation's address that names the resource.
	ID string
	// Within fills the variable before it, in addresses that name what the resource belongs to.
	Within string
	// User fills the place of the caller's own user in the relation's address.
	User string
	// UpdatedAt fills the place of the last change in the relation's address, as a timestamp.
	UpdatedAt string
	// Address is set where the link leads outside, and is then the address itself; Templated says
	// whether it holds variables.
	Address   string
	Templated bool
	// Right is what a caller needs for the link to be shown.
	Right account.Right
}

// Links are the relations of one resource, in the order in which they are written.
type Links struct{ List []Link }

// Target is what the link leads to.
func (l Link) Target() string {
	if l.To != "" {
		return l.To
	}
	return l.Rel
}

func linksOf(links ...Link) Links { return Links{List: links} }

// Index is what a caller can start from.
type Index struct {
	// Anonymous leaves what can be asked without a token.
	Anonymous bool
	// User is the user of the caller's token; "": there is none, nor any relation that needs one.
	User string
	// Operator: the caller's account is the operator's, which has collections of its own.
	Operator bool
	// Products are those of the caller's account.
	Products []account.Product
}

// Links lists every relation of the index that is there.
func (x Index) Links() Links {
	if x.Anonymous {
		return linksOf(anonymousLinks...)
	}
	links := slices.Clone(indexLinks)
	if x.User != "" || x.Operator {
		links = append(links, makerLinks...)
	}
	if x.User == "" {
		return linksOf(links...)
	}
	for _, link := range userLinks {
		link.User = x.User
		links = append(links, link)
	}
	for _, product := range x.Products {
		links = append(links, productLinks[product]...)
	}
	return linksOf(links...)
}

// IndexRelations are the names of all links that an index can have, whoever asks.
func IndexRelations() []string {
	lists := [][]Link{indexLinks, makerLinks, userLinks, anonymousLinks}
	for _, links := range productLinks {
		lists = append(lists, links)
	}
	return relationsOf(lists...)
}

// relationsOf are the names of links, each once, in the order of the alphabet.
func relationsOf(lists ...[]Link) []string {
	var names []string
	for _, links := range lists {
		for _, link := range links {
			names = append(names, link.Rel)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

var indexLinks = []Link{
	{Rel: "trackPageRendered", Right: account.Browse},
	{Rel: "trackPlatformInteractedWith", Right: account.Browse},
	{Rel: "subjects", Right: account.Browse},
	{Rel: "allSubjects", Right: account.Browse},
	{Rel: "marketSegmentSubjects", Right: account.Browse},
	{Rel: "disciplines", Right: account.ViewDisciplines},
	{Rel: "allDisciplines", Right: account.ViewDisciplines},
	{Rel: "video", Right: account.Browse},
	{Rel: "searchVideos", Right: account.ViewVideos},
	{Rel: "getMetadata", Right: account.ViewVideos},
	{Rel: "discoverCollections", Right: account.ViewCollections},
	{Rel: "promotedCollections", Right: account.ViewCollections},
	{Rel: "promotedForCollections", Right: account.ViewCollections},
	{Rel: "searchCollections", Right: account.ViewCollections},
	{Rel: "searchAllCollections", Right: account.ViewAnyCollection},
	{Rel: "collection", Right: account.Browse},
	{Rel: "createPlaybackEvents", Right: account.InsertEvents},
	{Rel: "createSearchQueryCompletionsSuggestedEvent", Right: account.Browse},
	{Rel: "tags", Right: account.ViewTags},
	{Rel: "suggestions", Right: account.ViewSuggestions},
	{Rel: "videoFeed", Right: account.ViewVideos},
	{Rel: "removedVideos", Right: account.ViewVideos},
	{Rel: "videoTypes", Right: account.ViewVideoTypes},
	{Rel: "channel", Right: account.ViewChannels},
	{Rel: "channels", Right: account.ViewChannels},
	{Rel: "contractLegalRestrictions", Right: account.ViewLegalRestrictions},
	{Rel: "contentCategories", Right: account.ViewContentCategories},
	{Rel: "educationLevels", Right: account.Browse},
	{Rel: "ngssCodes", Right: account.Browse},
	{Rel: "ngssGrades", Right: account.Browse},
	{Rel: "getThemesByIds", Right: account.Browse},
	{Rel: "getThemesByProvider", Right: account.Browse},
	{Rel: "getThemesByProviderAndId", Right: account.Browse},
	{Rel: "getAllProviders", Right: account.Browse},
	{Rel: "getProviderById", Right: account.Browse},
	{Rel: "learningOutcomes", Right: account.ViewLearningMaterial},
	{Rel: "assessmentQuestions", Right: account.ViewLearningMaterial},
	{Rel: "getHighlights", Right: account.ViewLearningMaterial},
	{Rel: "getHighlight", Right: account.ViewLearningMaterial},
	{Rel: "CefrLevel", Right: account.ViewLearningMaterial},
	{Rel: "countries", Right: account.Browse},
	{Rel: "isUserActive", Right: account.Browse},
	{Rel: "searchSchools", Right: account.Browse},
	{Rel: "searchDistricts", Right: account.Browse},
	{Rel: "reportAccessExpired", Right: account.ReportExpiry},
}

// makerLinks are those of callers that may have collections of their own.
var makerLinks = []Link{{Rel: "createCollection", Right: account.InsertCollections}}

// userLinks are those of callers with a user.
var userLinks = []Link{
	{Rel: "profile", Right: account.Browse},
	{Rel: "currentUser", Right: account.Browse},
	{Rel: "myCollections", Right: account.ViewCollections},
	{Rel: "mySavedCollections", Right: account.ViewCollections},
	{Rel: "serviceSharedCollections", Right: account.ViewCollections},
	{Rel: "userSharedBookmarkedCollections", Right: account.ViewCollections},
}

// productLinks are those of callers with a user, of accounts with a product.
var productLinks = map[account.Product][]Link{
	"LIBRARY":   {{Rel: "serviceWebAppAccess", Right: account.Browse}},
	"CLASSROOM": {{Rel: "classroomWebAppAccess", Right: account.Browse}},
}

var anonymousLinks = []Link{
	{Rel: "trackPageRendered", Right: account.Browse},
	{Rel: "trackPlatformInteractedWith", Right: account.Browse},
	{Rel: "subjects", Right: account.Browse},
	{Rel: "allSubjects", Right: account.Browse},
	{Rel: "marketSegmentSubjects", Right: account.Browse},
	{Rel: "video", Right: account.Browse},
	{Rel: "collection", Right: account.Browse},
	{Rel: "createSearchQueryCompletionsSuggestedEvent", Right: account.Browse},
	{Rel: "isUserActive", Right: account.Browse},
}
