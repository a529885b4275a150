package deprecation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/deprecation"
)

// TestTable checks that every item is complete, that its place is unique, and that the store accepts its key.
func TestTable(t *testing.T) {
	owner := map[string]string{}
	items := deprecation.Items()
	for i, item := range items {
		if item.What == "" || item.Instead == "" || item.Since == 0 || item.Documentation == "" || len(item.Places()) == 0 {
			t.Errorf("%s is incomplete", item.Key)
		}
		if faults := (&account.Deprecation{ID: item.Key}).Validate(); faults != nil {
			t.Errorf("%s: %v", item.Key, faults)
		}
		if i > 0 && items[i-1].Key >= item.Key {
			t.Errorf("%s follows %s", item.Key, items[i-1].Key)
		}
		for _, place := range append(slices.Clone(item.Parameters), item.Fields...) {
			if owner[place] != "" {
				t.Errorf("%s belongs to %s and %s", place, owner[place], item.Key)
			}
			owner[place] = item.Key
		}
		if deprecation.ItemOf(item.Key) != item {
			t.Errorf("%s is not found", item.Key)
		}
	}
	if len(items) < 11 || len(items) > 64 { // A call has one bit for each item.
		t.Errorf("there are %d items", len(items))
	}
	if deprecation.ItemOf("") != nil || deprecation.OfParameter("GET", "/v1/videos", "query") != nil || deprecation.OfField("Video", "title") != nil {
		t.Error("an item was found that is not deprecated")
	}
}

func TestNotices(t *testing.T) {
	const today = catalogue.Date(21_000)
	item := &deprecation.Item{Key: "k", Since: today - 100}
	use := func(client string, first, last catalogue.Date) account.DeprecatedUse {
		return account.DeprecatedUse{Item: "k", Client: client, First: first.Start(), Last: last.Start().Add(12 * time.Hour)}
	}
	recent, forgotten := use("recent", today-200, today-90), use("forgotten", today-200, today-91)
	postponed, nobody, tomorrow := use("postponed", today, today), use("", today, today), use("tomorrow", today+1, today+1)
	uses := []account.DeprecatedUse{forgotten, nobody, postponed, recent, tomorrow}
	decided := &account.Deprecation{ID: "k", Sunset: today + 30, SetOn: today - 3, Postponed: []account.Postponement{
		{Client: "postponed", Sunset: today + 60, SetOn: today},
	}}
	for name, c := range map[string]struct {
		day     catalogue.Date
		decided *account.Deprecation
		want    []string
	}{
		"a day without anything":                   {today + 1, decided, nil},
		"the day on which one was given longer":    {today, decided, []string{"ANNOUNCEMENT postponed 60"}},
		"the day on which the day of all was set":  {today - 3, decided, []string{"ANNOUNCEMENT recent 30", "ANNOUNCEMENT forgotten 30"}},
		"seven days before the day of all":         {today + 23, decided, []string{"REMINDER_WEEK_BEFORE tomorrow 30"}}, // The other clients have a later date, or have stopped.
		"seven days before the day of one":         {today + 53, decided, []string{"REMINDER_WEEK_BEFORE postponed 60"}},
		"six days before":                          {today + 54, decided, nil},
		"the day on which the item was announced":  {today - 100, nil, []string{"ANNOUNCEMENT recent -", "ANNOUNCEMENT forgotten -"}},
		"nothing is decided":                       {today, nil, nil},
		"set on this day, and a week from its end": {today, &account.Deprecation{Sunset: today + 7, SetOn: today}, []string{"ANNOUNCEMENT postponed 7", "REMINDER_WEEK_BEFORE postponed 7", "ANNOUNCEMENT recent 7", "REMINDER_WEEK_BEFORE recent 7"}},
	} {
		var got []string
		for _, notice := range item.Notices(c.day, c.decided, uses) {
			sunset := "-"
			if notice.Sunset != nil {
				sunset = time.Duration(*notice.Sunset - today).String()
				sunset = sunset[:len(sunset)-2]
			}
			got = append(got, string(notice.Reason)+" "+notice.Use.Client+" "+sunset)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestReminderOfAll checks that clients that still use an item are reminded on the seventh day before its sunset, and
// on no other day.
func TestReminderOfAll(t *testing.T) {
	const sunset = catalogue.Date(21_000)
	item, decided := &deprecation.Item{Key: "k", Since: 1}, &account.Deprecation{ID: "k", Sunset: sunset, SetOn: 2}
	use := account.DeprecatedUse{Item: "k", Client: "c", First: time.Unix(0, 0), Last: (sunset - 8).Start()}
	for day := sunset - 20; day < sunset+20; day++ {
		due := item.Notices(day, decided, []account.DeprecatedUse{use})
		if (len(due) == 1) != (day == sunset-7) {
			t.Errorf("%d days before: %+v", sunset-day, due)
		}
	}
}
