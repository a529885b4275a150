package media

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/image/draw"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/processors"
)

// ImagesPath is what the paths of all images begin with. Behind it stand the name of a demo stream
// and, for the frame that begins slice k of n, "/width/{thumbnailWidth}/vid_slices/{n}/vid_slice/{k}",
// for the frames that begin all slices, side by side, "/width/{thumbnailWidth}/vid_slices/{n}".
const ImagesPath = "/v1/media/"

// The bounds of an image. Pixels are those of all its frames.
const (
	minWidth, maxWidth = 16, 1920
	maxFrames          = 50
	maxPixels          = 8 << 20
)

const (
	imageCaching    = "public, max-age=604800"
	jpegQuality     = 80
	imageCacheBytes = 16 << 20
	// maxImageWait is how long a request waits for its turn to render.
	maxImageWait = 5 * time.Second
)

// imageServer renders posters and previews, and keeps a bounded number of them.
type imageServer struct {
	rendered *otter.Cache[imageRequest, asset]
	// turns bounds how many are rendered at a time: images are open to everyone, and costly.
	turns chan struct{}
}

func newImageServer() *imageServer {
	return &imageServer{
		rendered: otter.Must(&otter.Options[imageRequest, asset]{
			MaximumWeight: imageCacheBytes,
			Weigher:       func(_ imageRequest, image asset) uint32 { return uint32(len(image.content)) },
		}),
		turns: make(chan struct{}, max(1, processors.Count()/2)),
	}
}

// imageRequest names an image: the frames that begin slices first to last of so many.
type imageRequest struct {
	stream      string
	width       int
	slices      int
	first, last int
}

// serve answers for "{name}/width/{w}/vid_slices/{n}" and "…/vid_slice/{k}".
func (s *imageServer) serve(w http.ResponseWriter, r *http.Request, rest string) error {
	request, err := parseImageRequest(rest)
	if err != nil {
		return err
	}
	image, err := s.image(r.Context(), request)
	if err != nil {
		return err
	}
	serveAsset(w, r, image, imageCaching)
	return nil
}

func parseImageRequest(rest string) (imageRequest, error) {
	parts := strings.Split(rest, "/")
	isSprite := len(parts) == 5
	if (!isSprite && (len(parts) != 7 || parts[5] != "vid_slice")) || parts[1] != "width" || parts[3] != "vid_slices" {
		return imageRequest{}, errNoSuchFile(rest)
	}
	stream, ok := demoStreams()[parts[0]]
	if !ok {
		return imageRequest{}, catalogue.Errorf(catalogue.NotFound, "there are no images of %q", parts[0])
	}
	width, err := boundedNumber("thumbnailWidth", parts[2], minWidth, maxWidth)
	if err != nil {
		return imageRequest{}, err
	}
	slices, err := boundedNumber("thumbnailCount", parts[4], 1, maxFrames)
	if err != nil {
		return imageRequest{}, err
	}
	request := imageRequest{stream: parts[0], width: width, slices: slices, last: slices - 1}
	if !isSprite {
		if request.first, err = boundedNumber("vid_slice", parts[6], 0, slices-1); err != nil {
			return imageRequest{}, err
		}
		request.last = request.first
	}
	frames := request.last - request.first + 1
	if pixels := frames * width * stream.height(width); pixels > maxPixels {
		return imageRequest{}, catalogue.InvalidRequest(
			"thumbnailCount %d is too many at thumbnailWidth %d: the image would have %d pixels, at most %d are allowed",
			slices, width, pixels, maxPixels)
	}
	return request, nil
}

// boundedNumber reads a whole number in its plain spelling.
func boundedNumber(name, text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || n < least || n > most {
		return 0, catalogue.InvalidRequest("%s %q is not a whole number from %d to %d", name, text, least, most)
	}
	return n, nil
}

// height is that of a frame scaled to a width.
func (d *demoStream) height(width int) int {
	size := d.frames()[0].Bounds()
	return max(1, (width*size.Dy()+size.Dx()/2)/size.Dx())
}

func (s *imageServer) image(ctx context.Context, request imageRequest) (asset, error) {
	if image, ok := s.rendered.GetIfPresent(request); ok {
		return image, nil
	}
	wait, cancel := context.WithTimeout(ctx, maxImageWait)
	defer cancel()
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-wait.Done():
		return asset{}, catalogue.Errorf(catalogue.Unavailable, "too many images are being rendered: try again")
	}
	// Another request may wait for this very image: it must not fail because this one goes away.
	return s.rendered.Get(context.WithoutCancel(ctx), request, otter.LoaderFunc[imageRequest, asset](
		func(_ context.Context, request imageRequest) (asset, error) { return render(request) }))
}

// render draws the frames side by side.
func render(request imageRequest) (asset, error) {
	stream := demoStreams()[request.stream]
	frames := stream.frames()
	width, height := request.width, stream.height(request.width)
	sheet := image.NewRGBA(image.Rect(0, 0, width*(request.last-request.first+1), height))
	drawn := -1
	for slice := request.first; slice <= request.last; slice++ {
		left := width * (slice - request.first)
		place := image.Rect(left, 0, left+width, height)
		frame := slice * len(frames) / request.slices
		if frame == drawn { // there are fewer frames than slices
			draw.Copy(sheet, place.Min, sheet, place.Sub(image.Pt(width, 0)), draw.Src, nil)
			continue
		}
		draw.BiLinear.Scale(sheet, place, frames[frame], frames[frame].Bounds(), draw.Src, nil)
		drawn = frame
	}
	var encoded bytes.Buffer
	if err := jpeg.Encode(&encoded, sheet, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return asset{}, err
	}
	return newAsset(encoded.Bytes(), "image/jpeg"), nil
}
