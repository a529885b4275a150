package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/export"
)

// cells contains the values of a row that are not null, by column name.
type cells map[string][]parquet.Value

func readTable(t *testing.T, file []byte) (*parquet.File, []cells) {
	t.Helper()
	opened, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	columns := opened.Schema().Columns()
	var read []cells
	for _, group := range opened.RowGroups() {
		rows := group.Rows()
		buffer := make([]parquet.Row, 64)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				found := cells{}
				for _, value := range row.Clone() {
					if name := strings.Join(columns[value.Column()], "."); !value.IsNull() {
						found[name] = append(found[name], value)
					}
				}
				read = append(read, found)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return opened, read
}

func (c cells) has(name string) bool { return len(c[name]) > 0 }

func (c cells) text(name string) string {
	if !c.has(name) {
		return ""
	}
	return string(c[name][0].ByteArray())
}

func (c cells) number(name string) int64 {
	if !c.has(name) {
		return 0
	}
	return c[name][0].Int64()
}

func (c cells) truth(name string) bool { return c.has(name) && c[name][0].Boolean() }

func TestTable(t *testing.T) {
	events := samples()
	file, sum := written(t, export.Parquet, options, one(events))
	if sum.Exported != int64(len(events)) {
		t.Errorf("the sum is %+v", sum)
	}
	opened, rows := readTable(t, file)
	golden(t, "events.parquet.schema", []byte(opened.Schema().String()+"\n"))
	if len(rows) != len(events) {
		t.Fatalf("there are %d rows of %d events", len(rows), len(events))
	}
	for i, e := range events {
		if diff := cmp.Diff(fromRow(rows[i]), e); diff != "" {
			t.Errorf("row %d: %s", i+1, diff)
		}
		if rows[i].has("reversed") != (e.Kind == event.Playback) || rows[i].truth("reversed") != e.Reversed() {
			t.Errorf("row %d is reversed, or is not", i+1)
		}
	}
	without, _ := written(t, export.Parquet, export.Options{}, one(events))
	for _, row := range second(readTable(t, without)) {
		if row.has("address") {
			t.Error("addresses are exported without a request")
		}
	}
}

func second[A, B any](_ A, b B) B { return b }

// fromRow rebuilds the event of a row, to the byte.
func fromRow(c cells) event.Event {
	kind, _ := event.ParseKind(c.text("kind"))
	e := event.Event{
		ID: event.ID([]byte(c.text("id"))), Position: c.number("position"), Kind: kind,
		At: event.Instant(c.number("captureTime")), Received: event.Instant(c.number("receivedAt")),
		Account: c.text("accountId"), Client: c.text("clientId"), User: c.text("tokenUserId"), ExternalUser: c.text("userId"),
		Video: c.text("videoId"), Start: c.number("segmentStartSeconds"), End: c.number("segmentEndSeconds"),
		Counted: c.number("countedSeconds"), Hidden: c.truth("hidden"), Subtype: c.text("subtype") + c.text("type"),
		Trace: c.text("traceId"), Referer: c.text("referer"), Address: c.text("address"), Sandbox: c.truth("sandbox"),
	}
	if c.has("metadata") {
		e.Metadata = []byte(c.text("metadata"))
	}
	var members []string
	add := func(name, value string) { members = append(members, `"`+name+`":`+value) }
	if c.has("currentTime") {
		add("currentTime", string(event.AppendSeconds(nil, c.number("currentTime"))))
		add("payload", c.text("payload"))
	}
	if c.has("url") {
		add("url", `"`+c.text("url")+`"`)
	}
	if c.has("viewport.width") {
		add("viewport", fmt.Sprintf(`{"width":%d,"height":%d}`, c.number("viewport.width"), c.number("viewport.height")))
	}
	if c.has("isResize") {
		add("isResize", strconv.FormatBool(c.truth("isResize")))
	}
	if c.has("collectionId") {
		add("collectionId", `"`+c.text("collectionId")+`"`)
	}
	if c.has("searchQuery") {
		var shown []string
		for _, value := range c["impressions.list.element"] {
			shown = append(shown, `"`+string(value.ByteArray())+`"`)
		}
		add("searchQuery", `"`+c.text("searchQuery")+`"`)
		add("impressions", "["+strings.Join(shown, ",")+"]")
		for _, name := range []string{"componentId", "completionId", "searchUrl"} {
			add(name, `"`+c.text(name)+`"`)
		}
	}
	if members != nil {
		e.Details = []byte("{" + strings.Join(members, ",") + "}")
	}
	return e
}

// TestRowGroupsAreBounded checks that row groups stay bounded for many rows and for long values.
func TestRowGroupsAreBounded(t *testing.T) {
	file, _ := written(t, export.Parquet, options, plays(26, 4000))
	opened, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var rows int64
	for _, group := range opened.RowGroups() {
		if rows += group.NumRows(); group.NumRows() > 100_000 {
			t.Errorf("a group has %d rows", group.NumRows())
		}
	}
	if rows != 104_000 || len(opened.RowGroups()) != 2 {
		t.Errorf("there are %d rows in %d groups", rows, len(opened.RowGroups()))
	}

	long := []byte(`{"note":"` + strings.Repeat("x", 64<<10) + `"}`)
	file, _ = written(t, export.Parquet, options, func(yield func([]event.Event, error) bool) {
		for range 7 {
			events := samples()[:1]
			events[0].Metadata = long
			batch := make([]event.Event, 100)
			for i := range batch {
				batch[i] = events[0]
			}
			if !yield(batch, nil) {
				return
			}
		}
	})
	if opened, err = parquet.OpenFile(bytes.NewReader(file), int64(len(file))); err != nil {
		t.Fatal(err)
	}
	if len(opened.RowGroups()) != 2 {
		t.Errorf("44 MiB are in %d groups", len(opened.RowGroups()))
	}
}
