package rest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestBothAPIsAnswerTheSame sends the same requests to HAL and to POST /graphql, with the operations of the HAL API, and
// proves that the answers are equal field by field.
func TestBothAPIsAnswerTheSame(t *testing.T) {
	w := shared()
	id := func(reference string) map[string]any { return map[string]any{"id": string(idOf(reference))} }
	for _, as := range []string{customer, operator, viewer} {
		for _, test := range []struct {
			path      string
			at        []string // path of the elements in the document
			operation string
			variables map[string]any
		}{
			{"/v1/", nil, "Index", nil},
			{"/v1/video-types", []string{"_embedded", "videoTypes"}, "VideoTypes", nil},
			{"/v1/subjects", []string{"_embedded", "subjects"}, "Subjects", map[string]any{"visibility": "WITH_VIDEOS"}},
			{"/v1/subjects?visibility=all", []string{"_embedded", "subjects"}, "Subjects", map[string]any{"visibility": "ALL"}},
			{"/v1/subjects?marketSegment=K12", []string{"_embedded", "subjects"}, "Subjects", map[string]any{"visibility": "WITH_VIDEOS", "marketSegment": "K12"}},
			{"/v1/subjects/" + string(idOf("physics")), nil, "Subject", id("physics")},
			{"/v1/disciplines", []string{"_embedded", "disciplines"}, "Disciplines", map[string]any{"visibility": "WITH_VIDEOS"}},
			{"/v1/disciplines?visibility=all", []string{"_embedded", "disciplines"}, "Disciplines", map[string]any{"visibility": "ALL"}},
			{"/v1/disciplines/" + string(idOf("sciences")), nil, "Discipline", id("sciences")},
			{"/v1/channels", []string{"_embedded", "channels"}, "Channels", map[string]any{"sortBy": "NAME_ASC", "page": 0, "size": 10000}},
			{"/v1/channels?sort_by=CATEGORIES_DESC&size=2&ingestType=MRSS,MANUAL,CUSTOM", []string{"_embedded", "channels"}, "Channels", map[string]any{
				"sortBy": "CATEGORIES_DESC", "page": 0, "size": 2, "filter": map[string]any{"ingestTypes": []string{"MRSS", "MANUAL", "CUSTOM"}},
			}},
			{"/v1/channels?projection=list", []string{"_embedded", "channels"}, "ChannelNames", map[string]any{"sortBy": "NAME_ASC", "page": 0, "size": 10000}},
			{"/v1/channels/" + string(idOf("lab")), nil, "Channel", id("lab")},
			{"/v1/education-levels", []string{"_embedded", "levels"}, "EducationLevels", nil},
			{"/v1/tags", []string{"_embedded", "tags"}, "Tags", nil},
			{"/v1/tags/" + string(idOf("hook")), nil, "Tag", id("hook")},
			{"/v1/content-warnings", []string{"_embedded", "contentWarnings"}, "ContentWarnings", nil},
			{"/v1/content-warnings/" + string(idOf("flashes")), nil, "ContentWarning", id("flashes")},
			{"/v1/suggestions?query=wat", nil, "Suggestions", map[string]any{"query": "wat"}},
		} {
			t.Run(as+test.path, func(t *testing.T) {
				got := w.get(t, as, test.path)
				operation := test.operation
				if as == operator && (operation == "Channels" || operation == "Channel") {
					operation = "Staff" + operation
				}
				data, code := w.graphQL(t, as, operationText(operation), test.variables)
				if got.StatusCode != 200 {
					if code != "FORBIDDEN" || got.StatusCode != 403 {
						t.Errorf("HAL answers %d, GraphQL %q", got.StatusCode, code)
					}
					return
				}
				sameFacts(t, test.path, reach(got.json(t), test.at), elementsOf(data))
			})
		}
	}
}

// elementsOf returns the channels of a page of channels, and other data unchanged.
func elementsOf(data any) any {
	if page, ok := data.(map[string]any); ok && page["channels"] != nil && page["total"] != nil {
		return page["channels"]
	}
	return data
}

func reach(document any, at []string) any {
	for _, name := range at {
		document = document.(map[string]any)[name]
	}
	return document
}

// TestBothAPIsShowTheSameVideos proves that HAL and GraphQL show each caller the same video documents.
func TestBothAPIsShowTheSameVideos(t *testing.T) {
	w := shared()
	document := operationText("VideoDocument.fragment")
	for _, as := range []string{customer, operator, viewer, stranger} {
		for _, reference := range append(visible(), "secretVideo", "expired", "duplicate", "retired") {
			got := w.get(t, as, pathOf(reference))
			data, _ := w.graphQL(t, as, `query($id: String!) { hal: video(id: $id) { ...VideoDocument } } `+document, map[string]any{"id": string(idOf(reference))})
			if (got.StatusCode == 200) != (data != nil) {
				t.Errorf("%s as %s: HAL answers %d, GraphQL %v", reference, as, got.StatusCode, data)
			}
			if got.StatusCode == 200 {
				sameFacts(t, reference, got.json(t), data)
			}
		}
	}
}

// TestBothAPIsFindTheSame proves that HAL and GraphQL searches have the same totals, order, facets and documents.
func TestBothAPIsFindTheSame(t *testing.T) {
	w := shared()
	query := `query($query: String, $filter: VideoFilter, $sortBy: VideoOrder! = RELEVANCE, $page: Int! = 0, $size: Int! = 100, $facets: FacetRequest) {
		hal: searchVideos(query: $query, filter: $filter, sortBy: $sortBy, page: $page, size: $size, facets: $facets) {
			total totalPages references facetMap videos { ...VideoDocument }
			facets { ` + facetFields() + ` }
		}
	} ` + operationText("VideoDocument.fragment")
	type filter = map[string]any
	for _, as := range []string{customer, operator, teacher} {
		for path, variables := range map[string]map[string]any{
			"": {},
			"query=water&include_channel_facets=true": {"query": "water", "facets": filter{"channels": true}},
			"query=why+float&size=1&page=1&include_topic_facets=true&include_cefr_level_facets=true&include_education_level_facets=true": {
				"query": "why float", "size": 1, "page": 1, "facets": filter{"topics": true, "cefrLevels": true, "educationLevels": true},
			},
			"sort_by=RELEASE_DATE&type=NEWS,STOCK": {"sortBy": "RELEASE_DATE", "filter": filter{"types": []string{"NEWS", "STOCK"}}},
			"duration=PT0S-PT2M,PT20M&duration_facets=PT1M-PT2M&age_range_facets=5-11": {
				"filter": filter{"durations": []filter{{"min": "PT0S", "max": "PT2M"}, {"min": "PT20M"}}},
				"facets": filter{"durations": []filter{{"min": "PT1M", "max": "PT2M"}}, "ages": []filter{{"from": 5, "to": 11}}},
			},
			"channel=Open+Lab&best_for=hook&language=eng&age_range=5-7&promoted=true": {"filter": filter{
				"channels": []string{"Open Lab"}, "bestFor": []string{"hook"}, "languages": []string{"eng"}, "ages": []filter{{"from": 5, "to": 7}}, "promoted": true,
			}},
			"id=x":                     {"filter": filter{"ids": []string{"x"}}},
			"updated_as_of=2026-03-01": {"filter": filter{"updatedAsOf": "2026-03-01"}},
			"source=YOUTUBE":           {"filter": filter{"source": "YOUTUBE"}},
		} {
			t.Run(as+"/"+path, func(t *testing.T) {
				document := w.ok(t, as, "/v1/videos?"+path)
				data, code := w.graphQL(t, as, query, variables)
				if code != "" {
					t.Fatal(code)
				}
				found := data.(map[string]any)
				page := document["page"].(map[string]any)
				if page["totalElements"] != found["total"] || page["totalPages"] != found["totalPages"] {
					t.Errorf("HAL finds %v, GraphQL %v on %v pages", page, found["total"], found["totalPages"])
				}
				sameFacts(t, "facets", document["facets"], found["facetMap"])
				sameFacts(t, "videos", reach(document, []string{"_embedded", "videos"}), found["videos"])
				for i, reference := range found["references"].([]any) {
					id, _, _ := strings.Cut(reference.(string), ":")
					if videos := found["videos"].([]any); id != videos[i].(map[string]any)["id"] {
						t.Errorf("reference %d is %s", i, reference)
					}
				}
				for facet, buckets := range found["facets"].(map[string]any) {
					sameFacts(t, facet, document["facets"].(map[string]any)[facet], byKey(buckets))
				}
			})
		}
	}
}

func facetFields() string {
	var fields strings.Builder
	for _, facet := range []string{
		"subjects", "ageRanges", "bestForTags", "durations", "resourceTypes", "videoTypes", "channels", "educationLevels", "topics", "languages", "cefrLevels", "videoSubtypes",
	} {
		fmt.Fprintf(&fields, "%s { key hits id name score } ", facet)
	}
	return fields.String()
}

// byKey returns a list of buckets as a map by key.
func byKey(buckets any) map[string]any {
	keyed := map[string]any{}
	for _, bucket := range buckets.([]any) {
		fields := bucket.(map[string]any)
		key := fields["key"].(string)
		delete(fields, "key")
		keyed[key] = fields
	}
	return keyed
}

// TestBothAPIsWalkTheSameFeed proves that HAL and GraphQL page through the same feed to its end, each with the cursors
// of the other.
func TestBothAPIsWalkTheSameFeed(t *testing.T) {
	w := shared()
	query := `query($first: Int!, $after: String, $updatedAsOf: Date) { hal: videoFeed(first: $first, after: $after, updatedAsOf: $updatedAsOf) {
		nodes { ...VideoDocument } edges { cursor node { id } } pageInfo { hasNextPage endCursor }
	} } ` + operationText("VideoDocument.fragment")
	for _, as := range []string{customer, operator} {
		for _, size := range []int{1, 2, 3, 1000} {
			want := visible()
			if as == operator {
				want = append(want, "secretVideo")
			}
			path, variables := fmt.Sprintf("/v1/feed/videos?size=%d&updated_as_of=2026-02-22", size), map[string]any{"first": size, "updatedAsOf": "2026-02-22"}
			var walked []string
			for path != "" {
				document := w.ok(t, as, path)
				data, code := w.graphQL(t, as, query, variables)
				if code != "" {
					t.Fatal(code)
				}
				page := data.(map[string]any)
				sameFacts(t, path, reach(document, []string{"_embedded", "videos"}), page["nodes"])
				if edges := page["edges"].([]any); len(edges) != len(page["nodes"].([]any)) {
					t.Errorf("%s: %d edges", path, len(edges))
				}
				walked = append(walked, referencesOf(t, document)...)
				next, _ := document["_links"].(map[string]any)["next"].(map[string]any)
				info := page["pageInfo"].(map[string]any)
				if (next != nil) != info["hasNextPage"].(bool) {
					t.Fatalf("%s: next is %v, GraphQL says %v", path, next, info)
				}
				path = ""
				if next != nil {
					path = strings.TrimPrefix(next["href"].(string), base)
					if !strings.Contains(path, "cursor_id="+info["endCursor"].(string)) {
						t.Errorf("next is %s, GraphQL's cursor %v", path, info["endCursor"])
					}
					variables = map[string]any{"first": size, "after": info["endCursor"]}
				}
			}
			if !slices.Equal(slices.Sorted(slices.Values(walked)), slices.Sorted(slices.Values(want))) {
				t.Errorf("as %s, by %d: %v", as, size, walked)
			}
		}
	}
}

// TestBothAPIsShowMetadataAndTranscripts proves that HAL and GraphQL return the same metadata and transcripts.
func TestBothAPIsShowMetadataAndTranscripts(t *testing.T) {
	w := shared()
	for _, as := range []string{customer, operator, viewer} {
		ids := []string{"1001", string(idOf("secretVideo")), "x", string(idOf("boats"))}
		body := string(must(json.Marshal(map[string]any{"ids": ids})))
		got := w.send(t, apiRequest{as: as, method: "POST", path: "/v1/videos/metadata", body: body, header: map[string]string{"Content-Type": "application/json"}})
		data, _ := w.graphQL(t, as, operationText("VideoMetadata"), map[string]any{"ids": ids})
		metadata := got.json(t)["metadata"]
		for _, one := range metadata.([]any) { // HAL returns the captions' address, GraphQL whether there are any
			of := one.(map[string]any)
			of["hasCaptions"] = of["downloadVttCaptionUrl"] != nil
			delete(of, "downloadSrtCaptionUrl")
			delete(of, "downloadVttCaptionUrl")
		}
		sameFacts(t, "metadata", metadata, data)
		for _, reference := range []string{"floating", "boats", "minimal", "hostile", "expired"} {
			got := w.get(t, as, pathOf(reference)+"/transcript")
			data, code := w.graphQL(t, as, operationText("Transcript"), map[string]any{"videoId": string(idOf(reference))})
			switch transcript, _ := data.(map[string]any); {
			case got.StatusCode == 200 && transcript["text"] != string(got.body):
				t.Errorf("%s as %s: HAL %q, GraphQL %v", reference, as, got.body, transcript)
			case got.StatusCode == 403 && code != "FORBIDDEN", got.StatusCode == 404 && (transcript != nil || code != ""):
				t.Errorf("%s as %s: HAL %d, GraphQL %v %s", reference, as, got.StatusCode, transcript, code)
			}
		}
	}
}

// operationText returns the text of a GraphQL operation of the HAL API, with the fragments that it uses.
func operationText(name string) string {
	text := string(must(os.ReadFile(filepath.Join("hal", "operations", name+".graphql"))))
	for _, fragment := range fragmentNames() {
		if strings.Contains(text, "..."+fragment) && !strings.Contains(text, "fragment "+fragment+" ") {
			text += operationText(fragment + ".fragment")
		}
	}
	return text
}

func fragmentNames() []string {
	names := must(filepath.Glob("hal/operations/*.fragment.graphql"))
	for i, name := range names {
		names[i] = strings.TrimSuffix(filepath.Base(name), ".fragment.graphql")
	}
	return names
}

// graphQL sends a query to POST /graphql. It returns the value of the root field, or the code of the first error.
func (w *world) graphQL(t testing.TB, as, query string, variables map[string]any) (data any, code string) {
	t.Helper()
	body := string(must(json.Marshal(map[string]any{"query": query, "variables": variables})))
	got := w.send(t, apiRequest{as: as, method: "POST", path: "/graphql", body: body, header: map[string]string{"Content-Type": "application/json"}})
	var answer struct {
		Data   map[string]any
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(got.body, &answer); err != nil {
		t.Fatalf("%v in %.300s", err, got.body)
	}
	if len(answer.Errors) > 0 {
		if answer.Errors[0].Extensions.Code != "FORBIDDEN" {
			t.Errorf("%s: %s", query, got.body)
		}
		return nil, answer.Errors[0].Extensions.Code
	}
	return answer.Data["hal"], ""
}

// sameFacts compares a part of a HAL document with the same part of a GraphQL answer. GraphQL returns the names of
// links only, and null for a field that is absent in the document.
func sameFacts(t *testing.T, where string, hal, graphQL any) {
	t.Helper()
	switch hal := hal.(type) {
	case map[string]any:
		other, ok := graphQL.(map[string]any)
		if !ok {
			t.Errorf("%s: HAL %v, GraphQL %v", where, hal, graphQL)
			return
		}
		for name, value := range hal {
			if name == "_links" {
				sameLinks(t, where, value.(map[string]any), other[name])
				continue
			}
			if _, ok := other[name]; !ok {
				t.Errorf("%s: GraphQL does not mention %s", where, name)
			}
			sameFacts(t, where+"."+name, value, other[name])
		}
		for name, value := range other {
			if _, ok := hal[name]; !ok && value != nil {
				t.Errorf("%s: HAL does not mention that %s is %v", where, name, value)
			}
		}
	case []any:
		other, _ := graphQL.([]any)
		if len(other) != len(hal) {
			t.Errorf("%s: HAL has %d elements, GraphQL %d", where, len(hal), len(other))
			return
		}
		for i := range hal {
			sameFacts(t, fmt.Sprintf("%s[%d]", where, i), hal[i], other[i])
		}
	default:
		if !reflect.DeepEqual(hal, graphQL) {
			t.Errorf("%s: HAL %v, GraphQL %v", where, hal, graphQL)
		}
	}
}

func sameLinks(t *testing.T, where string, links map[string]any, names any) {
	t.Helper()
	var rels, other []string
	for rel := range links {
		rels = append(rels, rel)
	}
	list, _ := names.([]any)
	for _, name := range list {
		other = append(other, name.(string))
	}
	slices.Sort(rels)
	slices.Sort(other)
	if !slices.Equal(rels, other) {
		t.Errorf("%s: HAL links to %v, GraphQL to %v", where, rels, other)
	}
}
