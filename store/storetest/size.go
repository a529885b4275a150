package storetest

import (
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/store"
)

// checkSize checks that an engine has a size, and knows that a table has rows; "": that of no table.
func checkSize(t testing.TB, engine any, table string, rows int64) {
	t.Helper()
	sizer, isSizer := engine.(store.Sizer)
	if !isSizer {
		t.Skip("a decorator has no size")
	}
	size, err := sizer.Size(t.Context())
	if err != nil || size.Bytes <= 0 || len(size.Tables) > store.MaxTables {
		t.Fatalf("the size is %+v, %v", size, err)
	}
	if table == "" {
		return
	}
	at := slices.IndexFunc(size.Tables, func(s store.TableSize) bool { return s.Name == table })
	if at < 0 {
		t.Fatalf("%s is not among %+v", table, size.Tables)
	}
	if found := size.Tables[at]; found.Bytes == nil && (found.Rows == nil || *found.Rows != rows) || found.Bytes != nil && *found.Bytes <= 0 {
		t.Errorf("%+v should have %d rows", found, rows)
	}
}

func testCatalogueSize(h *catalogueFixture) {
	h.put(everything()...)
	h.put(video(1), video(2), video(3))
	checkSize(h.testingT.(testing.TB), h.Catalogue, "videos", 3)
}

func testAccountsSize(o *accountsFixture) {
	entries := o.auditEntries(store.AuditQuery{})
	o.must(o.put(customer("one"), customer("two")))
	checkSize(o, o.Accounts, "audit", int64(len(entries))+2)
}

func testEventsSize(l *eventsFixture) {
	checkSize(l.T, l.Events, "", 0)
	const many = 500 // so that no empty table is larger
	for n := range many {
		l.append(watched(n))
	}
	checkSize(l.T, l.Events, "events", many)
}

func testCollectionsSize(l *collectionsFixture) {
	l.create(list(1, "ann"), list(2, "bob"))
	checkSize(l.t, l.Collections, "collections", 2)
}
