package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
)

const (
	pupilPath = "/v1/users/" + pupilID
	nobodyID  = "ffffffffffffffffffffffff"
)

var asJSON = map[string]string{"Content-Type": "application/json"}

func TestGoldenUsers(t *testing.T) {
	put := func(name, body string) golden {
		return golden{name, apiRequest{as: pupil, method: "PUT", path: pupilPath, body: body, header: asJSON}}
	}
	w := newWorld(t, options{})
	checkGolden(t, w, []golden{
		{"index-pupil", apiRequest{as: pupil, path: "/v1/"}},
		{"user-self", apiRequest{as: pupil, path: "/v1/users/_self"}},
		{"user-of-account", apiRequest{as: customer, path: pupilPath}},
		{"user-active", apiRequest{as: customer, path: pupilPath + "/active"}},
		put("user-nothing-changed", `{}`),
		put("user-changed", `{"firstName":"Augusta","jobTitle":"Mathematician","audiences":["K12"],"discoveryMethods":["a friend"],
			"desiredContent":"Engines","hasAcceptedTermsAndConditions":true,"subjects":["`+string(idOf("physics"))+`"],"ages":[11,12],
			"disabled":true,"email":"another@customer.example","userRoles":{"LIBRARY":"ADMIN"}}`),
		put("user-named", `{"firstName":"Augusta","jobTitle":"Mathematician","subjects":["`+string(idOf("physics"))+`"],"ages":[11,12]}`),
		put("user-cleared", `{"jobTitle":null,"audiences":null,"subjects":[],"ages":null}`),
		put("error-user-body-empty", ""),
		put("error-user-body-list", `[1]`),
		put("error-user-first-name", `{"firstName":7}`),
		put("error-user-first-name-blank", `{"firstName":" "}`),
		put("error-user-first-name-long", `{"firstName":"`+strings.Repeat("x", 201)+`","lastName":"a\u0007"}`),
		put("error-user-first-name-null", `{"firstName":null}`),
		put("error-user-ages", `{"ages":[11,"12"]}`),
		put("error-user-age", `{"ages":[11,151]}`),
		put("error-user-audience-null", `{"audiences":["K12",null]}`),
		put("error-user-subject", `{"subjects":["maths"]}`),
		{"error-user-form", apiRequest{as: pupil, method: "PUT", path: pupilPath, body: "firstName=Ada", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}},
		{"error-user-foreign", apiRequest{as: pupil, method: "PUT", path: "/v1/users/" + nobodyID, body: `{}`, header: asJSON}},
		{"error-user-none", apiRequest{as: customer, path: "/v1/users/" + nobodyID}},
		{"error-user-no-right", apiRequest{as: viewer, path: pupilPath}},
		{"error-user-of-none", apiRequest{as: customer, path: "/v1/users/_self"}},
		{"error-user-inactive", apiRequest{as: customer, path: "/v1/users/" + nobodyID + "/active"}},
	})
}

// TestUsersOfOtherAccounts proves that users of other accounts are answered like unknown ones, except for operators.
func TestUsersOfOtherAccounts(t *testing.T) {
	w := shared()
	wantRejection(t, w.get(t, teacher, pupilPath), http.StatusNotFound, pupilID)
	if got := w.ok(t, operator, pupilPath); got["lastName"] != "Lovelace" {
		t.Errorf("the operator gets %v", got)
	}
}

// TestActiveUsers proves that a user who is disabled, unknown, or of an expired or suspended account is not active, and
// that all of these are answered alike.
func TestActiveUsers(t *testing.T) {
	w := newWorld(t, options{config: func(c *wiring) { c.Anonymous = true }})
	yesterday := catalogue.DateOf(begin) - 1
	expired := authtest.Account("over", customer)
	expired.AccessExpiresOn = &yesterday
	suspended := authtest.Account("held", customer)
	suspended.Status = account.Suspended
	users := map[string]*account.User{
		"active":               {AccountID: customer},
		"disabled":             {AccountID: customer, Disabled: true},
		"of an expired one":    {AccountID: "over"},
		"of a suspended one":   {AccountID: "held"},
		"of the operator":      {AccountID: operator},
		"with another's terms": {AccountID: teacher, UserDetails: account.UserDetails{TermsAccepted: true}},
	}
	records := []account.Entity{expired, suspended}
	for name, user := range users {
		user.ID, user.ExternalID = account.NewUserID(), name
		records = append(records, user)
	}
	check(authtest.Put(t.Context(), w.accounts, records...))
	forAnybody := map[string]int{"active": 200, "disabled": 403, "of an expired one": 403, "of a suspended one": 403, "of the operator": 200, "with another's terms": 200}
	for name, user := range users {
		for _, as := range []string{customer, nobody, stranger, operator} {
			want := forAnybody[name]
			if as != nobody && user.AccountID != as {
				want = http.StatusForbidden
			}
			got := w.get(t, as, "/v1/users/"+user.ID+"/active")
			if got.StatusCode != want || got.StatusCode == http.StatusOK && len(got.body) > 0 {
				t.Errorf("%s, asked by %q: got %d %s", name, as, got.StatusCode, got.body)
			}
			if want == http.StatusOK {
				continue
			}
			unknown := w.get(t, as, "/v1/users/"+strings.Repeat("f", len(user.ID))+"/active")
			theirs, none := got.json(t), unknown.json(t)
			delete(theirs, "timestamp")
			delete(none, "timestamp")
			if a, b := strings.ReplaceAll(fmt.Sprint(theirs), user.ID, "ID"), strings.ReplaceAll(fmt.Sprint(none), strings.Repeat("f", len(user.ID)), "ID"); a != b {
				t.Errorf("%s, asked by %q, is not answered as one that does not exist:\n%s\n%s", name, as, a, b)
			}
		}
	}
	for _, id := range []string{"x", "%00", strings.Repeat("f", 24), strings.Repeat("x", 2000)} {
		if got := w.get(t, nobody, "/v1/users/"+id+"/active"); got.StatusCode != http.StatusForbidden {
			t.Errorf("%.30q: got %d %s", id, got.StatusCode, got.body)
		}
	}
}

// TestOperatorsChangeUsers proves that the operator changes users of any account, under the rules that apply to the
// users themselves.
func TestOperatorsChangeUsers(t *testing.T) {
	w := newWorld(t, options{empty: true})
	put := func(as, path, body string) *answer { return w.sendJSON(t, as, "PUT", path, body) }
	got := put(operator, pupilPath, `{"jobTitle":"Countess"}`)
	if got.StatusCode != http.StatusOK || got.json(t)["jobTitle"] != "Countess" || w.ok(t, pupil, pupilPath)["jobTitle"] != "Countess" {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
	wantRejection(t, put(operator, pupilPath, `{"lastName":"`+strings.Repeat("x", 201)+`"}`), http.StatusBadRequest, "lastName has ")
	wantRejection(t, put(operator, "/v1/users/"+nobodyID, `{"jobTitle":"x"}`), http.StatusNotFound, nobodyID)
	for _, as := range []string{customer, teacher, learner} {
		wantRejection(t, put(as, pupilPath, `{"jobTitle":"x"}`), http.StatusForbidden)
	}
}

// TestUsersChangeThemselves proves that a user's own changes are stored and remain when the client requests another
// token.
func TestUsersChangeThemselves(t *testing.T) {
	w := newWorld(t, options{empty: true})
	got := w.send(t, apiRequest{as: pupil, method: "PUT", path: pupilPath, body: `{"jobTitle":"Countess","lastName":"King"}`, header: asJSON})
	if got.StatusCode != http.StatusOK || got.Header.Get("Etag") != "" {
		t.Fatalf("got %d %v %s", got.StatusCode, got.Header, got.body)
	}
	logInAs(t, w.handler, customer, pupil)
	user := must(w.accounts.Entity(t.Context(), account.EntityKey{Kind: account.KindUser, ID: pupilID})).(*account.User)
	if user.JobTitle != "Countess" || user.FamilyName != "King" || user.GivenName != "Ada" || user.AccountID != customer {
		t.Errorf("stored is %+v", user)
	}
	wantRejection(t, w.send(t, apiRequest{as: customer, method: "PUT", path: pupilPath, body: `{}`, header: asJSON}), http.StatusForbidden)
}

func TestGoldenPlaces(t *testing.T) {
	w := newWorld(t, options{empty: true})
	w.put(someSchools()...)
	w.placesFollow(t)
	get := func(name, path string) golden { return golden{name, apiRequest{as: customer, path: path}} }
	checkGolden(t, w, []golden{
		get("countries", "/v1/countries"),
		get("country", "/v1/countries/USA"),
		get("country-states", "/v1/countries/USA/states"),
		get("country-states-none", "/v1/countries/FRA/states"),
		get("schools", "/v1/schools?countryCode=USA&state=CA&query=LINCOLN"),
		get("schools-inside", "/v1/schools?countryCode=FRA&query=ycée"),
		get("schools-none", "/v1/schools?countryCode=USA&state=OR&query=lincoln"),
		get("districts", "/v1/districts?countryCode=USA&query=unified&state=CA"),
		get("error-country-unknown", "/v1/countries/XXX"),
		get("error-states-unknown", "/v1/countries/us/states"),
		get("error-schools-no-country", "/v1/schools?query=x"),
		get("error-schools-country", "/v1/schools?countryCode=US&query=x"),
		get("error-districts-state", "/v1/districts?countryCode=USA&query=x&state=California"),
	})
	wantRejection(t, w.get(t, customer, "/v1/schools?countryCode=FRA&query="+strings.Repeat("x", 201)), http.StatusBadRequest, "201")
}

func someSchools() []catalogue.Item {
	meta := func(kind catalogue.Kind, reference string) catalogue.Meta {
		return catalogue.Meta{ID: catalogue.DeriveID(kind, "test", reference), Source: "test", Reference: reference}
	}
	unified := &catalogue.District{Meta: meta(catalogue.KindDistrict, "06"), ExternalID: "06", Name: "Harbour Unified", Country: "USA", State: "CA"}
	items := []catalogue.Item{unified}
	for i, name := range []string{"Abraham Lincoln High", "Lincoln Elementary", "Unlincoln", "Washington"} {
		reference := fmt.Sprint("06-", i)
		items = append(items, &catalogue.School{
			Meta: meta(catalogue.KindSchool, reference), ExternalID: reference, Name: name, Country: "USA", State: "CA", City: "Harbour",
			DistrictID: &unified.ID,
		})
	}
	return append(items, &catalogue.School{Meta: meta(catalogue.KindSchool, "75"), ExternalID: "75", Name: "Lycée Ampère", Country: "FRA"})
}

// TestSchoolsOfTheCapital proves that schools of DC are found, and that DC is not listed as a state.
func TestSchoolsOfTheCapital(t *testing.T) {
	w := newWorld(t, options{})
	meta := catalogue.Meta{ID: catalogue.DeriveID(catalogue.KindSchool, "test", "11"), Source: "test", Reference: "11"}
	capitol := &catalogue.School{Meta: meta, ExternalID: "11", Name: "Capitol Hill High", Country: "USA", State: "DC", City: "Washington"}
	w.put(append(someSchools(), capitol)...)
	w.placesFollow(t)
	found := w.ok(t, customer, "/v1/schools?countryCode=USA&state=DC&query=hill")["_embedded"].(map[string]any)["schools"].([]any)
	if got := idsIn(t, found); len(got) != 1 || got[0] != string(meta.ID) {
		t.Errorf("found %v", found)
	}
	for _, state := range w.ok(t, customer, "/v1/countries/USA/states")["_embedded"].(map[string]any)["states"].([]any) {
		if state.(map[string]any)["id"] == "DC" {
			t.Error("the capital is listed as a state")
		}
	}
}

// placesFollow waits until the stored schools are found.
func (w *world) placesFollow(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		found := w.ok(t, customer, "/v1/schools?countryCode=FRA&query=l")["_embedded"].(map[string]any)["schools"].([]any)
		if len(found) > 0 {
			return
		}
	}
	t.Fatal("no school is found")
}
