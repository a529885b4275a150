package turns_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/internal/turns"
)

// TestOneAtATime: others wait while one is at work, not while it is away, and get their turn when it ends; then it
// waits for another one.
func TestOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := turns.New(1)
		ctx, first := line.Take(t.Context())
		var second *turns.Turn
		go func() { _, second = line.Take(t.Context()) }()
		synctest.Wait()
		if second != nil {
			t.Fatal("the second did not wait for the first")
		}
		back := turns.Away(ctx)
		synctest.Wait()
		if second == nil {
			t.Fatal("the second waits for one that is away")
		}
		isBack := false
		go func() { back(); isBack = true }()
		synctest.Wait()
		if isBack {
			t.Fatal("the first came back beside the second")
		}
		second.End()
		second.End() // ends no other's turn
		synctest.Wait()
		if !isBack {
			t.Fatal("the first never came back")
		}
		first.End()
	})
}

// TestNobodyHoldsUpTheLine: a turn lasts for Longest and no longer, and who has given one up waits no longer than
// its context.
func TestNobodyHoldsUpTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line, began := turns.New(1), time.Now()
		for range 3 {
			_, stuck := line.Take(t.Context())
			defer stuck.End()
		}
		if took := time.Since(began); took != 2*turns.Longest {
			t.Errorf("the third stuck one came after %s", took)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		began = time.Now()
		_, hurried := line.Take(ended)
		if took := time.Since(began); took != 0 {
			t.Errorf("who has no time left waited for %s", took)
		}
		hurried.End() // had none
		_, next := line.Take(t.Context())
		if took := time.Since(began); took != turns.Longest {
			t.Errorf("the next came after %s: another's turn was ended", took)
		}
		next.End()
	})
}

// TestWithoutALine: where there is none, everybody is at work at once.
func TestWithoutALine(t *testing.T) {
	var none *turns.Line
	for range 3 {
		ctx, turn := none.Take(t.Context())
		turns.Away(ctx)()
		turn.End()
	}
}
