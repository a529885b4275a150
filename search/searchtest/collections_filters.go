package searchtest

import (
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

func (s collectionSuite) audience(t *testing.T) {
	st := s.fill(t, collections(
		func(*search.CollectionDocument) {},
		func(d *search.CollectionDocument) { d.Discoverable = false },
		func(d *search.CollectionDocument) { d.Account, d.Owner = "account-2", "user-2" },
		func(d *search.CollectionDocument) { d.Account, d.Owner, d.Service = "operator", "", true },
		func(d *search.CollectionDocument) {
			d.Account, d.Owner, d.Service, d.Discoverable = "operator", "", true, false
		},
		func(d *search.CollectionDocument) { d.Account, d.Owner, d.Discoverable = "account-2", "user-1", false },
		func(d *search.CollectionDocument) { d.Account, d.Owner = "Account-1", "User-1" },
	)...)
	for name, test := range map[string]struct {
		who  search.CollectionAudience
		want []int
	}{
		"all":                              {search.CollectionAudience{All: true}, []int{1, 2, 3, 4, 5, 6, 7}},
		"a user":                           {search.CollectionAudience{Account: "account-1", User: "user-1"}, []int{1, 2, 4, 6}},
		"a user of the account":            {search.CollectionAudience{Account: "account-1", User: "user-9"}, []int{1, 4}},
		"nobody of the account":            {search.CollectionAudience{Account: "account-2"}, []int{3, 4}},
		"somebody of no account":           {search.CollectionAudience{}, []int{4}},
		"an account without a collection":  {search.CollectionAudience{Account: "account-9", User: "user-9"}, []int{4}},
		"a user with only some":            {search.CollectionAudience{Account: "account-1", User: "user-1", Only: []catalogue.ID{collectionID(3), collectionID(5)}}, []int{1, 2, 3, 5, 6}},
		"nobody with only some":            {search.CollectionAudience{Account: "account-1", Only: []catalogue.ID{collectionID(1), collectionID(4)}}, []int{1, 4}},
		"nobody with none":                 {search.CollectionAudience{Account: "account-1", Only: []catalogue.ID{}}, nil},
		"all with only some":               {search.CollectionAudience{All: true, Only: []catalogue.ID{collectionID(1)}}, []int{1, 2, 3, 4, 5, 6, 7}},
		"an account with another's letter": {search.CollectionAudience{Account: "Account-1", User: "User-1"}, []int{4, 7}},
	} {
		t.Run(name, func(t *testing.T) {
			st := st.in(t)
			st.wantList(everything(func(q *search.CollectionQuery) { q.Audience = test.who }), test.want...)
			st.wantList(everything(func(q *search.CollectionQuery) { q.Audience, q.Text = test.who, "collections" }), test.want...)
			st.wantList(everything(func(q *search.CollectionQuery) {
				q.Audience, q.Text, q.PartialTitle = test.who, "olle", true
			}), test.want...)
		})
	}
}

func (s collectionSuite) filters(t *testing.T) {
	five, nine := 5, 9
	st := s.fill(t, collections(
		func(*search.CollectionDocument) {},
		func(d *search.CollectionDocument) {
			d.Promoted, d.PromotedFor = true, []account.Product{account.Products()[0]}
		},
		func(d *search.CollectionDocument) { d.PromotedFor = account.Products() },
		func(d *search.CollectionDocument) { d.Owner, d.Discoverable = "user-2", false },
		func(d *search.CollectionDocument) { d.Owner = "" },
		func(d *search.CollectionDocument) { d.Subjects = subjectPool[:1] },
		func(d *search.CollectionDocument) { d.Subjects = subjectPool[:2] },
		func(d *search.CollectionDocument) { d.Ages = catalogue.AgeRange{Min: &five, Max: &nine} },
		func(d *search.CollectionDocument) { d.Ages = catalogue.AgeRange{Min: &five} },
		func(d *search.CollectionDocument) { d.ResourceTypes = catalogue.AttachmentTypes()[:1] },
		func(d *search.CollectionDocument) { d.ResourceTypes = catalogue.AttachmentTypes()[:2] },
	)...)
	for name, test := range map[string]struct {
		set  func(*search.CollectionQuery)
		want []int
	}{
		"ids": {func(q *search.CollectionQuery) {
			q.IDs = []catalogue.ID{collectionID(7), collectionID(2), collectionID(99)}
		}, []int{2, 7}},
		"ids twice": {func(q *search.CollectionQuery) {
			q.IDs = []catalogue.ID{collectionID(7), collectionID(2), collectionID(7)}
		}, []int{2, 7}},
		"no ids":       {func(q *search.CollectionQuery) { q.IDs = []catalogue.ID{} }, nil},
		"hidden":       {func(q *search.CollectionQuery) { q.Discoverable = new(false) }, []int{4}},
		"discoverable": {func(q *search.CollectionQuery) { q.Discoverable, q.Promoted = new(true), new(true) }, []int{2}},
		"not promoted": {func(q *search.CollectionQuery) {
			q.Promoted, q.IDs = new(false), []catalogue.ID{collectionID(1), collectionID(2)}
		}, []int{1}},
		"promoted for":          {func(q *search.CollectionQuery) { q.PromotedFor = account.Products()[:1] }, []int{2, 3}},
		"promoted for one of":   {func(q *search.CollectionQuery) { q.PromotedFor = account.Products() }, []int{2, 3}},
		"promoted for the last": {func(q *search.CollectionQuery) { q.PromotedFor = account.Products()[len(account.Products())-1:] }, []int{3}},
		"promoted for none":     {func(q *search.CollectionQuery) { q.PromotedFor = []account.Product{} }, nil},
		"owner":                 {func(q *search.CollectionQuery) { q.Owner = new("user-2") }, []int{4}},
		"owner nobody":          {func(q *search.CollectionQuery) { q.Owner = new("") }, []int{5}},
		"an owner who is none":  {func(q *search.CollectionQuery) { q.Owner = new("user-9") }, nil},
		"subject":               {func(q *search.CollectionQuery) { q.Subjects = subjectPool[1:2] }, []int{7}},
		"subjects":              {func(q *search.CollectionQuery) { q.Subjects = subjectPool[:2] }, []int{6, 7}},
		"no subjects":           {func(q *search.CollectionQuery) { q.Subjects = []catalogue.ID{} }, nil},
		"bracket":               {func(q *search.CollectionQuery) { q.Ages = []catalogue.AgeBracket{{From: 8, To: 11}} }, []int{8, 9}},
		"brackets":              {func(q *search.CollectionQuery) { q.Ages = []catalogue.AgeBracket{{From: 3, To: 5}, {From: 11, To: 14}} }, []int{9}},
		"no brackets":           {func(q *search.CollectionQuery) { q.Ages = []catalogue.AgeBracket{} }, nil},
		"lowest age":            {func(q *search.CollectionQuery) { q.AgeMin = new(5) }, []int{8, 9}},
		"a lower one":           {func(q *search.CollectionQuery) { q.AgeMin = new(6) }, nil},
		"highest age":           {func(q *search.CollectionQuery) { q.AgeMax = new(9) }, []int{8}},
		"both ages":             {func(q *search.CollectionQuery) { q.AgeMin, q.AgeMax = new(5), new(9) }, []int{8}},
		"both ages at an end":   {func(q *search.CollectionQuery) { q.AgeMin, q.AgeMax = new(1), new(5) }, nil},
		"resource type":         {func(q *search.CollectionQuery) { q.ResourceTypes = catalogue.AttachmentTypes()[1:2] }, []int{11}},
		"resource types":        {func(q *search.CollectionQuery) { q.ResourceTypes = catalogue.AttachmentTypes()[:2] }, []int{10, 11}},
		"no resource types":     {func(q *search.CollectionQuery) { q.ResourceTypes = []catalogue.AttachmentType{} }, nil},
		"filters are and-ed":    {func(q *search.CollectionQuery) { q.Subjects, q.Owner = subjectPool[:2], new("user-2") }, nil},
	} {
		t.Run(name, func(t *testing.T) { st.in(t).wantList(everything(test.set), test.want...) })
	}
}
