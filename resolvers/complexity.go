package resolvers

import (
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/graph"
	searches "github.com/filmstrip/filmstrip/resolvers/search"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// complexity returns the weights of fields, from which the limit of a request follows. A weight of one is about a
// microsecond of CPU time with 100,000 videos (measured by tools/expensive). The fields of an element of a page count as
// often as there can be elements. Every other field weighs one more than the fields below it.
func complexity() graph.ComplexityRoot {
	var c graph.ComplexityRoot
	c.Query.SearchVideos = func(child int, text *string, filter *graph.VideoFilter, _ graph.VideoOrder, _, size int, facets *graph.FacetRequest) int {
		return searches.Weight + searches.TextWeight(text) + searches.FilterWeight(filter) + searches.FacetWeight(facets) + page(size, loading+child)
	}
	c.Query.ListedVideos = func(child int, _ graph.ListedState, text *string, filter *graph.VideoFilter, _ graph.ListedOrder, _, size int, facets *graph.FacetRequest) int {
		return 2*searches.Weight + searches.TextWeight(text) + searches.FilterWeight(filter) + searches.FacetWeight(facets) + page(size, loading+child)
	}
	c.Query.VideoCounts = func(child int, _ catalogue.Kind) int { return 4*searches.Weight + page(typicalCounts, child) }
	c.Query.PreviewContentPackage = func(child int, _ []*graph.AccessRuleInput) int { return previewing + child }
	c.ContentPackagePreview.ShownExamples = func(child int) int { return page(typicalVideos, loading+child) }
	c.ContentPackagePreview.HiddenExamples = c.ContentPackagePreview.ShownExamples
	c.Query.Changes = func(child int, filter *graph.ChangeFilter, first int, _ *string) int {
		weight := page(first, child)
		if filter != nil && filter.Actor != nil {
			weight += seeking
		}
		return weight
	}
	c.Query.SimilarVideos = func(child int, _ string, size int) int {
		return 2*searches.Weight + page(size, loading+child)
	}
	c.Query.ExplainSearch = func(child int, text string, filter *graph.VideoFilter, _ *catalogue.ID, _ *string) int {
		return searches.ExplanationWeight(text) + 2*searches.FilterWeight(filter) + child
	}
	c.Query.VideoFeed = func(child, first int, _ *string, _ *catalogue.Date) int { return page(first, loading+child) }
	c.Query.VideosByID = func(child int, ids []catalogue.ID) int { return page(len(ids), loading+child) }
	c.Query.VideoMetadata = func(child int, ids []string) int { return page(len(ids), loading+child) }
	c.Query.Suggestions = func(child int, _ string) int { return searches.Weight + child }
	c.Query.Channels = func(child int, _ *graph.ChannelFilter, _ graph.ChannelOrder, _, size int) int {
		return page(min(size, typicalChannels), child)
	}
	records := func(child, first int, _ *string) int { return page(first, child) }
	c.Query.Tiers, c.Query.ContentPackages = records, records
	c.Query.Accounts = func(child int, text *string, first int, _ *string) int { return matching(text) + page(first, child) }
	c.Query.Clients = func(child int, _, text *string, first int, _ *string) int { return matching(text) + page(first, child) }
	c.Query.Users = func(child int, _, _, _, text *string, first int, _ *string) int {
		return matching(text) + page(first, child)
	}
	c.User.SecondFactor = func(child int) int { return loading + child }
	c.User.Sessions = func(child int) int { return loading + page(typicalSessions, child) }
	c.Query.System = func(child int) int { return probing + child }
	c.System.Sizes = func(child int) int { return probing + page(typicalSizes, child) }
	c.Query.Staff = func(child int) int { return page(typicalStaff, child) }
	c.Query.AuditLog = func(child int, _ *account.Kind, _, _ *string, first int, _ *string) int { return page(first, child) }
	c.Query.Deprecations = func(child int) int { return page(typicalDeprecations, child) }
	c.Query.DeprecationNotices = func(child int, _ *catalogue.Date) int { return page(typicalNotices, child) }
	c.Deprecation.Uses = func(child, first int, _, _ *string) int { return page(first, child) }
	c.Query.CatalogueItems = func(child int, _ catalogue.Kind, text *string, first int, _ *string) int {
		return matching(text) + page(first, child)
	}
	c.Query.CatalogueAuditLog = func(child int, _ *catalogue.Kind, _ *catalogue.ID, first int, _ *string) int {
		return page(first, child)
	}
	c.Query.RemovedVideos = func(child, first int, _ *string, _ *catalogue.Date) int {
		return scanning + page(first, child)
	}
	c.Query.SearchReport = func(child int, _, _ catalogue.Date, _ *graph.SearchReportFilter, _ graph.SearchReportOrder, first int) int {
		return gathering + page(first, child)
	}
	c.Query.Usage = func(child int, _, _ time.Time, _ *graph.UsageFilter, _ []graph.UsageDimension, _ graph.UsageInterval, _ graph.UsageOrder, first int, _ *string) int {
		return gathering + page(first, child)
	}
	c.Query.Themes = func(child int, _ *string, ids []string) int {
		if ids != nil {
			return page(len(ids), loading+child)
		}
		return readingThemes + page(typicalThemes, child)
	}
	c.Theme.Topics = func(child int) int { return page(typicalTopics, child) }
	c.ThemeTopic.Targets = func(child int) int { return page(typicalTargets, child) }
	c.Query.Highlights = func(child int, text string, _ float64, size int, _, _ []string, _ []catalogue.Subtype, _ *float64, _ bool) int {
		return searches.Weight + searches.TextWeight(&text) + reading + page(size, child)
	}
	c.Query.Retention = func(child int, _ string, _, _ time.Time, _ []string, _ bool) int { return gathering + child }
	c.Query.Statement = func(child int, _ *string, _ usage.Month) int { return page(typicalLines, child) }
	c.Query.Statements = func(child int, _ *string) int { return page(typicalStatements*typicalLines, child) }
	c.Query.PricePlans, c.Query.RoyaltyTerms = records, records
	c.Query.PricePreview = func(child int, _ graph.PricePlanInput, _, _, _ int) int { return page(typicalLines, child) }
	c.Query.Invoices = func(child int, month *usage.Month, of *string, state *billing.State, first int, _ *string) int {
		if state == nil && (month == nil || of == nil) {
			return page(first, child)
		}
		return finding + page(first, child)
	}
	c.Invoice.Lines = func(child int) int { return page(typicalLines, child) }
	c.Query.InvoiceMonth = func(child int, _ usage.Month) int { return gathering + page(typicalLines, child) }
	c.Query.RoyaltyStatements = func(child int, _ usage.Month) int { return gathering + page(typicalChannels, child) }
	c.Mutation.DraftInvoices = func(child int, _ usage.Month, first int, _ *string) int { return page(first, composing) + child }
	c.Mutation.IssueInvoices = func(child int, _ usage.Month, _ []string, first int, _ *string) int {
		return page(first, composing) + child
	}
	c.Query.Voids = func(child int, _ *string, first int, _ *string) int { return page(first, child) }
	c.Query.VoidPreview = func(child int, _ graph.VoidSelection) int { return gathering + page(typicalLines, child) }
	c.Query.Jobs = func(child int, _ *graph.JobKind, first int, _ *string) int { return page(first, loading+child) }
	c.Query.ImportMappings = func(child int) int { return page(typicalMappings, child) }
	c.Query.PreviewImport = func(child int, _ catalogue.ID, _ *graph.ImportFormat, _ *graph.MappingInput, first int) int {
		return beginning + page(first, child)
	}
	c.Mutation.StartChangeOfVideos = func(child int, _ graph.VideoSelectionInput, _ graph.VideoChangeInput) int { return selecting + child }
	c.Mutation.SealMonth = func(child int, _ usage.Month, _ bool) int { return page(typicalStatements*typicalLines, child) }
	addCollections(&c)
	addTaxonomies(&c)
	c.Captions.Cues = func(child int) int { return page(typicalCues, child) }
	c.Retention.Views = func(int) int { return typicalSeconds }
	return c
}

// addCollections adds the weights of collections and of the lists in them.
func addCollections(c *graph.ComplexityRoot) {
	c.Query.Collections = func(child int, _ *graph.CollectionFilter, _ []collection.Order, _, size int) int {
		return page(size, child)
	}
	c.Query.UserCollections = func(child int, _ string, _ *graph.UserCollectionFilter, _ []collection.Order, _, size int) int {
		return page(size, child)
	}
	within := func(child int) int { return page(typicalVideos, child) }
	c.Collection.Videos, c.Collection.Assets, c.Collection.SubCollections = within, within, within
}

// addTaxonomies adds the weights of the lists that hold all records of a small kind, and of places.
func addTaxonomies(c *graph.ComplexityRoot) {
	c.Query.Subjects = func(child int, _ graph.Visibility, _ *catalogue.MarketSegment) int {
		return page(typicalSubjects, child)
	}
	c.Query.Disciplines = func(child int, _ graph.Visibility) int { return page(typicalDisciplines, child) }
	c.Discipline.Subjects = func(child int) int { return page(typicalDisciplineSubjects, child) }
	labels := func(child int) int { return page(typicalLabels, child) }
	c.Query.Tags, c.Query.ContentWarnings, c.Query.EducationLevels, c.Query.Providers = labels, labels, labels, labels
	c.Query.ContractLegalRestrictions = func(child int) int { return page(typicalRestrictions, child) }
	c.Query.ContentCategories = func(child int) int { return page(len(catalogue.Subtypes()), child) }
	c.Query.NgssCodes = func(child int) int { return page(len(catalogue.NGSSIdeas()), child) }
	c.Query.NgssGrades = func(child int) int { return page(len(catalogue.NGSSGrades()), child) }
	// Only one country has states. Their number therefore counts where one country is selected, and not for each of all.
	c.Query.Countries = func(child int) int { return page(len(catalogue.Countries()), child) }
	c.Query.Country = func(child int, _ string) int { return page(typicalStates, child) }
	found := func(child int, _ string, _, _ *string) int { return page(typicalSchools, child) }
	c.Query.Schools, c.Query.Districts = found, found
}

// Lengths of lists whose length no argument bounds.
const (
	typicalVideos       = 10 // of a collection
	typicalDeprecations = 10
	typicalNotices      = 100
	typicalThemes       = 200
	typicalTopics       = 5 // of a theme
	typicalTargets      = 5 // of a topic
	typicalChannels     = 100
	typicalStaff        = 100
	typicalSizes        = 20
	typicalMappings     = 20
	typicalCounts       = 500
	typicalSessions     = 5  // of a user
	typicalLines        = 5  // of a statement
	typicalStatements   = 24 // of an account

	typicalSubjects           = 100
	typicalDisciplines        = 20
	typicalDisciplineSubjects = 10
	typicalLabels             = 20 // of tags, content warnings, education levels and providers
	typicalRestrictions       = 50
	typicalStates             = 50  // of the country that has states
	typicalSchools            = 100 // found for one name, or districts
	typicalCues               = 200
	typicalSeconds            = 600 // of a video
)

// Weights of work beyond the fields of the answer.
const (
	// loading is the weight of reading a video.
	loading = 25
	// reading is the weight of going through the captions of the videos with highlights.
	reading = 20_000
	// scanning is the weight of going through all videos.
	scanning = 10_000
	// probing is the weight of asking every engine how it is.
	probing = 2_000
	// finding is the weight of reading 10,000 records that may have a text.
	finding = 25_000
	// previewing is the weight of two searches and of reading the states of 2,000 videos.
	previewing = 20_000
	// seeking is the weight of going through changes for those of one actor.
	seeking = 20_000
	// gathering is the weight of a table of usage, a curve or a report, which goes through all counts of its period.
	gathering = 12_000
	// beginning is the weight of reading the start of an upload, and selecting that of finding 10,000 videos.
	beginning = 2_000
	selecting = 20_000
	// composing is the weight of an invoice that is drafted or issued.
	composing = 20
	// readingThemes is the weight of reading all themes.
	readingThemes = 3_000
)

// matching returns the weight of looking for a text among records; nil: the list is not limited by one.
func matching(text *string) int {
	if text == nil {
		return 0
	}
	return finding
}

// page returns the weight of a page. Larger sizes than those of any page are refused later; here they must not overflow.
func page(size, child int) int { return 1 + min(max(size, 1), catalogue.MaxChannelPage)*child }
