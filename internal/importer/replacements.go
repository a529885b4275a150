package importer

import (
	"context"
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// replacements maps retired videos to their replacements; "" is none.
type replacements map[catalogue.ID]catalogue.ID

// refuseCircles removes from a wave the lines that would retire videos in a circle, which would lead clients nowhere.
// Each line is checked against the stored videos and the lines before it. Its replacement may be imported later.
func (b *batch) refuseCircles(ctx context.Context, tx store.Tx, wave []change) ([]change, error) {
	of, err := readReplacements(ctx, tx, wave)
	if err != nil || of == nil {
		return wave, err
	}
	return slices.DeleteFunc(wave, func(change change) bool {
		video, ok := change.next.(*catalogue.Video)
		if !ok {
			return false
		}
		if retires(change) && of.leads(replacementOf(video), video.ID) {
			problem := fmt.Sprintf("the video %q leads to this one", replacementOf(video))
			b.refuse(change.batchItem, change.place, fault.FieldErrors{{Field: "retiredInto", Problem: problem}})
			return true
		}
		of[video.ID] = replacementOf(video)
		return false
	}), nil
}

// leads reports whether one video is the other, or is retired into it over any number of steps.
func (of replacements) leads(from, to catalogue.ID) bool {
	met := map[catalogue.ID]bool{}
	for id := from; id != "" && !met[id]; id = of[id] {
		if id == to {
			return true
		}
		met[id] = true
	}
	return false
}

// readReplacements reads the replacements that follow from the videos that a wave retires; nil if it retires none into
// another.
func readReplacements(ctx context.Context, tx store.Tx, wave []change) (replacements, error) {
	var next []catalogue.ID
	for _, change := range wave {
		if retires(change) {
			next = append(next, replacementOf(change.next.(*catalogue.Video)))
		}
	}
	if next == nil {
		return nil, nil
	}
	for _, change := range wave { // their replacements may be retired as well
		if video, ok := change.item.(*catalogue.Video); ok {
			next = append(next, video.ID)
		}
	}
	of := replacements{}
	for len(next) > 0 {
		found, err := tx.Items(ctx, catalogue.KindVideo, next)
		if err != nil {
			return nil, err
		}
		next = nil
		for id, item := range found {
			of[id] = replacementOf(item.(*catalogue.Video))
		}
		for id := range found {
			if _, known := of[of[id]]; !known && of[id] != "" {
				next = append(next, of[id])
			}
		}
	}
	return of, nil
}

// replacedLine is a line that retires a video into another, without its text.
type replacedLine struct {
	entry
	into catalogue.ID
}

// noteReplacement remembers the replacement of an imported line for checkReplacements.
func (r *run) noteReplacement(e entry) {
	if into := e.record.Replacement(); into != "" {
		r.replaced = append(r.replaced, replacedLine{entry{position: e.position, record: e.record.Head()}, into})
	}
}

// checkReplacements reports the lines whose replacement does not exist, unless the video has another one by now. Only the
// end of the run shows it, because replacements may be imported later.
func (r *run) checkReplacements(ctx context.Context, write func(context.Context, func(context.Context, store.Tx) error) error) error {
	for some := range slices.Chunk(r.replaced, DefaultBatchSize) {
		var ids []catalogue.ID
		for _, line := range some {
			ids = append(ids, line.record.ID, line.into)
		}
		var videos map[catalogue.ID]catalogue.Item
		err := write(ctx, func(ctx context.Context, tx store.Tx) (err error) {
			videos, err = tx.Items(ctx, catalogue.KindVideo, once(ids))
			return err
		})
		if err != nil {
			return err
		}
		for _, line := range some {
			video, ok := videos[line.record.ID].(*catalogue.Video)
			if !ok || replacementOf(video) != line.into || videos[line.into] != nil {
				continue
			}
			r.missingReplacements++
			problem := fmt.Sprintf("there is no video %q, so requests for this one are not redirected", line.into)
			r.Report(Fault{
				File: line.file, Line: line.line, Output: line.output, Kind: catalogue.KindVideo, ID: video.ID,
				Field: "retiredInto", Problem: line.record.AsWritten(problem), Warning: true,
			})
		}
	}
	return nil
}

// retires reports whether a line changes a video's replacement.
func retires(c change) bool {
	video, ok := c.next.(*catalogue.Video)
	if !ok || video.RetiredInto == nil {
		return false
	}
	stored, _ := c.item.(*catalogue.Video)
	return stored == nil || replacementOf(stored) != *video.RetiredInto
}

// replacementOf returns a video's replacement, or "".
func replacementOf(video *catalogue.Video) catalogue.ID {
	if video.RetiredInto == nil {
		return ""
	}
	return *video.RetiredInto
}
