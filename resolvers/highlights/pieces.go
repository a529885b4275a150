package highlights

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

// piece is a part of a video: a stored highlight, or a passage of its captions if it has no highlights.
type piece struct {
	id, video  catalogue.ID
	start, end catalogue.Millis
	// title is "" if the piece has the title of the video.
	title, caption string
	categories     []catalogue.Subtype
	language       catalogue.Language

	// rank is the place of the video in the list of those that were found.
	rank  int
	score float64
}

func newStoredPiece(h *catalogue.Highlight, spoken catalogue.Language) *piece {
	return &piece{
		id: h.ID, video: h.VideoID, start: h.Start, end: h.End, title: h.Title, caption: h.Caption,
		categories: h.ContentCategories, language: spoken,
	}
}

func newPassage(p *catalogue.Passage, of *catalogue.Captions) *piece {
	return &piece{
		id: catalogue.PassageID(of.VideoID, p.Start, p.End), video: of.VideoID, start: p.Start, end: p.End,
		caption: p.Text(), language: of.Language,
	}
}

// piecesOf reads the highlights of videos, and the captions of those that have none, in two calls.
func (r *Resolver) piecesOf(ctx context.Context, found []catalogue.State) ([]*piece, error) {
	ranks := make(map[catalogue.ID]int, len(found))
	for i := range found {
		ranks[found[i].ID] = i
	}
	ids := values.Map(found, func(s catalogue.State) catalogue.ID { return s.ID })
	stored, err := r.store.OwnedItemsOf(ctx, catalogue.KindHighlight, ids)
	if err != nil {
		return nil, err
	}
	var pieces []*piece
	hasHighlights := map[catalogue.ID]bool{}
	for _, record := range stored {
		highlight := record.(*catalogue.Highlight)
		hasHighlights[highlight.VideoID] = true
		pieces = append(pieces, newStoredPiece(highlight, found[ranks[highlight.VideoID]].Language))
	}
	spoken := map[catalogue.ID]catalogue.Language{}
	for i := range found {
		if !hasHighlights[found[i].ID] {
			spoken[found[i].ID] = found[i].Language
		}
	}
	of, err := r.videos.CaptionsOf(ctx, spoken)
	for _, captions := range of {
		passages := captions[0].Passages()
		for i := range passages {
			pieces = append(pieces, newPassage(&passages[i], captions[0]))
		}
	}
	for _, p := range pieces {
		p.rank = ranks[p.video]
	}
	return pieces, err
}

// storedPiece returns nil if there is no such highlight.
func (r *Resolver) storedPiece(ctx context.Context, id catalogue.ID) (*piece, error) {
	if !id.Valid() {
		return nil, nil
	}
	stored, err := r.store.OwnedItems(ctx, catalogue.KindHighlight, []catalogue.ID{id})
	if err != nil || len(stored) == 0 {
		return nil, err
	}
	return newStoredPiece(stored[0].(*catalogue.Highlight), ""), nil
}

// passage returns nil if the captions currently have no passage with this ID, or the caller does not see the video.
func (r *Resolver) passage(ctx context.Context, id string) (*piece, error) {
	video, start, end, ok := catalogue.ParsePassageID(catalogue.ID(id))
	if !ok {
		return nil, nil
	}
	states, err := r.videos.VisibleStates(ctx, []catalogue.ID{video})
	if err != nil || len(states) == 0 {
		return nil, err
	}
	of, err := r.videos.CaptionsOf(ctx, map[catalogue.ID]catalogue.Language{video: states[0].Language})
	if err != nil || len(of[video]) == 0 {
		return nil, err
	}
	passages := of[video][0].Passages()
	i := slices.IndexFunc(passages, func(p catalogue.Passage) bool { return p.Start == start && p.End == end })
	if i < 0 {
		return nil, nil
	}
	return newPassage(&passages[i], of[video][0]), nil
}

// best returns the best pieces by score, then in the order of their videos and starts. Of two pieces of one video that
// overlap by more than maxOverlap, it returns the better one.
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

// overlap returns the common part of two pieces of one video, divided by the length of the shorter one.
func overlap(a, b *piece) float64 {
	shared := min(a.end, b.end) - max(a.start, b.start)
	if shared <= 0 {
		return 0
	}
	return shared.Seconds() / min(a.end-a.start, b.end-b.start).Seconds()
}

// startWhereSpoken moves the start of each piece to the cue in which the words of the question begin, by the captions of
// its video. A piece without such a cue keeps its start. It reads all captions in one call.
func (r *Resolver) startWhereSpoken(ctx context.Context, asked *question, pieces []*piece, found []catalogue.State) error {
	spoken := map[catalogue.ID]catalogue.Language{}
	for _, p := range pieces {
		spoken[p.video] = found[p.rank].Language
	}
	of, err := r.videos.CaptionsOf(ctx, spoken)
	for _, p := range pieces {
		if captions := of[p.video]; len(captions) > 0 {
			p.start = asked.spokenFrom(captions[0], p)
		}
	}
	return err
}
