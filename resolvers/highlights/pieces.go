package highlights

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/search/highlight"
)

func newStoredPiece(h *catalogue.Highlight, spoken catalogue.Language) *highlight.Piece {
	return &highlight.Piece{
		ID: h.ID, Video: h.VideoID, Start: h.Start, End: h.End, Title: h.Title, Caption: h.Caption,
		Categories: h.ContentCategories, Language: spoken,
	}
}

func newPassage(p *catalogue.Passage, of *catalogue.Captions) *highlight.Piece {
	return &highlight.Piece{
		ID: catalogue.PassageID(of.VideoID, p.Start, p.End), Video: of.VideoID, Start: p.Start, End: p.End,
		Caption: p.Text(), Language: of.Language,
	}
}

// piecesOf reads the highlights of videos, and the captions of those that have none, in two calls.
func (r *Resolver) piecesOf(ctx context.Context, found []catalogue.State) ([]*highlight.Piece, error) {
	ranks := make(map[catalogue.ID]int, len(found))
	for i := range found {
		ranks[found[i].ID] = i
	}
	ids := values.Map(found, func(s catalogue.State) catalogue.ID { return s.ID })
	stored, err := r.store.OwnedItemsOf(ctx, catalogue.KindHighlight, ids)
	if err != nil {
		return nil, err
	}
	var pieces []*highlight.Piece
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
		p.Rank = ranks[p.Video]
	}
	return pieces, err
}

// storedPiece returns nil if there is no such highlight.
func (r *Resolver) storedPiece(ctx context.Context, id catalogue.ID) (*highlight.Piece, error) {
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
func (r *Resolver) passage(ctx context.Context, id string) (*highlight.Piece, error) {
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

// startWhereSpoken moves the start of each piece to the cue in which the words of the question begin, by the captions of
// its video. A piece without such a cue keeps its start. It reads all captions in one call.
func (r *Resolver) startWhereSpoken(ctx context.Context, asked *highlight.Question, pieces []*highlight.Piece, found []catalogue.State) error {
	spoken := map[catalogue.ID]catalogue.Language{}
	for _, p := range pieces {
		spoken[p.Video] = found[p.Rank].Language
	}
	of, err := r.videos.CaptionsOf(ctx, spoken)
	for _, p := range pieces {
		if captions := of[p.Video]; len(captions) > 0 {
			p.Start = asked.SpokenFrom(captions[0], p)
		}
	}
	return err
}
