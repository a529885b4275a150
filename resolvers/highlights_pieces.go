package resolvers

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
)

// piece is a piece of a video: a stored highlight, or a passage of its captions where it has none.
type piece struct {
	id, video  catalogue.ID
	start, end catalogue.Millis
	// title is "" where the video's holds.
	title, caption string
	categories     []catalogue.Subtype
	language       catalogue.Language

	// rank is the place of the video among those that were found.
	rank  int
	score float64
}

func storedPieceOf(h *catalogue.Highlight, spoken catalogue.Language) *piece {
	return &piece{
		id: h.ID, video: h.VideoID, start: h.Start, end: h.End, title: h.Title, caption: h.Caption,
		categories: h.ContentCategories, language: spoken,
	}
}

func passageOf(p *catalogue.Passage, of *catalogue.Captions) *piece {
	return &piece{
		id: catalogue.PassageID(of.VideoID, p.Start, p.End), video: of.VideoID, start: p.Start, end: p.End,
		caption: p.Text(), language: of.Language,
	}
}

// piecesOf reads the highlights of videos, and the captions of those that have none: two reads in all.
func (r *resolver) piecesOf(ctx context.Context, videos []catalogue.State) ([]*piece, error) {
	ids := make([]catalogue.ID, len(videos))
	ranks := make(map[catalogue.ID]int, len(videos))
	for i := range videos {
		ids[i], ranks[videos[i].ID] = videos[i].ID, i
	}
	stored, err := r.catalogue.OwnedItemsOf(ctx, catalogue.KindHighlight, ids)
	if err != nil {
		return nil, err
	}
	var pieces []*piece
	has := map[catalogue.ID]bool{}
	for _, record := range stored {
		highlight := record.(*catalogue.Highlight)
		has[highlight.VideoID] = true
		pieces = append(pieces, storedPieceOf(highlight, videos[ranks[highlight.VideoID]].Language))
	}
	spoken := map[catalogue.ID]catalogue.Language{}
	for i := range videos {
		if !has[videos[i].ID] {
			spoken[videos[i].ID] = videos[i].Language
		}
	}
	of, err := r.captionsOf(ctx, spoken)
	for _, captions := range of {
		passages := captions[0].Passages()
		for i := range passages {
			pieces = append(pieces, passageOf(&passages[i], captions[0]))
		}
	}
	for _, p := range pieces {
		p.rank = ranks[p.video]
	}
	return pieces, err
}

// storedPiece is nil where there is no such highlight.
func (r *resolver) storedPiece(ctx context.Context, id catalogue.ID) (*piece, error) {
	if !id.Valid() {
		return nil, nil
	}
	stored, err := r.catalogue.OwnedItems(ctx, catalogue.KindHighlight, []catalogue.ID{id})
	if err != nil || len(stored) == 0 {
		return nil, err
	}
	return storedPieceOf(stored[0].(*catalogue.Highlight), ""), nil
}

// passage is nil where the ID names none of those that the captions are cut into now, and where the video
// may not be seen.
func (r *resolver) passage(ctx context.Context, id string) (*piece, error) {
	video, start, end, ok := catalogue.ParsePassageID(catalogue.ID(id))
	if !ok {
		return nil, nil
	}
	states, err := r.visibleStates(ctx, []catalogue.ID{video})
	if err != nil || len(states) == 0 {
		return nil, err
	}
	of, err := r.captionsOf(ctx, map[catalogue.ID]catalogue.Language{video: states[0].Language})
	if err != nil || len(of[video]) == 0 {
		return nil, err
	}
	passages := of[video][0].Passages()
	i := slices.IndexFunc(passages, func(p catalogue.Passage) bool { return p.Start == start && p.End == end })
	if i < 0 {
		return nil, nil
	}
	return passageOf(&passages[i], of[video][0]), nil
}
