package event

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object that is being read as an event: its members, which the event's kind takes out one
// by one, and what was found wrong with them.
type object struct {
	members []member
	// more counts members behind those that are looked at; the API names none of them.
	more   int
	faults faults

	buffer  bytes.Buffer
	decoder jsontext.Decoder
}

// member is one of an object: its name as it stands between quotes, nothing escaped that need not be, and its
// value as it is written.
type member struct {
	name, value []byte
	taken       bool
}

// maxMembers is how many members are looked at beside those that the API names.
const maxMembers = 64

// objects spares readers: each lives for one event.
var objects = sync.Pool{New: func() any { return new(object) }}

// decodeOne reads a body as one event.
func decodeOne(body Body, read func(*object) Event) (Event, error) {
	if len(body) > MaxBody {
		return Event{}, tooLarge(len(body), MaxBody)
	}
	o := openObject(body)
	defer o.close()
	e := o.event(read)
	if len(o.faults) > 0 {
		return Event{}, o.faults.invalid()
	}
	return e, nil
}

// openObject cuts an object into its members. It is to be closed.
func openObject(text []byte) *object {
	o := objects.Get().(*object) //nolint:forcetypeassert // nothing else is put there
	o.faults = o.cut(text)
	return o
}

// close gives the reader back. Nothing of it may be used any more.
func (o *object) close() {
	clear(o.members)
	o.members, o.more, o.faults, o.buffer = o.members[:0], 0, nil, bytes.Buffer{}
	objects.Put(o)
}

// event reads the members, unless they could not be told apart.
func (o *object) event(read func(*object) Event) Event {
	if len(o.faults) > 0 {
		return Event{}
	}
	e := read(o)
	e.Metadata = o.metadata()
	return e
}

// cut finds the members. It refuses names that stand twice and what is not UTF-8, wherever they are.
func (o *object) cut(text []byte) faults {
	o.buffer = *bytes.NewBuffer(text)
	o.decoder.Reset(&o.buffer)
	if kind := o.decoder.PeekKind(); kind != '{' && kind != 0 {
		return faults{{problem: "must be an object, not " + shortened(bytes.TrimSpace(text))}}
	}
	if err := o.cutMembers(text); err != nil {
		return faults{syntaxFault(err)}
	}
	return nil
}

func (o *object) cutMembers(text []byte) error {
	if _, err := o.decoder.ReadToken(); err != nil {
		return err
	}
	for o.decoder.PeekKind() == '"' {
		name, err := o.value(text)
		if err != nil {
			return err
		}
		value, err := o.value(text)
		if err != nil {
			return err
		}
		o.add(member{name: plain(name), value: value})
	}
	if _, err := o.decoder.ReadToken(); err != nil {
		return err
	}
	return atEnd(&o.decoder)
}

// value reads the next value, as a part of the text that is read.
func (o *object) value(text []byte) ([]byte, error) {
	value, err := o.decoder.ReadValue()
	if err != nil {
		return nil, err
	}
	end := o.decoder.InputOffset()
	return text[end-int64(len(value)) : end], nil
}

func plain(name []byte) []byte {
	if bytes.IndexByte(name, '\\') >= 0 {
		text, _ := jsontext.AppendUnquote(nil, name)
		name, _ = jsontext.AppendQuote(nil, text)
	}
	return name[1 : len(name)-1]
}

func (o *object) add(m member) {
	if len(o.members) >= maxMembers && !named(m.name) {
		o.more++
		return
	}
	o.members = append(o.members, m)
}

// named reports whether the API names a member in any kind of event.
func named(name []byte) bool {
	switch string(name) {
	case "videoId", "segmentStartSeconds", "segmentEndSeconds", "userId", "captureTime",
		"currentTime", "subtype", "payload", "url", "viewport", "isResize",
		"searchQuery", "impressions", "componentId", "completionId", "searchUrl":
		return true
	}
	return useful(name)
}

// useful reports whether it is metadata that players are known to send (docs/events.md): it is kept before
// all other.
func useful(name []byte) bool {
	switch string(name) {
	case "videoDurationSeconds", "playerId", "searchId", "videoIndex", "query":
		return true
	}
	return false
}

// take returns a member's value, nil where there is none or it is null.
func (o *object) take(name string) []byte {
	for i := range o.members {
		m := &o.members[i]
		if string(m.name) != name {
			continue
		}
		m.taken = true
		if m.value[0] == 'n' {
			return nil
		}
		return m.value
	}
	return nil
}

// atEnd wants nothing behind a value but white space.
func atEnd(decoder *jsontext.Decoder) error {
	switch _, err := decoder.ReadToken(); {
	case err == nil:
		return errMore
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}

var errMore = errors.New("there is more than one value")

// isNothing reports whether a body says nothing at all.
func isNothing(body Body) bool {
	text := strings.TrimSpace(string(body[:min(len(body), maxNothing)]))
	return len(body) < maxNothing && (text == "" || text == "null")
}

// maxNothing is how many bytes of white space around nothing are put up with.
const maxNothing = 64
