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
	Permission account.Permission
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
	{Rel: "trackPageRendered", Permission: account.Browse},
	{Rel: "trackPlatformInteractedWith", Permission: account.Browse},
	{Rel: "subjects", Permission: account.Browse},
	{Rel: "allSubjects", Permission: account.Browse},
	{Rel: "marketSegmentSubjects", Permission: account.Browse},
	{Rel: "disciplines", Permission: account.ViewDisciplines},
	{Rel: "allDisciplines", Permission: account.ViewDisciplines},
	{Rel: "video", Permission: account.Browse},
	{Rel: "searchVideos", Permission: account.ViewVideos},
	{Rel: "getMetadata", Permission: account.ViewVideos},
	{Rel: "discoverCollections", Permission: account.ViewCollections},
	{Rel: "promotedCollections", Permission: account.ViewCollections},
	{Rel: "promotedForCollections", Permission: account.ViewCollections},
	{Rel: "searchCollections", Permission: account.ViewCollections},
	{Rel: "searchAllCollections", Permission: account.ViewAnyCollection},
	{Rel: "collection", Permission: account.Browse},
	{Rel: "createPlaybackEvents", Permission: account.InsertEvents},
	{Rel: "createSearchQueryCompletionsSuggestedEvent", Permission: account.Browse},
	{Rel: "tags", Permission: account.ViewTags},
	{Rel: "suggestions", Permission: account.ViewSuggestions},
	{Rel: "videoFeed", Permission: account.ViewVideos},
	{Rel: "removedVideos", Permission: account.ViewVideos},
	{Rel: "videoTypes", Permission: account.ViewVideoTypes},
	{Rel: "channel", Permission: account.ViewChannels},
	{Rel: "channels", Permission: account.ViewChannels},
	{Rel: "contractLegalRestrictions", Permission: account.ViewLegalRestrictions},
	{Rel: "contentCategories", Permission: account.ViewContentCategories},
	{Rel: "educationLevels", Permission: account.Browse},
	{Rel: "ngssCodes", Permission: account.Browse},
	{Rel: "ngssGrades", Permission: account.Browse},
	{Rel: "getThemesByIds", Permission: account.Browse},
	{Rel: "getThemesByProvider", Permission: account.Browse},
	{Rel: "getThemesByProviderAndId", Permission: account.Browse},
	{Rel: "getAllProviders", Permission: account.Browse},
	{Rel: "getProviderById", Permission: account.Browse},
	{Rel: "learningOutcomes", Permission: account.ViewLearningMaterial},
	{Rel: "assessmentQuestions", Permission: account.ViewLearningMaterial},
	{Rel: "getHighlights", Permission: account.ViewLearningMaterial},
	{Rel: "getHighlight", Permission: account.ViewLearningMaterial},
	{Rel: "CefrLevel", Permission: account.ViewLearningMaterial},
	{Rel: "countries", Permission: account.Browse},
	{Rel: "isUserActive", Permission: account.Browse},
	{Rel: "searchSchools", Permission: account.Browse},
	{Rel: "searchDistricts", Permission: account.Browse},
	{Rel: "reportAccessExpired", Permission: account.ReportExpiry},
}

// makerLinks are those of callers that may have collections of their own.
var makerLinks = []Link{{Rel: "createCollection", Permission: account.InsertCollections}}

// userLinks are those of callers with a user.
var userLinks = []Link{
	{Rel: "profile", Permission: account.Browse},
	{Rel: "currentUser", Permission: account.Browse},
	{Rel: "myCollections", Permission: account.ViewCollections},
	{Rel: "mySavedCollections", Permission: account.ViewCollections},
	{Rel: "serviceSharedCollections", Permission: account.ViewCollections},
	{Rel: "userSharedBookmarkedCollections", Permission: account.ViewCollections},
}

// productLinks are those of callers with a user, of accounts with a product.
var productLinks = map[account.Product][]Link{
	"LIBRARY":   {{Rel: "serviceWebAppAccess", Permission: account.Browse}},
	"CLASSROOM": {{Rel: "classroomWebAppAccess", Permission: account.Browse}},
}

var anonymousLinks = []Link{
	{Rel: "trackPageRendered", Permission: account.Browse},
	{Rel: "trackPlatformInteractedWith", Permission: account.Browse},
	{Rel: "subjects", Permission: account.Browse},
	{Rel: "allSubjects", Permission: account.Browse},
	{Rel: "marketSegmentSubjects", Permission: account.Browse},
	{Rel: "video", Permission: account.Browse},
	{Rel: "collection", Permission: account.Browse},
	{Rel: "createSearchQueryCompletionsSuggestedEvent", Permission: account.Browse},
	{Rel: "isUserActive", Permission: account.Browse},
}
