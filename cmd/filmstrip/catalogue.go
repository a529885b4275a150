package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"
)

type videosCommand struct {
	List videosList `cmd:"" help:"List the available videos, with --json a line for each."`
}

type subjectsCommand struct {
	List subjectsList `cmd:"" help:"List the subjects."`
}

type channelsCommand struct {
	List channelsList `cmd:"" help:"List the channels."`
}

// videosPage is the number of videos in one query. Each such part of the table has columns of its own widths.
const videosPage = 1000

const (
	videoColumns = "id title createdBy releasedOn"
	videoFields  = `id title description createdBy channel { id } type subjects { id name } spokenLanguage { code }
		educationLevels { code } playback { id duration } releasedOn updatedAt availability { availableUntil }`
)

type videosList struct{ administration }

// Run lists the available videos page by page, because there can be millions.
func (c *videosList) Run(ctx context.Context, console console) error {
	fields, headings := videoColumns, strings.Fields(videoColumns)
	if console.json {
		fields = videoFields
	}
	operation := `query($first: Int!, $after: String) {
		videoFeed(first: $first, after: $after) { nodes { ` + fields + ` } pageInfo { hasNextPage endCursor } } }`
	return c.onCatalogue(ctx, func(ask asker) error {
		return eachPage(ctx, ask, operation, input{"first": videosPage}, "after", func(videos []json.RawMessage) error {
			if console.json {
				return printEach(console.out, videos)
			}
			defer func() { headings = nil }()
			return printTable(console.out, headings, videos)
		})
	})
}

type subjectsList struct{ administration }

// Run lists the subjects by name, including those without videos.
func (c *subjectsList) Run(ctx context.Context, console console) error {
	const columns = "id name"
	answer, err := c.askCatalogue(ctx, `query { subjects(visibility: ALL) { `+columns+` } }`, nil)
	if err != nil {
		return err
	}
	return printRows(console, answer, columns)
}

// channelsPage is the number of channels in one query.
const channelsPage = 10_000

type channelsList struct{ administration }

// Run lists the channels by name.
func (c *channelsList) Run(ctx context.Context, console console) error {
	const columns = "id name private"
	channels := []json.RawMessage{}
	err := c.onCatalogue(ctx, func(ask asker) error {
		for page := 0; ; page++ {
			answer, err := ask(ctx, `query($page: Int!, $size: Int!) { channels(page: $page, size: $size) { channels { `+columns+` } } }`,
				input{"page": page, "size": channelsPage})
			if err != nil {
				return err
			}
			var list struct{ Channels []json.RawMessage }
			if err := json.Unmarshal(answer, &list); err != nil {
				return err
			}
			if channels = append(channels, list.Channels...); len(list.Channels) < channelsPage {
				return nil
			}
		}
	})
	if err != nil {
		return err
	}
	return console.print(channels, func(w io.Writer) error { return printTable(w, strings.Fields(columns), channels) })
}
