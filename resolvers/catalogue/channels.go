package catalogue

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

func (r *Resolver) Channels(ctx context.Context, filter *graph.ChannelFilter, sortBy graph.ChannelOrder, page, size int) (*graph.ChannelPage, error) {
	caller, directory, err := r.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case size < 1 || size > catalogue.MaxChannelPage:
		return nil, fault.InvalidRequest("size %d is not between 1 and %d", size, catalogue.MaxChannelPage)
	case page < 0:
		return nil, fault.InvalidRequest("page %d is below 0", page)
	}
	shows, err := r.ShowsChannel(ctx, caller.Access)
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

func (r *Resolver) Channel(ctx context.Context, id string) (*model.Channel, error) {
	caller, directory, err := r.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	channel := directory.Channel(catalogue.ID(id))
	if channel == nil {
		return nil, nil
	}
	shows, err := r.ShowsChannel(ctx, caller.Access)
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
		overlaps(filter.EducationLevels, channel.EducationLevels, func(value, wanted string) bool { return value == wanted })
}

// overlaps reports whether a value of a channel matches a value of a filter; a nil filter matches all.
func overlaps(filter, values []string, matches func(value, wanted string) bool) bool {
	return filter == nil || slices.ContainsFunc(values, func(value string) bool {
		return slices.ContainsFunc(filter, func(wanted string) bool { return matches(value, wanted) })
	})
}

// sortChannels sorts channels, which are in the order of their names. Channels with equal keys keep that order.
func sortChannels(channels []*catalogue.Channel, by graph.ChannelOrder) {
	categories := func(c *catalogue.Channel) string { return strings.Join(c.Categories, ",") }
	youTube := func(c *catalogue.Channel) string { return strconv.FormatBool(c.IngestType == "YOUTUBE") }
	ascending := func(key func(*catalogue.Channel) string) {
		slices.SortStableFunc(channels, func(a, b *catalogue.Channel) int { return cmp.Compare(key(a), key(b)) })
	}
	descending := func(key func(*catalogue.Channel) string) {
		slices.SortStableFunc(channels, func(a, b *catalogue.Channel) int { return cmp.Compare(key(b), key(a)) })
	}
	switch by {
	case graph.ChannelOrderNameDesc:
		slices.Reverse(channels)
	case graph.ChannelOrderCategoriesAsc:
		ascending(categories)
	case graph.ChannelOrderCategoriesDesc:
		descending(categories)
	case graph.ChannelOrderYoutubeAsc:
		ascending(youTube)
	case graph.ChannelOrderYoutubeDesc:
		descending(youTube)
	}
}
