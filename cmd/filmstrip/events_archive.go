package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

type eventsArchive struct {
	used
	ArchiveAfter int `help:"How many months after the month of receipt events move, once their month is sealed." default:"12" placeholder:"MONTHS"`
}

// Run moves old months of the event log to the archive. A server may run on the stores.
func (c *eventsArchive) Run(ctx context.Context, console console) error {
	if c.ArchiveAfter < 1 {
		return fmt.Errorf("--archive-after %d is below 1", c.ArchiveAfter)
	}
	return c.using(ctx, func(u *use) error {
		moved, others, err := u.Stores.Archive(ctx, time.Now(), c.ArchiveAfter)
		if err != nil {
			return err
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
