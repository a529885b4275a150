package media

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// ImagesPath is the prefix of the paths of all images. The name of a demo stream or of a title card follows, then
// "/width/{thumbnailWidth}/vid_slices/{n}/vid_slice/{k}" for the first frame of slice k of n, or
// "/width/{thumbnailWidth}/vid_slices/{n}" for the first frames of all slices, side by side. A card is a poster: it has
// only the first form, and shows the same for every slice.
const ImagesPath = "/v1/media/"

// CardPath returns the path of a title card with a width in pixels.
func CardPath(name string, width int) string {
	return fmt.Sprintf("%s%s/width/%d/vid_slices/1/vid_slice/0", ImagesPath, name, width)
}

// The limits of a request.
const (
	minWidth, maxWidth = 16, 1920
	maxFrames          = 50
)

// widths are the widths of drawn frames in pixels, ascending. A request for another width gets the next larger one, or
// the largest: the stills are 320 pixels wide, so larger images would show no more. Because there are few sizes, every
// image is soon in the cache.
var widths = []int{80, 160, 320, 640}

// maxPixels limits an image, all frames together, and so the processor time of drawing it (below 10 ms). If the frames
// of a preview would exceed it, the preview has the widest frames that fit.
const maxPixels = 400_000

const (
	imageCaching    = "public, max-age=604800"
	jpegQuality     = 80
	imageCacheBytes = 32 << 20
	// maxImageWait is how long a request waits for its turn.
	maxImageWait = 5 * time.Second
)

// imageServer draws posters and previews, and caches a bounded number of them.
type imageServer struct {
	// It is an interface because each package that imports a struct with a generic field compiles the field's methods again.
	drawn interface {
		GetIfPresent(request imageRequest) (asset, bool)
		Get(ctx context.Context, request imageRequest, draw otter.Loader[imageRequest, asset]) (asset, error)
	}
	// cards finds the title card with a name.
	cards func(name string) (Card, bool)
	// draw handles requests for images that are not in the cache.
	draw http.Handler
	// turns limits how many images are drawn at a time, because images are public and costly.
	turns chan struct{}
}

// newImageServer returns a server that passes requests for uncached images through Options.LimitDrawing.
func newImageServer(options Options) *imageServer {
	s := &imageServer{
		cards: options.Card,
		drawn: otter.Must(&otter.Options[imageRequest, asset]{
			MaximumWeight: imageCacheBytes,
			Weigher:       func(_ imageRequest, image asset) uint32 { return uint32(len(image.content)) },
		}),
		turns: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
	}
	s.draw = http.HandlerFunc(s.serveDrawn)
	if options.LimitDrawing != nil {
		s.draw = options.LimitDrawing(s.draw)
	}
	if s.cards == nil {
		s.cards = func(string) (Card, bool) { return Card{}, false }
	}
	return s
}

// imageRequest identifies an image by its content, so that requests for the same image share it: a title card, or
// stills first to last of the given number of slices. slices is 0 for a single still, and stream is "" for a card.
type imageRequest struct {
	card        Card
	stream      string
	width       int
	slices      int
	first, last int
}

// serve serves "{name}/width/{w}/vid_slices/{n}" and "…/vid_slice/{k}".
func (s *imageServer) serve(w http.ResponseWriter, r *http.Request, rest string) error {
	request, err := s.parse(rest)
	if err != nil {
		return err
	}
	if image, ok := s.drawn.GetIfPresent(request); ok {
		serveAsset(w, r, image, imageCaching)
		return nil
	}
	s.draw.ServeHTTP(w, r)
	return nil
}

// serveDrawn serves an image that must be drawn first.
func (s *imageServer) serveDrawn(w http.ResponseWriter, r *http.Request) {
	request, err := s.parse(strings.TrimPrefix(r.URL.Path, ImagesPath))
	var image asset
	if err == nil {
		image, err = s.image(r.Context(), request)
	}
	if err != nil {
		httperror.WriteError(w, r, err)
		return
	}
	serveAsset(w, r, image, imageCaching)
}

func (s *imageServer) parse(rest string) (imageRequest, error) {
	parts := strings.Split(rest, "/")
	isPreview := len(parts) == 5
	if (!isPreview && (len(parts) != 7 || parts[5] != "vid_slice")) || parts[1] != "width" || parts[3] != "vid_slices" {
		return imageRequest{}, errNoSuchFile(rest)
	}
	stream, isStream := demoStreams()[parts[0]]
	card, isCard := s.cards(parts[0])
	if !isStream && (!isCard || isPreview) {
		return imageRequest{}, fault.Errorf(fault.NotFound, "there are no images of %q", parts[0])
	}
	width, err := boundedNumber("thumbnailWidth", parts[2], minWidth, maxWidth)
	if err != nil {
		return imageRequest{}, err
	}
	slices, err := boundedNumber("thumbnailCount", parts[4], 1, maxFrames)
	if err != nil {
		return imageRequest{}, err
	}
	request := imageRequest{stream: parts[0], slices: slices, last: slices - 1}
	if !isPreview {
		slice, err := boundedNumber("vid_slice", parts[6], 0, slices-1)
		if err != nil {
			return imageRequest{}, err
		}
		if !isStream {
			return imageRequest{card: card, width: drawnWidth(width)}, nil
		}
		still := stream.stillOf(slice, slices)
		request = imageRequest{stream: parts[0], first: still, last: still}
	}
	request.width = stream.drawnWidth(width, request.frames())
	return request, nil
}

// boundedNumber parses an integer in its canonical spelling.
func boundedNumber(name, text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || n < least || n > most {
		return 0, fault.InvalidRequest("%s %q is not a whole number from %d to %d", name, text, least, most)
	}
	return n, nil
}

// stillOf returns the still at the beginning of a slice.
func (d *demoStream) stillOf(slice, slices int) int { return slice * d.stills / slices }

// drawnWidth returns the smallest of widths that is at least width, or the largest.
func drawnWidth(width int) int {
	at, _ := slices.BinarySearch(widths, width)
	return widths[min(at, len(widths)-1)]
}

// drawnWidth returns drawnWidth(width), but at most the width that the given number of frames side by side may have.
func (d *demoStream) drawnWidth(width, frames int) int {
	at := slices.Index(widths, drawnWidth(width))
	for at > 0 && frames*widths[at]*d.height(widths[at]) > maxPixels {
		at--
	}
	return widths[at]
}

// height returns the height of a frame scaled to a width.
func (d *demoStream) height(width int) int {
	return max(1, (width*d.size.Y+d.size.X/2)/d.size.X)
}

// frames returns the number of frames in the image.
func (r *imageRequest) frames() int { return r.last - r.first + 1 }

// image returns an image, drawn once for all requests that wait for it.
func (s *imageServer) image(ctx context.Context, request imageRequest) (asset, error) {
	wait, cancel := context.WithTimeout(ctx, maxImageWait)
	defer cancel()
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-wait.Done():
		return asset{}, fault.Errorf(fault.Unavailable, "too many images are being rendered: try again")
	}
	// Other requests may wait for this image, so it must not fail if this one is canceled.
	return s.drawn.Get(context.WithoutCancel(ctx), request, otter.LoaderFunc[imageRequest, asset](
		func(_ context.Context, request imageRequest) (asset, error) { return request.draw() }))
}

// draw draws the card, or the frames side by side.
func (r *imageRequest) draw() (asset, error) {
	if r.stream == "" {
		return r.card.draw(r.width)
	}
	stream := demoStreams()[r.stream]
	size := image.Pt(r.width, stream.height(r.width))
	sheet := image.NewYCbCr(image.Rect(0, 0, size.X*r.frames(), size.Y), image.YCbCrSubsampleRatio420)
	drawn, last := -1, (*image.YCbCr)(nil)
	for i := range r.frames() {
		still := r.first + i
		if r.slices > 0 {
			still = stream.stillOf(i, r.slices)
		}
		if still != drawn { // there may be fewer stills than slices
			drawn, last = still, scaled(stream.still(still), size)
		}
		paste(sheet, last, i*size.X)
	}
	var encoded bytes.Buffer
	if err := jpeg.Encode(&encoded, sheet, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return asset{}, err
	}
	return newAsset(encoded.Bytes(), "image/jpeg"), nil
}
