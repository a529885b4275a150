package rest_test

import (
	"bufio"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yosida95/uritemplate/v3"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/rest"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// link is one link of a document.
type link struct {
	rel       string
	href      string
	templated bool
}

// linksOf returns the links of a document and of everything that it embeds, and checks the form of each.
func linksOf(t testing.TB, path string, value any) (links []link) {
	t.Helper()
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			links = append(links, linksOf(t, path, element)...)
		}
	case map[string]any:
		for name, member := range value {
			if name != "_links" {
				links = append(links, linksOf(t, path, member)...)
				continue
			}
			for rel, target := range member.(map[string]any) {
				object, _ := target.(map[string]any)
				href, isText := object["href"].(string)
				templated, isBoolean := object["templated"].(bool)
				switch {
				case !isText || !isBoolean:
					t.Errorf("%s: the link %s is %v", path, rel, target)
				case templated != strings.Contains(href, "{"):
					t.Errorf("%s: the link %s says templated %v of %s", path, rel, templated, href)
				case object["rel"] != nil && object["rel"] != rel:
					t.Errorf("%s: the link %s calls itself %v", path, rel, object["rel"])
				}
				links = append(links, link{rel, href, templated})
			}
		}
	}
	return links
}

// linkValues returns values for the template variables of a relation, with which every link finds something. {id} has a
// different meaning in each link.
func linkValues(rel string) uritemplate.Values {
	values := uritemplate.Values{}
	set := func(name, value string) { values.Set(name, uritemplate.String(value)) }
	set("query", "water")
	set("thumbnailWidth", "64")
	set("thumbnailCount", "2")
	set("referer", "somebody")
	set("marketSegment", "K12")
	set("provider", "openscience")
	set("videoId", string(idOf("floating")))
	set("highlightId", string(idOf("paddles")))
	set("video_id", string(idOf("floating")))
	set("comment_id", string(collectionOf("comment")))
	set("state", "CA")
	set("size", "2")
	set("page", "0")
	set("include_channel_facets", "true")
	values.Set("duration", uritemplate.List("PT0S-PT2M", "PT2M-PT5M"))
	values.Set("education_levels", uritemplate.List("4CA", "4CL"))
	switch rel {
	case "video":
		set("id", string(idOf("floating")))
	case "collection":
		set("id", string(collectionOf("tides")))
		set("projection", "details")
	case "removeVideo":
		set("video_id", string(idOf("minimal")))
	case "isUserActive":
		set("id", pupilID)
	case "channel":
		set("id", string(idOf("lab")))
	case "getProviderById":
		set("providerId", string(idOf("openscience")))
	case "getThemesByIds", "getThemesByProviderAndId":
		set("id", string(idOf("mechanics")))
	case "logInteraction":
		set("type", "VIDEO_LINK_COPIED")
	case "trackPlatformInteractedWith":
		set("subtype", "SEARCH_BAR_CLICKED")
		set("anonymous", "true")
	}
	return values
}

// TestEveryLinkLeadsSomewhere follows every link from the index on, with templates filled and with their optional
// variables left out, and proves that each one works.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	for _, caller := range []string{customer, operator, stranger, pupil} {
		t.Run(caller, func(t *testing.T) {
			w := newWorld(t, options{}) // the test changes the world
			type step struct{ rel, address string }
			seen := map[string]bool{base + "/v1/": true}
			queue, foreign := []step{{address: base + "/v1/"}}, 0
			var last []step // links that remove other links
			for len(queue)+len(last) > 0 {
				if len(queue) == 0 {
					queue, last = last, nil
				}
				rel := queue[0].rel
				path, ours := strings.CutPrefix(queue[0].address, base)
				queue = queue[1:]
				if !ours {
					foreign++
					continue
				}
				as := caller
				if strings.HasPrefix(path, "/v1/streams/") || strings.HasPrefix(path, "/v1/media/") {
					as = nobody // players send no token
				}
				got := w.send(t, sampleOf(rel).at(as, path))
				if got.StatusCode == http.StatusTemporaryRedirect || got.StatusCode == http.StatusFound {
					continue // a stream hosted elsewhere
				}
				if got.StatusCode == http.StatusCreated || got.StatusCode == http.StatusNoContent {
					continue // created or changed
				}
				changedMeanwhile := rel == "safeEdit" && got.StatusCode == http.StatusConflict
				anothersComment := rel == "removeComment" && got.StatusCode == http.StatusForbidden
				anothersUser := rel == "isUserActive" && caller != customer && got.StatusCode == http.StatusForbidden
				if got.StatusCode != http.StatusOK && !changedMeanwhile && !anothersComment && !anothersUser {
					t.Errorf("%s: %d %.300s", path, got.StatusCode, got.body)
				}
				if got.Header.Get("Content-Type") != "application/hal+json" {
					continue
				}
				for _, link := range linksOf(t, path, got.json(t)) {
					for _, next := range expand(t, link) {
						switch {
						case seen[next]:
						case link.rel == "unbookmark":
							last = append(last, step{link.rel, next})
						default:
							queue = append(queue, step{link.rel, next})
						}
						seen[next] = true
					}
				}
			}
			if caller == customer && (len(seen) < 40 || foreign == 0) {
				t.Errorf("the walk met %d addresses and %d foreign ones: it does not go far", len(seen), foreign)
			}
		})
	}
}

// expand returns the addresses of a link: with each variable set, and with only the required ones.
func expand(t testing.TB, link link) []string {
	t.Helper()
	if !link.templated {
		return []string{link.href}
	}
	template := uritemplate.MustNew(link.href)
	most := linkValues(link.rel)
	least := uritemplate.Values{}
	for _, required := range []string{"id", "provider", "providerId", "videoId", "highlightId", "video_id", "comment_id", "query", "thumbnailWidth", "thumbnailCount", "type"} {
		if strings.Contains(link.href, "{"+required+"}") {
			least[required] = most[required]
		}
	}
	for _, required := range map[string][]string{
		"trackPlatformInteractedWith": {"subtype"}, "getHighlights": {"query"},
	}[link.rel] {
		least[required] = most[required]
	}
	return []string{must(template.Expand(most)), must(template.Expand(least))}
}

// pathForm returns the path of the route that an address template leads to.
func pathForm(address string) string {
	path, _, _ := strings.Cut(strings.NewReplacer("{?", "?", "{&", "&").Replace(address), "?")
	return path
}

var literalParameter = regexp.MustCompile(`[?&]([a-zA-Z_]+)=`)

// TestTemplatesNameWhatRoutesRead proves that the template variables of all links to a route are exactly the parameters
// that the route reads.
func TestTemplatesNameWhatRoutesRead(t *testing.T) {
	named := map[string]map[string]bool{}
	for name, address := range hal.Relations() {
		if rest.MediaRelation(name) {
			continue
		}
		address = strings.NewReplacer("<user_id>", "{id}", "<updated_at>", "").Replace(address)
		path := pathForm(address)
		if named[path] == nil {
			named[path] = map[string]bool{}
		}
		for _, variable := range uritemplate.MustNew(address).Varnames() {
			if !strings.Contains(path, "{"+variable+"}") && !strings.Contains(address, "={"+variable+"}") {
				named[path][variable] = true
			}
		}
		for _, literal := range literalParameter.FindAllStringSubmatch(address, -1) {
			named[path][literal[1]] = true
		}
	}
	reached, read := map[string]bool{}, map[string][]string{}
	for _, route := range rest.Routes() { // a path may have several routes, each with its own parameters
		reached[route.Path] = true
		read[route.Path] = slices.Compact(slices.Sorted(slices.Values(append(read[route.Path], route.Parameters...))))
	}
	for path, parameters := range read {
		if got := slices.Sorted(maps.Keys(named[path])); !slices.Equal(got, parameters) {
			t.Errorf("%s: links name %v, the routes read %v", path, got, parameters)
		}
	}
	for path := range named {
		if !reached[path] {
			t.Errorf("a relation leads to %s, where there is no route", path)
		}
	}
}

// TestIndexIsThatOfTheSpecification proves that a caller with every permission sees each relation of the
// specification's table, cell by cell, and otherwise only those that docs/catalogue.md lists. Two templates have
// additional variables that the published clients look for.
func TestIndexIsThatOfTheSpecification(t *testing.T) {
	more := map[string]string{
		"searchVideos": ",content_partner,ngss_code,ngss_grade}",
		"videoFeed":    ",updated_as_of}",
	}
	want := map[string]link{}
	for rel, address := range specifiedIndex(t) {
		if added, ok := more[rel]; ok {
			address = strings.TrimSuffix(address, "}") + added
		}
		address = strings.Replace(address, "<user_id>", pupilID, 1)
		want[rel] = link{rel: rel, href: base + address, templated: strings.Contains(address, "{")}
	}
	beside := relationsBeside(t)
	for _, link := range linksOf(t, "/v1/", shared().ok(t, pupil, "/v1/")) {
		row, specified := want[link.rel]
		switch {
		case beside[link.rel] != "":
			if specified {
				t.Errorf("%s is of the specification", link.rel)
			}
		case link != row:
			t.Errorf("got %v, want %v", link, row)
		}
		delete(want, link.rel)
	}
	for rel := range want {
		t.Errorf("%s is not there", rel)
	}
}

// TestRelationsBesideTheSpecification proves that the relations which the specification's table lacks are exactly those
// that docs/catalogue.md lists, with the paths given there. No caller sees another one, and each is visible to some
// caller.
func TestRelationsBesideTheSpecification(t *testing.T) {
	w := newWorld(t, options{config: func(c *wiring) { c.Anonymous = true }})
	callers := []string{nobody, customer, pupil, operator}
	for _, tier := range account.BuiltInTiers() {
		for _, kind := range w.callersOf(t, tier) {
			if kind.refusal == http.StatusForbidden { // the others have no index
				callers = append(callers, kind.name)
			}
		}
	}
	specified, listed := specifiedIndex(t), relationsBeside(t)
	unseen := maps.Clone(listed)
	for _, caller := range callers {
		for _, link := range linksOf(t, "/v1/", w.ok(t, caller, "/v1/")) {
			if specified[link.rel] != "" {
				continue
			}
			delete(unseen, link.rel)
			if got := strings.TrimPrefix(link.href, base); listed[link.rel] == "" || pathForm(got) != pathForm(listed[link.rel]) {
				t.Errorf("%s: %s leads to %s, listed is %q", caller, link.rel, got, listed[link.rel])
			}
		}
	}
	for rel := range unseen {
		t.Errorf("nobody is shown %s, which is listed", rel)
	}
}

// besideRow matches a row of the list of additional relations.
var besideRow = regexp.MustCompile("^\\| `(\\w+)` \\| `(/v1/\\S+)`[^|]* \\| [^|]+ \\| [^|]+ \\|$")

// relationsBeside returns the paths of the relations that docs/catalogue.md lists, by name.
func relationsBeside(t testing.TB) map[string]string {
	t.Helper()
	_, section, found := strings.Cut(string(must(os.ReadFile("../docs/catalogue.md"))), "## Relations beside the specification's\n")
	listed := map[string]string{}
	for line := range strings.Lines(section) {
		if row := besideRow.FindStringSubmatch(strings.TrimSpace(line)); row != nil {
			listed[row[1]] = row[2]
		}
	}
	if !found || len(listed) == 0 {
		t.Fatal("docs/catalogue.md has no list of relations")
	}
	return listed
}

// specificationRow matches a row of the specification's index table.
var specificationRow = regexp.MustCompile(`^\| (\w+) \| (/v1/\S+) \| (yes|no) \|`)

// specifiedIndex returns the index table of the specification, read from the copy in testdata. If the specification is
// next to the checkout, the two must be equal.
func specifiedIndex(t testing.TB) map[string]string {
	t.Helper()
	relations := readIndexTable(t, "testdata/specified-index.md")
	if original := "../../shared/spec.md"; exists(original) {
		if current := readIndexTable(t, original); !maps.Equal(relations, current) {
			t.Errorf("the copy of the index table is out of date:\n%v\n%v", relations, current)
		}
	}
	return relations
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func readIndexTable(t testing.TB, file string) map[string]string {
	t.Helper()
	opened := must(os.Open(file))
	defer opened.Close()
	relations := map[string]string{}
	for lines := bufio.NewScanner(opened); lines.Scan(); {
		row := specificationRow.FindStringSubmatch(lines.Text())
		if row == nil {
			continue
		}
		relations[row[1]] = row[2]
		if templated := strings.Contains(row[2], "{"); templated != (row[3] == "yes") {
			t.Errorf("%s: %s", file, lines.Text())
		}
	}
	if len(relations) != 47 {
		t.Fatalf("%s has %d relations", file, len(relations))
	}
	return relations
}

// TestLinksNeedTheirPermission proves that a caller sees exactly the links that the caller's permissions allow.
func TestLinksNeedTheirPermission(t *testing.T) {
	w := shared()
	all := map[string]link{}
	for _, link := range linksOf(t, "/v1/", w.ok(t, operator, "/v1/")) {
		all[link.rel] = link
	}
	for _, caller := range []string{customer, viewer, stranger} {
		shown, paths := map[string]bool{}, map[string]bool{}
		for _, link := range linksOf(t, "/v1/", w.ok(t, caller, "/v1/")) {
			shown[link.rel], paths[pathForm(link.href)] = true, true
		}
		for rel, link := range all {
			if !shown[rel] && paths[pathForm(link.href)] {
				continue // the address also serves a visible link
			}
			if rel == "createCollection" {
				continue // needs a user besides the permission
			}
			for _, address := range expand(t, link) {
				path, sample := strings.TrimPrefix(address, base), sampleOf(rel)
				status := w.send(t, sample.at(caller, path)).StatusCode
				want := http.StatusForbidden
				switch {
				case rel == "isUserActive" && caller != customer && caller != pupil: // the sample is a user of customer
				case shown[rel] && sample.method == http.MethodPost:
					want = http.StatusCreated
				case shown[rel]:
					want = http.StatusOK
				}
				if status != want {
					t.Errorf("%s: the link %s is shown: %v, and %s answers %d", caller, rel, shown[rel], path, status)
				}
			}
		}
	}
}

// TestTranscriptLinkNeedsItsPermission proves that the link inside a video document also needs its permission.
func TestTranscriptLinkNeedsItsPermission(t *testing.T) {
	w := shared()
	for caller, want := range map[string]bool{customer: true, operator: true, viewer: false, stranger: false} {
		links := w.ok(t, caller, pathOf("floating"))["_links"].(map[string]any)
		if _, shown := links["transcript"]; shown != want {
			t.Errorf("%s sees %v", caller, links)
		}
	}
}

// TestListsAreReadHoweverTheyAreSent proves that lists are read in every form: repeated, joined by commas, and
// percent-encoded.
func TestListsAreReadHoweverTheyAreSent(t *testing.T) {
	w := shared()
	search := uritemplate.MustNew(base + hal.Relations()["searchVideos"])
	values := uritemplate.Values{}
	values.Set("language", uritemplate.List("fra", "eng"))
	joined := must(search.Expand(values))
	if !strings.Contains(joined, "fra,eng") {
		t.Fatal(joined)
	}
	for _, path := range []string{
		strings.TrimPrefix(joined, base),
		"/v1/videos?language=" + url.QueryEscape("fra,eng"),
		"/v1/videos?language=fra&language=eng",
		"/v1/videos?language=fra,&language=,eng&language=",
	} {
		got := referencesOf(t, w.ok(t, customer, path))
		slices.Sort(got)
		if !slices.Equal(got, []string{"boats", "floating"}) {
			t.Errorf("%s: %v", path, got)
		}
	}
}
