package export

import (
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/parquetseconds"
)

// A row group ends at either of these numbers of rows and bytes of text, which limits the memory of the writer.
const (
	groupRows  = 100_000
	groupBytes = 32 << 20
)

// table writes events as a Parquet file, one row per event.
type table struct {
	parquet *parquet.GenericWriter[row]
	rows    []row
	// groupRows and groupBytes count the rows and the bytes of text of the current row group.
	groupRows, groupBytes int
}

// row is the row of an event. Missing values are null. Seconds are decimals, as rowSchema declares.
type row struct {
	Position     int64     `parquet:"position,delta"`
	ID           [16]byte  `parquet:"id,uuid"`
	Kind         string    `parquet:"kind,dict"`
	CaptureTime  int64     `parquet:"captureTime,timestamp(millisecond),delta"`
	ReceivedAt   int64     `parquet:"receivedAt,timestamp(millisecond),delta"`
	AccountID    *string   `parquet:"accountId,optional,dict"`
	ClientID     *string   `parquet:"clientId,optional,dict"`
	UserID       *string   `parquet:"userId,optional,dict"`
	TokenUserID  *string   `parquet:"tokenUserId,optional,dict"`
	VideoID      *string   `parquet:"videoId,optional,dict"`
	Start        *int64    `parquet:"segmentStartSeconds,optional"`
	End          *int64    `parquet:"segmentEndSeconds,optional"`
	Counted      *int64    `parquet:"countedSeconds,optional"`
	Subtype      *string   `parquet:"subtype,optional,dict"`
	Type         *string   `parquet:"type,optional,dict"`
	CurrentTime  *int64    `parquet:"currentTime,optional"`
	Payload      []byte    `parquet:"payload,optional,json"`
	URL          *string   `parquet:"url,optional"`
	Viewport     *viewport `parquet:"viewport,optional"`
	IsResize     *bool     `parquet:"isResize,optional"`
	SearchQuery  *string   `parquet:"searchQuery,optional"`
	Impressions  []string  `parquet:"impressions,optional,list"`
	ComponentID  *string   `parquet:"componentId,optional,dict"`
	CompletionID *string   `parquet:"completionId,optional"`
	SearchURL    *string   `parquet:"searchUrl,optional"`
	CollectionID *string   `parquet:"collectionId,optional,dict"`
	TraceID      *string   `parquet:"traceId,optional"`
	Referer      *string   `parquet:"referer,optional,dict"`
	Address      *string   `parquet:"address,optional,dict"`
	Sandbox      bool      `parquet:"sandbox"`
	Hidden       *bool     `parquet:"hidden,optional"`
	Reversed     *bool     `parquet:"reversed,optional"`
	Continues    *bool     `parquet:"continues,optional"`
	Metadata     []byte    `parquet:"metadata,optional,json"`
}

// rowSchema is the schema of rows.
var rowSchema = parquetseconds.SchemaOf("event", row{}, "segmentStartSeconds", "segmentEndSeconds", "countedSeconds", "currentTime")

func newTable(w io.Writer) *table {
	options := []parquet.WriterOption{rowSchema, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("filmstrip", "1", "")}
	for _, column := range unbounded {
		options = append(options, parquet.SkipPageBounds(strings.Split(column, ".")...))
	}
	return &table{parquet: parquet.NewGenericWriter[row](w, options...)}
}

// unbounded are the columns of long texts. The file omits their minimum and maximum values: queries do not filter by
// them, and the writer would keep the values of every page in memory until the end of the file.
var unbounded = []string{"payload", "url", "searchQuery", "impressions.list.element", "searchUrl", "referer", "metadata"}

// Write implements Events.
func (t *table) Write(events []event.Event) (int, error) {
	for i := range events {
		r, err := t.rowOf(&events[i])
		if err != nil {
			return 0, err
		}
		t.rows = append(t.rows, r)
		t.groupBytes += len(r.Payload) + len(r.Metadata) + len(events[i].Details)
	}
	_, err := t.parquet.Write(t.rows)
	t.groupRows += len(t.rows)
	clear(t.rows) // the rows reference the texts of the events
	t.rows = t.rows[:0]
	if err == nil && (t.groupRows >= groupRows || t.groupBytes >= groupBytes) {
		t.groupRows, t.groupBytes = 0, 0
		err = t.parquet.Flush()
	}
	return len(events), err
}

// Close implements Events.
func (t *table) Close() error { return t.parquet.Close() }

func (t *table) rowOf(e *event.Event) (row, error) {
	d, err := detailsOf(e)
	r := row{
		Position: e.Position, ID: e.ID, Kind: e.Kind.String(), CaptureTime: int64(e.At), ReceivedAt: int64(e.Received),
		AccountID: filled(&e.Account), ClientID: filled(&e.Client), UserID: filled(&e.ExternalUser), TokenUserID: filled(&e.User),
		VideoID: filled(&e.Video), CurrentTime: thousandths(number(d.CurrentTime)), Payload: d.Payload,
		URL: d.URL, Viewport: d.Viewport, IsResize: d.IsResize,
		SearchQuery: d.SearchQuery, Impressions: d.Impressions, ComponentID: d.ComponentID, CompletionID: d.CompletionID, SearchURL: d.SearchURL,
		CollectionID: d.CollectionID,
		TraceID:      filled(&e.Trace), Referer: filled(&e.Referer), Address: filled(&e.Address), Sandbox: e.Sandbox, Metadata: e.Metadata,
	}
	if e.Kind == event.VideoInteraction {
		r.Type = filled(&e.Subtype)
	} else {
		r.Subtype = filled(&e.Subtype)
	}
	if e.Video != "" {
		r.Hidden = &e.Hidden
	}
	if e.Kind == event.Playback {
		reversed := e.Reversed()
		r.Start, r.End, r.Counted, r.Reversed, r.Continues = &e.Start, &e.End, &e.Counted, &reversed, &e.Continues
	}
	return r, err
}

// filled returns nil for an empty text.
func filled(text *string) *string {
	if *text == "" {
		return nil
	}
	return text
}
