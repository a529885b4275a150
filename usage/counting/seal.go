package counting

import (
	"context"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// Seal closes a month for all accounts, after it has counted everything in the log, and returns the month's statements in the order
// of accounts. The error is of code Invalid before the month is due (usage.Month.Due), unless forced, and if the month has not
// begun; of code Conflict if the month does not follow the last seal, unless forced, and if that month or a later one is sealed or
// while a wall clock is not trusted (store.ClockRecord.Hold), forced or not.
func (c *Counter) Seal(ctx context.Context, month usage.Month, force bool) ([]usage.Statement, error) {
	now := c.Now()
	switch due := month.Due(); {
	case now.Before(month.Start().Time()):
		return nil, fault.InvalidRequest("%s has not begun", month)
	case !force && now.Before(due):
		return nil, fault.InvalidRequest("%s can be sealed from %s, unless it is forced", month, due.Format(time.RFC3339))
	}
	if err := c.refuseWrongClock(ctx, month); err != nil {
		return nil, err
	}
	if err := c.refuseOutOfOrder(ctx, month, force); err != nil {
		return nil, err
	}
	if err := c.CatchUp(ctx); err != nil {
		return nil, err
	}
	seal := usage.Seal{Month: month, At: now.UTC().Truncate(time.Millisecond)}
	var statements []usage.Statement
	err := c.settled(ctx, func() (err error) {
		statements, err = c.Usage.Seal(ctx, seal, func(progress usage.Progress, ledger []usage.Sum, last map[string]usage.Statement) ([]usage.Statement, error) {
			seal := seal
			seal.Position = progress.Position
			return usage.Compose(seal, ledger, last)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := c.AttachSealDigests(ctx, statements); err != nil { // the month is sealed nevertheless
		c.Logger.WarnContext(ctx, "the digest of a seal could not be read", "month", month.String(), "error", err)
	}
	return statements, nil
}

// refuseWrongClock refuses to seal while a wall clock is not trusted: by a clock that is ahead, a month ends early.
func (c *Counter) refuseWrongClock(ctx context.Context, month usage.Month) error {
	record, err := c.Log.ClockRecord(ctx)
	if err != nil {
		return err
	}
	return record.Check(month.String() + " cannot be sealed")
}

// refuseOutOfOrder returns, before anything is counted, the error that Usage.Seal would return at the end. Unless forced, it also
// refuses to skip a month, which nobody could seal afterwards: its fees, minimums and active users would never be charged.
func (c *Counter) refuseOutOfOrder(ctx context.Context, month usage.Month, force bool) error {
	seals, err := c.Usage.Seals(ctx)
	if err != nil {
		return err
	}
	if len(seals) == 0 {
		return nil
	}
	switch last := seals[len(seals)-1].Month; {
	case last == month:
		return fault.Errorf(fault.Conflict, "%s is sealed already", month)
	case !last.Before(month):
		return fault.Errorf(fault.Conflict, "%s is sealed, so %s cannot be sealed any more", last, month)
	case !force && last.Next() != month:
		return fault.Errorf(fault.Conflict, "%s is not sealed, and cannot be sealed after %s: seal it first, or force the seal of %s", last.Next(), month, month)
	}
	return nil
}

// Statement returns the statement of an account for a month: the sealed one, or else a provisional one as of now. The error is of
// code NotFound if a later month was sealed and this one was not: it has no statement of its own. Plays without an account ("") have
// no statement either: the error is of code Invalid.
func (c *Counter) Statement(ctx context.Context, account string, month usage.Month) (usage.Statement, error) {
	if account == "" {
		return usage.Statement{}, fault.InvalidRequest("a statement is of an account")
	}
	for {
		seals, err := c.Usage.Seals(ctx)
		if err != nil {
			return usage.Statement{}, err
		}
		if len(seals) > 0 && !seals[len(seals)-1].Month.Before(month) {
			return c.sealed(ctx, account, month, seals)
		}
		ledger, progress, err := c.Usage.Ledger(ctx, account)
		if err != nil {
			return usage.Statement{}, err
		}
		after, err := c.Usage.Seals(ctx)
		if err != nil {
			return usage.Statement{}, err
		}
		if len(after) == len(seals) { // else the ledger may be that of before or after a seal
			return usage.Provisional(account, month, progress, ledger, seals), nil
		}
	}
}

// sealed returns the statement of a month that is not behind the last seal.
func (c *Counter) sealed(ctx context.Context, account string, month usage.Month, seals []usage.Seal) (usage.Statement, error) {
	place := slices.IndexFunc(seals, func(s usage.Seal) bool { return !s.Month.Before(month) })
	seal := seals[place]
	if seal.Month != month {
		return usage.Statement{}, fault.Errorf(fault.NotFound,
			"%s was not sealed separately: its plays are in the statement for %s", month, seal.Month)
	}
	kept, err := c.Usage.Statements(ctx, account, month)
	switch {
	case err != nil:
		return usage.Statement{}, err
	case len(kept) > 0:
		err := c.AttachSealDigests(ctx, kept)
		return kept[0], err
	}
	at := seal.At.UTC()
	return usage.Statement{Account: account, Month: month, Lines: []usage.Line{}, Position: seal.Position, SealedAt: &at}, nil
}
