package account_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// TestSunsetFor checks that only a client whose own sunset is later than the general one gets more time.
func TestSunsetFor(t *testing.T) {
	d := &account.Deprecation{ID: "video-search.age_range", Sunset: 100, SetOn: 10}
	d.Postpone(account.Postponement{Client: "b", Sunset: 120, SetOn: 20})
	d.Postpone(account.Postponement{Client: "a", Sunset: 110, SetOn: 30})
	d.Postpone(account.Postponement{Client: "c", Sunset: 90, SetOn: 40})
	d.Postpone(account.Postponement{Client: "b", Sunset: 120, SetOn: 50}) // no change
	for client, want := range map[string][2]catalogue.Date{
		"a": {110, 30}, "b": {120, 20}, "c": {100, 10}, "ab": {100, 10}, "": {100, 10},
	} {
		if sunset, setOn := d.SunsetFor(client); sunset != want[0] || setOn != want[1] {
			t.Errorf("%q: %v set on %v, want %v", client, sunset, setOn, want)
		}
	}
	if faults := d.Validate(); faults != nil {
		t.Error(faults)
	}
	if !d.Resume("b") || d.Resume("b") || d.Resume("") {
		t.Error("Resume does not report whether the client had its own sunset")
	}
	if sunset, _ := d.SunsetFor("b"); sunset != 100 {
		t.Errorf("after Resume: %v", sunset)
	}
	roster := account.NewRoster([]account.Entity{d, &account.Deprecation{ID: "other"}})
	if roster.Deprecations[d.ID] != d || len(roster.Deprecations) != 2 {
		t.Errorf("the roster contains %v", roster.Deprecations)
	}
	if d.Owner() != "" || d.Names() != nil || d.Links() != nil || !reflect.DeepEqual(d.Redacted(), account.Entity(d)) {
		t.Error("a deprecation has an owner, names, links or secrets")
	}
}

func TestDeprecationFaults(t *testing.T) {
	many := &account.Deprecation{ID: "x"}
	for i := range account.MaxPostponed + 1 {
		many.Postpone(account.Postponement{Client: fmt.Sprint(i)})
	}
	for field, d := range map[string]*account.Deprecation{
		"id":                  {ID: "a key"},
		"postponed[1].client": {ID: "x", Postponed: []account.Postponement{{Client: "b"}, {Client: "a"}}},
		"postponed":           many,
	} {
		if faults := d.Validate(); len(faults) != 1 || faults[0].Field != field {
			t.Errorf("%s: %v", field, faults)
		}
	}
}
