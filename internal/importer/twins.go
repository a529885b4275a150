package importer

import (
	"context"
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// twins are, of videos, those into which they are retired; "": none.
type twins map[catalogue.ID]catalogue.ID

// refuseCircles takes off a wave the lines that would retire videos in a circle, in which nobody is led to anything.
// Each line is held against what is stored and the lines before it. Its twin may come later.
func (b *batch) refuseCircles(ctx context.Context, tx store.Tx, wave []change) ([]change, error) {
	of, err := readTwins(ctx, tx, wave)
	if err != nil || of == nil {
		return wave, err
	}
	return slices.DeleteFunc(wave, func(change change) bool {
		video, ok := change.next.(*catalogue.Video)
		if !ok {
			return false
		}
		if retires(change) && of.leads(twinOf(video), video.ID) {
			problem := fmt.Sprintf("the video %q leads to this one", twinOf(video))
			b.refuse(change.thing, change.place, fault.FieldErrors{{Field: "retiredInto", Problem: problem}})
			return true
		}
		of[video.ID] = twinOf(video)
		return false
	}), nil
}

// leads reports whether one video is the other, or is retired into it over any number of steps.
func (of twins) leads(from, to catalogue.ID) bool {
	met := map[catalogue.ID]bool{}
	for id := from; id != "" && !met[id]; id = of[id] {
		if id == to {
			return true
		}
		met[id] = true
	}
	return false
}

// readTwins follows the twins of the videos that a wave retires; nil: it retires none into another.
func readTwins(ctx context.Context, tx store.Tx, wave []change) (twins, error) {
	var next []catalogue.ID
	for _, change := range wave {
		if retires(change) {
			next = append(next, twinOf(change.next.(*catalogue.Video)))
		}
	}
	if next == nil {
		return nil, nil
	}
	for _, change := range wave { // those may lead on to each other
		if video, ok := change.item.(*catalogue.Video); ok {
			next = append(next, video.ID)
		}
	}
	of := twins{}
	for len(next) > 0 {
		found, err := tx.Items(ctx, catalogue.KindVideo, next)
		if err != nil {
			return nil, err
		}
		next = nil
		for id, item := range found {
			of[id] = twinOf(item.(*catalogue.Video))
		}
		for id := range found {
			if _, known := of[of[id]]; !known && of[id] != "" {
				next = append(next, of[id])
			}
		}
	}
	return of, nil
}

// retires reports whether a line gives a video another twin than it has.
func retires(c change) bool {
	video, ok := c.next.(*catalogue.Video)
	if !ok || video.RetiredInto == nil {
		return false
	}
	stored, _ := c.item.(*catalogue.Video)
	return stored == nil || twinOf(stored) != *video.RetiredInto
}

// twinOf is "" for a video that has none.
func twinOf(video *catalogue.Video) catalogue.ID {
	if video.RetiredInto == nil {
		return ""
	}
	return *video.RetiredInto
}
