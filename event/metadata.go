package event

import "strconv"

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

// metadata returns the members that were not taken, useful ones first, or nil.
func (o *object) metadata() []byte {
	left := 0
	for i := range o.members {
		if !o.members[i].taken {
			left++
		}
	}
	if left+o.more == 0 {
		return nil
	}
	kept := details{json: make([]byte, 0, 128)}
	members, dropped := 0, o.more
	for _, first := range []bool{true, false} {
		for _, m := range o.members {
			if m.taken || useful(m.name) != first {
				continue
			}
			if members < MaxMetadataMembers && o.keep(&kept, m) {
				members++
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

// keep adds a member if it fits.
func (o *object) keep(to *details, m member) bool {
	if string(m.name) == DroppedMember || len(m.name) > MaxMetadata {
		return false
	}
	if hasControls(m.name) || hasControls(m.value) {
		o.faults.add(shortened(m.name), "holds a control character")
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
