package resolvers

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// best orders pieces, the best score first, then in the order of their videos and of their starts, and
// keeps as many as are asked for; of two pieces of one video that share more than may be, the better one.
func best(pieces []*piece, size int, maxOverlap *float64) []*piece {
	slices.SortFunc(pieces, func(a, b *piece) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.rank, b.rank), cmp.Compare(a.start, b.start),
			cmp.Compare(a.end, b.end), strings.Compare(string(a.id), string(b.id)))
	})
	kept := make([]*piece, 0, min(size, len(pieces)))
	of := map[catalogue.ID][]*piece{}
	for _, p := range pieces {
		if len(kept) == size {
			break
		}
		if maxOverlap != nil {
			if slices.ContainsFunc(of[p.video], func(better *piece) bool { return overlap(p, better) > *maxOverlap }) {
				continue
			}
			of[p.video] = append(of[p.video], p)
		}
		kept = append(kept, p)
	}
	return kept
}

// overlap is how much two pieces of one video share, as a part of the shorter one.
func overlap(a, b *piece) float64 {
	shared := min(a.end, b.end) - max(a.start, b.start)
	if shared <= 0 {
		return 0
	}
	return shared.Seconds() / min(a.end-a.start, b.end-b.start).Seconds()
}

// startWhereSpoken moves the start of each piece to the cue in which what was asked for begins to be spoken
// of, as its video's captions say; where these say nothing of it within the piece, the start stays. One read.
func (r *resolver) startWhereSpoken(ctx context.Context, asked *question, pieces []*piece, videos []catalogue.State) error {
	spoken := map[catalogue.ID]catalogue.Language{}
	for _, p := range pieces {
		spoken[p.video] = videos[p.rank].Language
	}
	of, err := r.captionsOf(ctx, spoken)
	for _, p := range pieces {
		if captions := of[p.video]; len(captions) > 0 {
			p.start = asked.spokenFrom(captions[0], p)
		}
	}
	return err
}
