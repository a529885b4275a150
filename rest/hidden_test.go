package rest_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/accesstest"
	"github.com/filmstrip/filmstrip/rest"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// accesstestService implements the interface of accesstest with a world.
type accesstestService struct {
	*world
	t testing.TB
}

func newAccesstestService(t testing.TB, o options) accesstestService {
	t.Helper()
	o.empty = true
	w := newWorld(t, o)
	check(authtest.Put(t.Context(), w.accounts, authtest.Customer(string(accesstest.Limited), secret, nil)...))
	check(w.auth.Refresh(t.Context()))
	return accesstestService{w, t}
}

func (h accesstestService) Fill(_ context.Context, items []catalogue.Item) error {
	h.put(items...)
	h.awaitSearch(h.t)
	return nil
}

func (h accesstestService) PutCollections(ctx context.Context, collections map[catalogue.ID][]catalogue.ID) error {
	return accesstest.PutCollections(ctx, h.collections, collections)
}

func (h accesstestService) Assign(ctx context.Context, rules []catalogue.AccessRule) error {
	limited := authtest.Account(string(accesstest.Limited), string(accesstest.Limited))
	var records []account.Entity
	if rules != nil {
		limited.ContentPackage = accesstest.PackageID
		records = append(records, &account.ContentPackage{ID: accesstest.PackageID, Name: "Package", Rules: rules})
	}
	err := authtest.Put(ctx, h.accounts, append(records, limited)...)
	return errors.Join(err, h.auth.Refresh(ctx))
}

func (h accesstestService) Send(ctx context.Context, as accesstest.Caller, method, path, body string) (int, []byte, error) {
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+h.token(h.t, string(as)))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	recorder := httptest.NewRecorder()
	h.handler.ServeHTTP(recorder, r)
	answer, err := io.ReadAll(recorder.Body)
	return recorder.Code, answer, err
}

// TestWhatRulesHideIsHidden compares all answers with a naive evaluation of the access rules. It proves that no
// endpoint and no field ever returns a hidden video or anything that belongs to one, and that every other video is
// returned.
func TestWhatRulesHideIsHidden(t *testing.T) {
	if err := accesstest.Run(t.Context(), newAccesstestService(t, options{}), catalogue.DateOf(begin), 1, 3); err != nil {
		t.Error(err)
	}
}

// TestALeakIsFound proves that the test above detects each engine that ignores some rules.
func TestALeakIsFound(t *testing.T) {
	for name, o := range map[string]options{
		"searches know no rules":             {index: func(x search.Index) search.Index { return leakingIndex{Index: x, searches: true} }},
		"searches open private channels":     {index: func(x search.Index) search.Index { return leakingIndex{Index: x, private: true} }},
		"suggestions know no rules":          {index: func(x search.Index) search.Index { return leakingIndex{Index: x, phrases: true} }},
		"channels are counted without":       {index: func(x search.Index) search.Index { return leakingIndex{Index: x, counts: true} }},
		"the feed knows no rules":            {catalogue: func(c store.Catalogue) store.Catalogue { return leakingStore{Catalogue: c, feed: true} }},
		"states have no traits of the video": {catalogue: func(c store.Catalogue) store.Catalogue { return leakingStore{Catalogue: c, states: true} }},
	} {
		t.Run(name, func(t *testing.T) {
			err := accesstest.Run(t.Context(), newAccesstestService(t, o), catalogue.DateOf(begin), 1, 1)
			if err == nil {
				t.Error("nobody notices")
			}
		})
	}
}

// leakingIndex is an index that ignores rules.
type leakingIndex struct {
	search.Index
	searches, private, phrases, counts bool
}

func (l leakingIndex) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	if l.searches || l.counts && query.Size == 0 {
		query.Access.Rules = nil
	}
	query.Access.PrivateChannels = query.Access.PrivateChannels || l.private
	return l.Index.Search(ctx, query)
}

func (l leakingIndex) Phrases(ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int) ([]search.Phrase, error) {
	if l.phrases {
		access.Rules = nil
	}
	return l.Index.Phrases(ctx, text, access, today, limit)
}

type leakingStore struct {
	store.Catalogue
	feed, states bool
}

func (l leakingStore) Feed(ctx context.Context, query store.FeedQuery) (store.FeedPage, error) {
	if l.feed {
		query.Access.Rules = nil
	}
	return l.Catalogue.Feed(ctx, query)
}

func (l leakingStore) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	states, err := l.Catalogue.States(ctx, ids)
	for i := range states {
		if l.states {
			states[i].Traits = catalogue.Traits{Type: catalogue.Instructional, Channel: states[i].Channel}
		}
	}
	return states, err
}

// TestEverythingIsCovered proves that the test of hidden videos requests each route and each field that customers can
// use, except for those that return nothing about videos.
func TestEverythingIsCovered(t *testing.T) {
	showsNone := []string{
		// A user's own lists show collections as other lists do. Changes of a collection return no video.
		"/v1/users/{id}/collections", "/v1/collections/{id}/videos/{video_id}", "/v1/collections/{id}/permissions",
		"/v1/collections/{id}/comments", "/v1/collections/{id}/comments/{comment_id}", "/v1/collections/{id}/events",
		"/v1/collections/{id}/track-share-link",
		"/v1/", "/v1", "/v1/admin", "/v1/video-types", "/v1/education-levels", "/v1/tags", "/v1/tags/{id}", "/v1/content-warnings",
		"/v1/content-warnings/{id}", "/v1/curriculum/ngss/codes", "/v1/curriculum/ngss/grades", "/v1/alignments/providers",
		"/v1/alignments/providers/{providerId}", "/v1/subjects/{id}", "/v1/disciplines/{id}", "/v1/events/expired-user-access",
		"/v1/events/playback", "/v1/events/playback/batch", "/v1/events/player-interaction", "/v1/events/page-render",
		"/v1/events/platform-interaction", "/v1/events/suggested-search-completions",
		"/v1/contract-legal-restrictions", "/v1/content-categories", "/v1/users/_self", "/v1/users/{id}", "/v1/users/{id}/active", "/v1/countries", "/v1/countries/{id}", "/v1/countries/{id}/states",
		"/v1/schools", "/v1/districts",
		"/v1/feed/removed-videos", // only IDs, the same for all callers
	}
	for _, route := range rest.Routes() {
		if slices.Contains(accesstest.Paths(), route.Path) == slices.Contains(showsNone, route.Path) {
			t.Errorf("%s is asked by no test of what is hidden, or shows nothing of videos, but not both", route.Path)
		}
	}
	schema := string(must(os.ReadFile("../schema.graphqls")))
	_, queries, _ := strings.Cut(schema, "\ntype Query {")
	queries, _, _ = strings.Cut(queries, "\n}")
	fieldsOfNone := []string{
		"index", "videoTypes", "subject", "discipline", "educationLevels", "tags", "tag", "contentWarnings", "contentWarning",
		"ngssCodes", "ngssGrades", "providers", "provider",
		"contractLegalRestrictions", "contentCategories", "currentUser", "profile", "isUserActive", "countries", "country", "schools", "districts",
		"userCollections",                               // tested as collections
		"removedVideos",                                 // only IDs, the same for all callers
		"usage", "retention", "statement", "statements", // only about the account's own playback
		"viewer",       // only about the caller
		"searchReport", // only about the account's own searches
	}
	fields := rootField.FindAllStringSubmatch(queries, -1)
	if len(fields) < len(accesstest.Fields()) {
		t.Fatalf("the schema has %d root fields", len(fields))
	}
	for _, field := range fields {
		if isStaffs(permissionOfName(field[2])) {
			continue
		}
		if slices.Contains(accesstest.Fields(), field[1]) == slices.Contains(fieldsOfNone, field[1]) {
			t.Errorf("the field %s is asked by no test of what is hidden, or shows nothing of videos, but not both", field[1])
		}
	}
}

// rootField matches the declaration of a root field of the schema, with its directive.
var rootField = regexp.MustCompile(`(?m)^  (\w+)(?:\((?:[^()]|\n)*\))?: \S+(?: = \S+)?(?: @requires\(permission: (\w+)\))?$`)
