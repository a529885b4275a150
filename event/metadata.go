package event

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The limits of metadata. Members beyond them are dropped and counted, because unknown members must not make a billed event
// fail.
const (
	// MaxMetadata is in bytes, without white space.
	MaxMetadata = 4 << 10
	// MaxMetadataMembers limits the members of the object itself.
	MaxMetadataMembers = 32
	// MaxMetadataDepth limits the nesting of objects and lists, including the metadata itself.
	MaxMetadataDepth = 8
	// DroppedMember is the member of metadata with the number of dropped members.
	DroppedMember = "_dropped"
)

// useful reports whether players are known to send this metadata (docs/events.md); it takes precedence over other members.
func useful(name string) bool {
	switch name {
	case "videoDurationSeconds", "playerId", "searchId", "videoIndex", "query":
		return true
	}
	return false
}

// metadata accepts an object, and returns the members that are kept, useful ones first, or nil.
func (f *faults) metadata(name string, value jsontext.Value) []byte {
	if value == nil {
		return nil
	}
	members, err := membersOf(value)
	if err != nil {
		f.add(name, "%s %v", shortened(value), err)
		return nil
	}
	kept := details{json: make([]byte, 0, 128)}
	n, dropped := 0, 0
	for _, first := range []bool{true, false} {
		for _, m := range members {
			if useful(m.name) != first {
				continue
			}
			if n < MaxMetadataMembers && f.keep(&kept, m) {
				n++
			} else {
				dropped++
			}
		}
	}
	if dropped > 0 {
		kept.raw(DroppedMember, strconv.AppendInt(nil, int64(dropped), 10))
	}
	return kept.close()
}

// member is one member of metadata; its value is a part of the object.
type member struct {
	name  string
	value jsontext.Value
}

var errNoObject = errors.New("is not an object")

func membersOf(object jsontext.Value) (members []member, err error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(object))
	if decoder.PeekKind() != '{' {
		return nil, errNoObject
	}
	_, err = decoder.ReadToken()
	for err == nil && decoder.PeekKind() == '"' {
		var name jsontext.Token
		if name, err = decoder.ReadToken(); err != nil {
			break
		}
		m := member{name: name.String()}
		if m.value, err = decoder.ReadValue(); err == nil {
			end := int(decoder.InputOffset()) // the decoder's own value is valid only until the next read
			m.value = object[end-len(m.value) : end]
			members = append(members, m)
		}
	}
	return members, err
}

// keep adds a member if it fits.
func (f *faults) keep(to *details, m member) bool {
	if m.name == DroppedMember || len(m.name) > MaxMetadata {
		return false
	}
	if strings.ContainsFunc(m.name, prose(0).forbids) || hasControls(m.value) {
		f.add(clip(m.name), "holds a control character")
	}
	before := len(to.json)
	to.name(m.name)
	compact, depth := appendCompact(to.json, m.value)
	if depth+1 > MaxMetadataDepth || len(compact) > MaxMetadata-roomForDropped {
		to.json = compact[:before]
		return false
	}
	to.json = compact
	return true
}

// roomForDropped is reserved for DroppedMember and the closing brace.
const roomForDropped = len(`,"` + DroppedMember + `":2097152}`)
