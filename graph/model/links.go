// Package model presents the catalogue as callers see it: a video with the names of the objects that it refers to,
// facets with their labels, and on each resource the links that its state allows. Values are views: they contain no
// copy of the stored data and are cheap to construct.
package model

import (
	"slices"

	"github.com/filmstrip/filmstrip/account"
)

// Link is one relation that the state of a resource allows. This package does not know addresses; the code that writes
// documents maps relations to addresses.
type Link struct {
	// Rel is the name of the relation.
	Rel string
	// To is the name of the link's target if it differs from Rel. For example, self can lead to a video or a subject.
	To string
	// ID is the value of the address variable that identifies the resource.
	ID string
	// Within is the value of the preceding variable, in addresses that also identify the parent of the resource.
	Within string
	// User replaces the placeholder for the caller's own user in the relation's address.
	User string
	// UpdatedAt replaces the placeholder for the time of the last change in the relation's address. It is a timestamp.
	UpdatedAt string
	// Address is the full address of a link that leads outside the service. Templated reports whether it contains
	// variables.
	Address   string
	Templated bool
	// Permission is the permission that a caller needs to see the link.
	Permission account.Permission
}

// Links are the relations of one resource, in the order in which they are written.
type Links struct{ List []Link }

// Target returns the name of the link's target: To, or Rel if To is "".
func (l Link) Target() string {
	if l.To != "" {
		return l.To
	}
	return l.Rel
}

func linksOf(links ...Link) Links { return Links{List: links} }

// Index is the starting point of a caller.
type Index struct {
	// Anonymous restricts the index to the relations that need no token.
	Anonymous bool
	// User is the user of the caller's token. If User is "", the index omits the relations that need a user.
	User string
	// Operator reports whether the caller's account is the operator's, which has collections of its own.
	Operator bool
	// Products are the products of the caller's account.
	Products []account.Product
}

// Links returns every relation that this index contains.
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

// IndexRelations returns the names of all links that an index can have for any caller, sorted.
func IndexRelations() []string {
	lists := [][]Link{indexLinks, makerLinks, userLinks, anonymousLinks}
	for _, links := range productLinks {
		lists = append(lists, links)
	}
	return relationsOf(lists...)
}

// relationsOf returns the names of links, each once, sorted.
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

// makerLinks are the links of callers that may own collections.
var makerLinks = []Link{{Rel: "createCollection", Permission: account.InsertCollections}}

// userLinks are the links of callers with a user.
var userLinks = []Link{
	{Rel: "profile", Permission: account.Browse},
	{Rel: "currentUser", Permission: account.Browse},
	{Rel: "myCollections", Permission: account.ViewCollections},
	{Rel: "mySavedCollections", Permission: account.ViewCollections},
	{Rel: "serviceSharedCollections", Permission: account.ViewCollections},
	{Rel: "userSharedBookmarkedCollections", Permission: account.ViewCollections},
}

// productLinks are the links of callers with a user, by the products of their account.
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
