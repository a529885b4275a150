package export

import (
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/event"
)

// lines writes events as JSON lines, one object per event. It uses the names of the API and omits members without a
// value.
type lines struct {
	w      io.Writer
	buffer []byte
}

// flushed is the number of bytes at which a buffer is written.
const flushed = 1 << 16

// Write implements Events.
func (l *lines) Write(events []event.Event) (int, error) {
	written := 0
	for i := range events {
		var err error
		if l.buffer, err = appendLine(l.buffer, &events[i]); err != nil {
			return written, err
		}
		if written++; len(l.buffer) >= flushed || i == len(events)-1 {
			if _, err := l.w.Write(l.buffer); err != nil {
				return written, err
			}
			l.buffer = l.buffer[:0]
		}
	}
	return written, nil
}

// Close implements Events.
func (l *lines) Close() error { return nil }

// appendLine appends the object of an event and a line feed.
func appendLine(b []byte, e *event.Event) ([]byte, error) {
	o := object{b: append(b, '{')}
	o.number("position", e.Position)
	o.text("id", e.ID.String())
	o.text("kind", e.Kind.String())
	o.text("captureTime", e.At.String())
	o.text("receivedAt", e.Received.String())
	o.text("accountId", e.Account)
	o.text("clientId", e.Client)
	o.text("userId", e.ExternalUser)
	o.text("tokenUserId", e.User)
	o.text("videoId", e.Video)
	if e.Kind == event.Playback {
		o.seconds("segmentStartSeconds", e.Start)
		o.seconds("segmentEndSeconds", e.End)
		o.seconds("countedSeconds", e.Counted)
	}
	o.text(subtypeField(e.Kind), e.Subtype)
	o.members(e.Details)
	o.text("traceId", e.Trace)
	o.text("referer", e.Referer)
	o.text("address", e.Address)
	o.truth("sandbox", e.Sandbox)
	if e.Video != "" {
		o.truth("hidden", e.Hidden)
	}
	if e.Kind == event.Playback {
		o.truth("reversed", e.Reversed())
		o.truth("continues", e.Continues)
	}
	o.value("metadata", e.Metadata)
	if o.err != nil {
		return b, fmt.Errorf("the event at position %d: %w", e.Position, o.err)
	}
	return append(o.b, '}', '\n'), nil
}

// subtypeField returns the name of the subtype of an event in the API.
func subtypeField(kind event.Kind) string {
	if kind == event.VideoInteraction {
		return "type"
	}
	return "subtype"
}

// object is a JSON object under construction. Its methods text, value and members omit empty values.
type object struct {
	b   []byte
	err error
}

func (o *object) name(name string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(o.b, '"')
	o.b = append(o.b, name...)
	o.b = append(o.b, '"', ':')
}

func (o *object) number(name string, n int64) {
	o.name(name)
	o.b = strconv.AppendInt(o.b, n, 10)
}

func (o *object) seconds(name string, milliseconds int64) {
	o.name(name)
	o.b = event.AppendSeconds(o.b, milliseconds)
}

func (o *object) truth(name string, truth bool) {
	o.name(name)
	o.b = strconv.AppendBool(o.b, truth)
}

func (o *object) text(name, text string) {
	if text == "" {
		return
	}
	o.name(name)
	b, err := jsontext.AppendQuote(o.b, text)
	if o.b = b; err != nil {
		o.err = err
	}
}

func (o *object) value(name string, value []byte) {
	if len(value) == 0 {
		return
	}
	o.name(name)
	o.b = append(o.b, value...)
}

// members adds the members of another object, which must be compact.
func (o *object) members(of []byte) {
	if len(of) <= len("{}") {
		return
	}
	o.b = append(o.b, ',')
	o.b = append(o.b, of[1:len(of)-1]...)
}
