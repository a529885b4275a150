package rest

import (
	"net/http"
	"slices"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// The projections of collections: list shows IDs and links of videos, details whole videos.
const (
	projectionVariable = "projection"
	listProjection     = "list"
	detailsProjection  = "details"
)

// collection serves GET /v1/collections/{id}.
func collection(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	projection := takeProjection(values)
	values["id"] = idIn(r)
	data, err := f.found(r, "Collection", values, "there is no collection %q", idIn(r))
	if err != nil {
		return nil, err
	}
	return f.withVideos(r, data, projection)
}

func takeProjection(values hal.Variables) string {
	projection, _ := values[projectionVariable].(string)
	delete(values, projectionVariable)
	return projection
}

// collections serves GET /v1/collections.
func collections(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	if err := settleCollectionFilter(values); err != nil {
		return nil, err
	}
	return f.collectionPage(r, "Collections", values)
}

// settleCollectionFilter restricts the search to discoverable collections unless the request asks for others.
func settleCollectionFilter(values hal.Variables) error {
	for _, check := range []func(hal.Variables) error{checkAgeBounds, settleLessonPlans} {
		if err := check(values); err != nil {
			return err
		}
	}
	filter, _ := values["filter"].(map[string]any)
	if filter["discoverable"] == nil && filter["ignoreDiscoverable"] != true {
		put(values, "filter.discoverable", true)
	}
	return nil
}

// lessonPlans holds has_lesson_plans until resource_types is known, which expresses the same for more types.
const lessonPlans = "lessonPlans"

func settleLessonPlans(values hal.Variables) error {
	wanted := values[lessonPlans] == true
	delete(values, lessonPlans)
	if !wanted {
		return nil
	}
	const plan = "LESSON_PLAN"
	filter, _ := values["filter"].(map[string]any)
	if types, given := filter["resourceTypes"].([]any); given && !slices.Contains(types, any(plan)) {
		return fault.InvalidRequest("has_lesson_plans and resource_types ask for different things: name %s there", plan)
	}
	put(values, "filter.resourceTypes", []any{plan})
	return nil
}

// userCollections serves GET /v1/users/{id}/collections.
func userCollections(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	values["user"] = idIn(r)
	return f.collectionPage(r, "UserCollections", values)
}

// collectionPage replies with a page of collections.
func (f *facade) collectionPage(r *http.Request, operation string, values hal.Variables) (*reply, error) {
	projection := takeProjection(values)
	data, err := f.run(r, operation, values)
	if err != nil {
		return nil, err
	}
	window, err := hal.ParseWindow(data, "collections")
	if err != nil {
		return nil, err
	}
	size, number := values["size"].(int64), values["page"].(int64)
	place := hal.PlaceOf(r.URL, size, number)
	whole := window.Write(size, number, place.CollectionLinks(f.base(r), window.Total))
	return f.page(r, "collections:", [][]byte{whole, []byte(projection)}, func(view hal.View) (hal.Page, error) {
		return f.documents.Collections(r.Context(), &view, whole, projection == detailsProjection)
	})
}

// withVideos replies with a template whose videos have the requested projection.
func (f *facade) withVideos(r *http.Request, template []byte, projection string) (*reply, error) {
	view := f.view(r)
	page, err := f.documents.Collections(r.Context(), &view, template, projection == detailsProjection)
	if err != nil {
		return nil, err
	}
	return pageReply(page), nil
}
