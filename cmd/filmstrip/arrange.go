package main

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

const (
	// arrangeEvery is how soon the index that processes share is arranged for a package that has changed.
	arrangeEvery = 250 * time.Millisecond
	// arrangePause comes after a fault.
	arrangePause = 5 * time.Second
)

// accessesOf are those that callers of a roster ask by: of every account that may call.
func accessesOf(roster *account.Roster) []catalogue.Access {
	var accesses []catalogue.Access
	for _, customer := range roster.Accounts {
		if customer.Status != account.Active {
			continue
		}
		if access, readable := roster.Access(customer); readable {
			accesses = append(accesses, access)
		}
	}
	return accesses
}

// prepareIndex tells the index that processes share what callers may see now, before anything writes it,
// and returns what goes on telling it and, where this process writes the index, arranges it, until its context
// ends.
func (s *service) prepareIndex() (arrange func(context.Context)) {
	index, tokens := s.derived.shared, s.identity.tokens
	told := tokens.Roster()
	index.Prepare(accessesOf(told))
	return func(ctx context.Context) {
		failing := false
		for pause := arrangeEvery; wait(ctx, pause); {
			if roster := tokens.Roster(); roster != told {
				told = roster
				index.Prepare(accessesOf(roster))
			}
			err := s.arrangeIndex(ctx)
			if pause = arrangeEvery; err != nil {
				pause = arrangePause
				if !failing {
					s.logger.WarnContext(ctx, "the search index cannot be arranged for content packages, searches go by their rules", "error", err)
				}
			}
			failing = err != nil
		}
	}
}

// arrangeIndex does what there is to do, as long as it is this process's turn.
func (s *service) arrangeIndex(ctx context.Context) error {
	for more := true; more && ctx.Err() == nil && !s.derived.shared.Arranged(); {
		given, err := s.derived.follower.InTurn(ctx, func(ctx context.Context) (err error) {
			more, err = s.derived.shared.Arrange(ctx)
			return err
		})
		if err != nil || !given {
			return err
		}
	}
	return nil
}

// wait returns after a time, or with false when the context has ended.
func wait(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}
