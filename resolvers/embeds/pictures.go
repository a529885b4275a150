package embeds

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/internal/embed"
)

// Widths of pictures in pixels.
const (
	minWidth = 32
	maxWidth = 1920
)

// Pictures resolves the addresses of pictures.
type Pictures struct{}

// Thumbnail returns the address of a picture: at this service, or at the address in the catalogue, whose variable
// thumbnailWidth it replaces.
func (Pictures) Thumbnail(ctx context.Context, of *model.Playback, width int) (*string, error) {
	if width < minWidth || width > maxWidth {
		return nil, fault.InvalidRequest("width %d is not between %d and %d", width, minWidth, maxWidth)
	}
	link, ok := of.Thumbnail()
	if !ok {
		return nil, nil
	}
	address := strings.ReplaceAll(link.Address, "{thumbnailWidth}", strconv.Itoa(width))
	if link.ID != "" {
		address = fmt.Sprintf("%s/v1/media/%s/width/%d/vid_slices/3/vid_slice/1", embed.BaseOf(ctx), link.ID, width)
	}
	return &address, nil
}
