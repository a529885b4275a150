package main

import (
	"context"
	"errors"
	"time"

	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/usage/counting"
)

type eventsArchive struct {
	used
	app.ArchiveAge
}

// Run moves old months of the event log to the archive. A server may run on the stores.
func (c *eventsArchive) Run(ctx context.Context, console console) error {
	return c.using(ctx, func(u *use) error {
		moved, others, err := u.Stores.Archive(ctx, time.Now(), c.ArchiveAfter)
		if err != nil {
			dropped, errDropped := u.Events.Dropped(ctx)
			head, errHead := u.Events.Head(ctx)
			if errDropped != nil || errHead != nil {
				return err
			}
			return counting.Damage(ctx, u.Events, dropped, head, err)
		}
		if others {
			return errors.New("another process is moving events to the archive")
		}
		result := struct {
			Moved int64 `json:"moved"`
		}{moved}
		return console.printf(result, "%d events were moved to the archive\n", moved)
	})
}
