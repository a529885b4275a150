package event

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object while it is decoded as an event: its members, which the decoder of the kind takes one by one, and
// their faults.
type object struct {
	members []member
	// more counts the members beyond those that are kept; the API defines none of them.
	more   int
	faults faults

	buffer  bytes.Buffer
	decoder jsontext.Decoder
}

// member is one member of an object: its name as written between the quotes, without needless escapes, and its raw value.
type member struct {
	name, value []byte
	taken       bool
}

// maxMembers is the number of members kept in addition to those that the API defines.
const maxMembers = 64

// objects pools readers; each serves one event.
var objects = sync.Pool{New: func() any { return new(object) }}

// decodeOne decodes a body as one event.
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

// openObject splits an object into its members. The caller must close it.
func openObject(text []byte) *object {
	o := objects.Get().(*object) //nolint:forcetypeassert // nothing else is put there
	o.faults = o.cut(text)
	return o
}

// close returns the reader to the pool. The caller must not use it afterwards.
func (o *object) close() {
	clear(o.members)
	o.members, o.more, o.faults, o.buffer = o.members[:0], 0, nil, bytes.Buffer{}
	objects.Put(o)
}

// event decodes the members, unless the text is not a JSON object.
func (o *object) event(read func(*object) Event) Event {
	if len(o.faults) > 0 {
		return Event{}
	}
	e := read(o)
	e.Metadata = o.metadata()
	return e
}

// cut finds the members. It refuses duplicate names and invalid UTF-8 at any depth.
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

// value returns the next value as a slice of the text.
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

// named reports whether the API defines a member for any kind of event.
func named(name []byte) bool {
	switch string(name) {
	case "videoId", "segmentStartSeconds", "segmentEndSeconds", "userId", "captureTime",
		"currentTime", "subtype", "payload", "url", "viewport", "isResize",
		"searchQuery", "impressions", "componentId", "completionId", "searchUrl":
		return true
	}
	return useful(name)
}

// useful reports whether players are known to send this metadata (docs/events.md); it takes precedence over other members.
func useful(name []byte) bool {
	switch string(name) {
	case "videoDurationSeconds", "playerId", "searchId", "videoIndex", "query":
		return true
	}
	return false
}

// take returns a member's value, or nil if it is absent or null.
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

// atEnd checks that only white space follows the value.
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

// isNothing reports whether a body is empty or null.
func isNothing(body Body) bool {
	text := strings.TrimSpace(string(body[:min(len(body), maxNothing)]))
	return len(body) < maxNothing && (text == "" || text == "null")
}

// maxNothing is the number of bytes of white space accepted around null.
const maxNothing = 64
