package sqlite

import (
	"context"
	"database/sql"
)

var (
	addUsage = define(`
		INSERT INTO usage (month, account, count) VALUES (?, ?, ?)
		ON CONFLICT (month, account) DO UPDATE SET count = count + excluded.count RETURNING count`)
	selectUsage = define(`SELECT account, count FROM usage WHERE month = ?`)
)

// AddUsage implements store.Registry.
func (a *Accounts) AddUsage(ctx context.Context, month string, counts map[string]int64) (map[string]int64, error) {
	sums := make(map[string]int64, len(counts))
	if len(counts) == 0 {
		return sums, nil
	}
	err := a.write(ctx, func(s *session) error {
		for account, count := range counts {
			sum, err := s.number(ctx, addUsage, month, account, count)
			if err != nil {
				return err
			}
			sums[account] = sum
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sums, nil
}

// Usage implements store.Registry.
func (a *Accounts) Usage(ctx context.Context, month string) (map[string]int64, error) {
	counts := map[string]int64{}
	err := a.read(ctx, func(s *session) error {
		return s.query(ctx, selectUsage, func(rows *sql.Rows) error {
			var (
				account string
				count   int64
			)
			err := rows.Scan(&account, &count)
			counts[account] = count
			return err
		}, month)
	})
	if err != nil {
		return nil, err
	}
	return counts, nil
}
