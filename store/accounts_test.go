package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
)

// numbered is a registry with so many tiers, whose reads fail above an ID.
type numbered struct {
	store.Registry
	count int
	fails string
}

var errRead = errors.New("planned")

func (n numbered) Entities(_ context.Context, _ account.Kind, _, after string, limit int) (page []account.Entity, err error) {
	if n.fails != "" && after >= n.fails {
		return nil, errRead
	}
	for i := range n.count {
		if id := fmt.Sprintf("%06d", i); id > after && len(page) < limit {
			page = append(page, &account.Tier{ID: id})
		}
	}
	return page, nil
}

// TestRecords checks that Records returns each record once, however many pages they fill, and ends with an error.
func TestRecords(t *testing.T) {
	for _, count := range []int{0, 1, 499, 500, 501, 1000, 1203} {
		next := 0
		for tier, err := range store.Records[*account.Tier](t.Context(), numbered{count: count}, account.KindTier, "", "") {
			if err != nil || tier.ID != fmt.Sprintf("%06d", next) {
				t.Fatalf("%d tiers: got %+v and %v, want the ID %06d", count, tier, err, next)
			}
			next++
		}
		if next != count {
			t.Errorf("got %d of %d tiers", next, count)
		}
	}
	for tier, err := range store.Records[*account.Tier](t.Context(), numbered{count: 9}, account.KindTier, "", "000006") {
		if err != nil || tier.ID != "000007" {
			t.Fatalf("after 000006: got %+v and %v", tier, err)
		}
		break
	}
	read, failed := 0, error(nil)
	for tier, err := range store.Records[*account.Tier](t.Context(), numbered{count: 700, fails: "000100"}, account.KindTier, "", "") {
		if failed = err; tier != nil {
			read++
		}
	}
	if read != 500 || !errors.Is(failed, errRead) {
		t.Errorf("with an error on the second page: got %d tiers and %v", read, failed)
	}
	for range store.Records[*account.Client](t.Context(), numbered{count: 3}, account.KindTier, "", "") {
		t.Error("a tier is no client")
	}
}
