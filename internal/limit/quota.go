package limit

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Usage keeps the counts of accounts by month. store.Registry implements it and describes the methods.
type Usage interface {
	AddUsage(ctx context.Context, month string, counts map[string]int64) (map[string]int64, error)
	Usage(ctx context.Context, month string) (map[string]int64, error)
}

const (
	flushInterval = time.Second
	flushPatience = 5 * time.Second
	monthLimit    = "month"
)

// month is the first instant of a month in UTC.
type month struct{ time.Time }

func monthOf(at time.Time) month {
	at = at.UTC()
	return month{time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)}
}

func (m month) end() time.Time { return m.AddDate(0, 1, 0) }
func (m month) String() string { return m.Format("2006-01") }

// quotas count requests of accounts by month, in this process and in the store.
type quotas struct {
	usage   Usage // nil: this process counts alone
	clock   func() time.Time
	logger  *slog.Logger
	refused atomic.Int64
	away    bool // reports whether the last call failed

	mu     sync.Mutex
	months map[month]*ledger // the current month, and earlier ones with unsent counts

	ended  chan struct{}
	cancel context.CancelFunc
}

// ledger holds the counts of a month.
type ledger struct {
	accounts map[string]*count
	read     bool // reports whether the earlier counts have been read from the store
}

func startQuotas(usage Usage, clock func() time.Time, logger *slog.Logger) *quotas {
	ctx, cancel := context.WithCancel(context.Background())
	q := &quotas{
		usage: usage, clock: clock, logger: logger,
		months: map[month]*ledger{}, ended: make(chan struct{}), cancel: cancel,
	}
	if usage == nil {
		close(q.ended)
		return q
	}
	go q.run(ctx)
	return q
}

// close writes the remaining counts to the store.
func (q *quotas) close() {
	q.cancel()
	<-q.ended
	if q.usage != nil {
		q.flush(context.Background())
	}
}

func (q *quotas) run(ctx context.Context) {
	defer close(q.ended)
	ticks := time.NewTicker(flushInterval)
	defer ticks.Stop()
	for {
		q.flush(context.WithoutCancel(ctx)) // a call in progress must finish, or its counts would be sent twice
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
	}
}

// take counts a request of an account with a quota, unless the quota is used up.
func (q *quotas) take(account string, at time.Time, quota int64) *rejection {
	now := monthOf(at)
	q.mu.Lock()
	defer q.mu.Unlock()
	used := q.ledger(now).of(account)
	if used.total() >= quota {
		q.refused.Add(1)
		return &rejection{limit: monthLimit, quota: quota, window: now.end().Sub(now.Time), wait: now.end().Sub(at)}
	}
	used.add(1)
	return nil
}

// ledger returns the counts of a month. The caller holds the lock.
func (q *quotas) ledger(of month) *ledger {
	known := q.months[of]
	if known == nil {
		known = &ledger{accounts: map[string]*count{}}
		q.months[of] = known
	}
	return known
}

func (l *ledger) of(account string) *count {
	used := l.accounts[account]
	if used == nil {
		used = &count{}
		l.accounts[account] = used
	}
	return used
}

// flush adds the counts of this process to the store, and receives the totals of all processes.
func (q *quotas) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushPatience)
	defer cancel()
	current := monthOf(q.clock())
	err := q.read(ctx, current)
	for _, one := range q.open(current) {
		if err == nil {
			err = q.add(ctx, one)
		}
	}
	if away := err != nil; away != q.away {
		q.away = away
		if away {
			q.logger.Warn("the counts of quotas wait for the store", "error", err)
		} else {
			q.logger.Info("the store has the counts of quotas")
		}
	}
}

// open lists the months with unsent counts, and forgets past months without any.
func (q *quotas) open(current month) []month {
	q.mu.Lock()
	defer q.mu.Unlock()
	var open []month
	for one, counts := range q.months {
		switch {
		case counts.owes():
			open = append(open, one)
		case one != current:
			delete(q.months, one)
		}
	}
	return open
}

func (l *ledger) owes() bool {
	for _, used := range l.accounts {
		if used.unsent > 0 {
			return true
		}
	}
	return false
}

// read reads, once, the counts of a month from before this process started.
func (q *quotas) read(ctx context.Context, of month) error {
	q.mu.Lock()
	known := q.ledger(of)
	q.mu.Unlock()
	if known.read {
		return nil
	}
	totals, err := q.usage.Usage(ctx, of.String())
	if err != nil {
		return err
	}
	known.read = true
	q.mu.Lock()
	defer q.mu.Unlock()
	for account, total := range totals {
		known.of(account).settle(0, total)
	}
	return nil
}

func (q *quotas) add(ctx context.Context, of month) error {
	q.mu.Lock()
	known, counts := q.ledger(of), map[string]int64{}
	for account, used := range known.accounts {
		if used.unsent > 0 {
			counts[account] = used.claim()
		}
	}
	q.mu.Unlock()
	totals, err := q.usage.AddUsage(ctx, of.String(), counts)
	q.mu.Lock()
	defer q.mu.Unlock()
	for account, n := range counts {
		if err != nil {
			known.accounts[account].inFlight -= n
		} else {
			known.accounts[account].settle(n, totals[account])
		}
	}
	return err
}
