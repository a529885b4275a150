package usagelogic

import (
	"context"
	"strconv"
	"testing"

	"github.com/filmstrip/filmstrip/usage"
)

// bodies is a Source of one list in parts. It counts the texts requested.
type bodies struct {
	Source
	parts [][]byte
	texts int
}

func (s *bodies) Bodies(_ context.Context, parts []PartKey, each func(int, []byte) error) error {
	for place, part := range parts {
		if err := each(place, s.parts[part.Part]); err != nil {
			return err
		}
	}
	return nil
}

func (s *bodies) Texts(_ context.Context, _ usage.Dimension, numbers []Number, each func(Number, string)) error {
	s.texts += len(numbers)
	for _, number := range numbers {
		each(number, strconv.Itoa(int(number)))
	}
	return nil
}

// TestWeightsAreBounded checks that the number of weights in memory is bounded, however many videos there are, and that
// each list's weight is correct.
func TestWeightsAreBounded(t *testing.T) {
	source := &bodies{}
	want := uint64(0)
	weigh := func(video string) usage.Weight {
		number, _ := strconv.Atoi(video) // "": 0
		return usage.Weight{Play: uint64(number) + 3, Millisecond: 1 << 40}
	}
	for part := range 6 {
		cell := Cell{Key: CellKey{Dimension: Listed}}
		for video := range maxTexts {
			cell.add(&Play{Video: Number(part/2*maxTexts + video), End: int64(1 + video)})
			want += uint64(part/2*maxTexts+video) + 3 + 1<<40*uint64(1+video)
		}
		source.parts = append(source.parts, cell.Body())
	}
	s := &scales{source: source, weigh: weigh, most: 2 * maxTexts, known: map[Number]usage.Weight{}}
	got := uint64(0)
	for part := range source.parts {
		weight, err := s.weightOf(t.Context(), PartKey{Part: int64(part)})
		if err != nil {
			t.Fatal(err)
		}
		if got += weight; len(s.known) > 2*maxTexts+1 {
			t.Errorf("%d weights are held", len(s.known))
		}
	}
	if got != want || source.texts >= 6*maxTexts {
		t.Errorf("the lists weigh %d, want %d, by %d texts", got, want, source.texts)
	}
}
