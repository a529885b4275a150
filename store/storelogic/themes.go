package storelogic

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
)

// dropFromThemes removes videos that will be deleted from the themes that name them, and adds each changed theme to the
// changes.
func (t *Transaction) dropFromThemes(ctx context.Context, changes *Changes, videos []catalogue.ID) error {
	if len(videos) == 0 {
		return nil
	}
	naming, err := t.engine.Naming(ctx, videos)
	if err != nil || len(naming) == 0 {
		return err
	}
	stored, err := t.engine.Stored(ctx, Requested{Records: naming})
	if err != nil {
		return err
	}
	gone := make(map[catalogue.ID]bool, len(videos))
	for _, id := range videos {
		gone[id] = true
	}
	now := catalogue.Instant(t.now())
	for _, id := range naming {
		row := stored.Records[Thing{catalogue.KindTheme, id}]
		theme := &catalogue.Theme{Meta: row.Meta}
		if err := Decode(row.Body, theme); err != nil {
			return err
		}
		if !theme.DropVideos(func(id catalogue.ID) bool { return gone[id] }) {
			continue
		}
		body, err := Encode(theme)
		if err != nil {
			return err
		}
		theme.Version, theme.UpdatedAt = t.entry(changes, catalogue.KindTheme, id, false), now
		changes.Records = append(changes.Records, RecordChange{
			Number: row.Number, Kind: catalogue.KindTheme, Meta: &theme.Meta, Owner: row.Owner, Body: body,
		})
	}
	return nil
}
