package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

var (
	_ store.Sizer = (*Catalogue)(nil)
	_ store.Sizer = (*Events)(nil)
	_ store.Sizer = (*Usage)(nil)
)

// selectNumbered returns the tables whose rows have numbers.
var selectNumbered = define(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND wr = 0 AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name <> 'goose_db_version'`)

// Size implements store.Sizer. The rows of a table are estimated from their lowest and highest numbers; tables whose rows
// have no numbers are left out.
func (d *database) Size(ctx context.Context) (size store.Size, err error) {
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(d.path + suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return store.Size{}, err
		}
		if err == nil {
			size.Bytes += info.Size()
		}
	}
	err = d.read(ctx, func(s *session) error {
		var spans []string
		if err := s.Query(ctx, selectNumbered, func(row sqlstore.Row) error {
			var name string
			err := row.Scan(&name)
			spans = append(spans, fmt.Sprintf(`SELECT '%[1]s', (SELECT max(rowid) FROM %[1]s) - (SELECT min(rowid) FROM %[1]s) + 1`, name))
			return err
		}); err != nil {
			return err
		}
		rows, err := s.conn.QueryContext(ctx, strings.Join(spans, " UNION ALL "))
		if err != nil {
			return storeError(err)
		}
		defer rows.Close()
		for rows.Next() {
			var (
				name  string
				count sql.NullInt64
			)
			if err := rows.Scan(&name, &count); err != nil {
				return err
			}
			if count.Int64 > 1 {
				size.Tables = append(size.Tables, store.TableSize{Name: name, Rows: &count.Int64})
			}
		}
		return storeError(rows.Err())
	})
	slices.SortFunc(size.Tables, func(a, b store.TableSize) int {
		return cmp.Or(cmp.Compare(*b.Rows, *a.Rows), cmp.Compare(a.Name, b.Name))
	})
	size.Tables = size.Tables[:min(len(size.Tables), store.MaxTables)]
	return size, err
}
