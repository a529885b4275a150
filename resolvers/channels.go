package resolvers

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

func (q query) Channels(ctx context.Context, filter *graph.ChannelFilter, sortBy graph.ChannelOrder, page, size int) (*graph.ChannelPage, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case size < 1 || size > catalogue.MaxChannelPage:
		return nil, fault.InvalidRequest("size %d is not between 1 and %d", size, catalogue.MaxChannelPage)
	case page < 0:
		return nil, fault.InvalidRequest("page %d is below 0", page)
	}
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	shows, err := q.showsChannel(ctx, caller.Access)
	if err != nil {
		return nil, err
	}
	var channels []*catalogue.Channel
	for _, channel := range directory.Channels {
		if shows(channel) && matchesChannel(channel, filter) {
			channels = append(channels, channel)
		}
	}
	sortChannels(channels, sortBy)
	result := &graph.ChannelPage{Total: len(channels), Channels: []*model.Channel{}}
	if page <= len(channels)/size {
		from := page * size
		for _, channel := range channels[from:min(from+size, len(channels))] {
			result.Channels = append(result.Channels, model.NewChannel(channel, directory))
		}
	}
	return result, nil
}

func (q query) Channel(ctx context.Context, id string) (*model.Channel, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	channel := directory.Channel(catalogue.ID(id))
	if channel == nil {
		return nil, nil
	}
	shows, err := q.showsChannel(ctx, caller.Access)
	if err != nil || !shows(channel) {
		return nil, err
	}
	return model.NewChannel(channel, directory), nil
}

func matchesChannel(channel *catalogue.Channel, filter *graph.ChannelFilter) bool {
	if filter == nil {
		return true
	}
	if filter.Name != nil && catalogue.FoldName(*filter.Name) != catalogue.FoldName(channel.Name) {
		return false
	}
	if filter.IngestTypes != nil && !slices.Contains(filter.IngestTypes, channel.IngestType) {
		return false
	}
	return overlaps(filter.Categories, channel.Categories, strings.HasPrefix) &&
		overlaps(filter.EducationLevels, channel.EducationLevels, func(has, asked string) bool { return has == asked })
}

// overlaps reports whether any value that is there matches any that is asked for; nil asks for
// nothing.
func overlaps(asked, there []string, matches func(has, asked string) bool) bool {
	if asked == nil {
		return true
	}
	for _, has := range there {
		for _, one := range asked {
			if matches(has, one) {
				return true
			}
		}
	}
	return false
}

// sortChannels orders channels that come in the order of their names; equal keys keep that order.
func sortChannels(channels []*catalogue.Channel, by graph.ChannelOrder) {
	key := func(c *catalogue.Channel) string { return strings.Join(c.Categories, ",") }
	switch by {
	case graph.ChannelOrderYoutubeAsc, graph.ChannelOrderYoutubeDesc:
		key = func(c *catalogue.Channel) string {
			if c.IngestType == "YOUTUBE" {
				return "1"
			}
			return "0"
		}
	case graph.ChannelOrderNameAsc:
		return
	case graph.ChannelOrderNameDesc:
		slices.Reverse(channels)
		return
	}
	descending := by == graph.ChannelOrderCategoriesDesc || by == graph.ChannelOrderYoutubeDesc
	slices.SortStableFunc(channels, func(a, b *catalogue.Channel) int {
		order := cmp.Compare(key(a), key(b))
		if descending {
			return -order
		}
		return order
	})
}
