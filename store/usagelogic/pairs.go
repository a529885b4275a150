package usagelogic

import (
	"encoding/binary"
	"errors"
	"slices"
)

// pairs is a set of pairs of a person and a video. The zero value is empty.
type pairs struct {
	// all contains pairs, with the person in the higher half. The first united ones are in order, each once. The others
	// are in any order.
	all    []uint64
	united int
}

func (p *pairs) add(person, video Number) {
	if len(p.all) >= max(minUnited, 2*p.united) {
		p.unite()
	}
	p.all = append(p.all, uint64(person)<<32|uint64(video))
}

// unite returns the pairs in order, each once.
func (p *pairs) unite() []uint64 {
	if p.united < len(p.all) {
		slices.Sort(p.all)
		p.all = slices.Compact(p.all)
		p.united = len(p.all)
	}
	return p.all
}

// take removes a person, and returns the person's videos.
func (p *pairs) take(person Number) (videos []Number) {
	p.all = slices.DeleteFunc(p.unite(), func(pair uint64) bool {
		if Number(pair>>32) != person {
			return false
		}
		videos = append(videos, Number(pair))
		return true
	})
	p.united = len(p.all)
	return videos
}

var errPairs = errors.New("store: a set of pairs is damaged")

// append appends the encoded pairs to buffer: for each person the difference from the person before, the length in
// bytes of the videos, and the differences between the videos, all as varints.
func (p *pairs) append(buffer []byte) []byte {
	var videos []byte
	last := Number(0)
	for all := p.unite(); len(all) > 0; {
		person, before := Number(all[0]>>32), Number(0)
		videos = videos[:0]
		for ; len(all) > 0 && Number(all[0]>>32) == person; all = all[1:] {
			video := Number(all[0])
			videos = binary.AppendUvarint(videos, uint64(video-before))
			before = video
		}
		buffer = binary.AppendUvarint(buffer, uint64(person-last))
		buffer = binary.AppendUvarint(buffer, uint64(len(videos)))
		buffer = append(buffer, videos...)
		last = person
	}
	return buffer
}

// readPairs calls each with the videos of every person that wanted accepts.
func readPairs(buffer []byte, wanted func(person Number) bool, each func(person, video Number)) error {
	for person := Number(0); len(buffer) > 0; {
		difference, n := binary.Uvarint(buffer)
		if n <= 0 {
			return errPairs
		}
		length, m := binary.Uvarint(buffer[n:])
		if m <= 0 || length > uint64(len(buffer)-n-m) {
			return errPairs
		}
		person += Number(difference)
		videos := buffer[n+m : n+m+int(length)]
		buffer = buffer[n+m+int(length):]
		if !wanted(person) {
			continue
		}
		for video := Number(0); len(videos) > 0; {
			difference, n := binary.Uvarint(videos)
			if n <= 0 {
				return errPairs
			}
			video += Number(difference)
			each(person, video)
			videos = videos[n:]
		}
	}
	return nil
}
