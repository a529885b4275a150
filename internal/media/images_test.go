package media_test

import (
	"image"
	"image/jpeg"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/media"
)

func (f *fixture) image(t *testing.T, path string) image.Image {
	t.Helper()
	response := f.get("GET", media.ImagesPath+path)
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "image/jpeg" {
		t.Fatalf("%s is answered %d: %s", path, response.StatusCode, bodyOf(t, response))
	}
	picture, err := jpeg.Decode(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// TestImagesComeInAFewSizes checks that a requested width is rounded up to the next of a few widths, or down to the
// largest, and that a preview has no more pixels than the limit.
func TestImagesComeInAFewSizes(t *testing.T) {
	f := newFixture(t, media.Options{})
	for _, c := range []struct {
		path          string
		width, height int
	}{
		{"pattern/width/320/vid_slices/3/vid_slice/1", 320, 180},
		{"pattern/width/321/vid_slices/3/vid_slice/1", 640, 360},
		{"pattern/width/529/vid_slices/3/vid_slice/1", 640, 360},
		{"fractal/width/16/vid_slices/3/vid_slice/1", 80, 45},
		{"fractal/width/80/vid_slices/3/vid_slice/1", 80, 45},
		{"bars/width/1920/vid_slices/50/vid_slice/49", 640, 360},
		{"bars/width/101/vid_slices/1/vid_slice/0", 160, 90},
		{"pattern/width/160/vid_slices/10", 1600, 90},
		{"pattern/width/161/vid_slices/10", 1600, 90},
		{"pattern/width/161/vid_slices/6", 1920, 180},
		{"pattern/width/529/vid_slices/10", 1600, 90},
		{"pattern/width/529/vid_slices/50", 4000, 45},
		{"pattern/width/1920/vid_slices/50", 4000, 45},
		{"fractal/width/40/vid_slices/50", 4000, 45},
		{"bars/width/200/vid_slices/1", 320, 180},
	} {
		response := f.get("GET", media.ImagesPath+c.path)
		size, err := jpeg.DecodeConfig(response.Body)
		if err != nil || size.Width != c.width || size.Height != c.height {
			t.Errorf("%s is answered %d, of size %dx%d: %v", c.path, response.StatusCode, size.Width, size.Height, err)
		}
	}
}

// TestSpritesHoldTheSlices checks that a sprite contains, side by side, the same pictures as the single slices.
func TestSpritesHoldTheSlices(t *testing.T) {
	f := newFixture(t, media.Options{})
	for _, count := range []string{"3", "10", "20", "50"} {
		sprite := f.image(t, "pattern/width/80/vid_slices/"+count)
		frames := sprite.Bounds().Dx() / 80
		for k := range frames {
			slice := f.image(t, "pattern/width/80/vid_slices/"+count+"/vid_slice/"+strconv.Itoa(k))
			if d := distance(sprite, slice, 80*k); d > 6 {
				t.Errorf("frame %d of %s differs from its slice by %.1f", k, count, d)
			}
		}
		first, last := f.image(t, "pattern/width/80/vid_slices/"+count+"/vid_slice/0"), 80*(frames-1)
		if d := distance(sprite, first, last); d < 6 {
			t.Errorf("the first and the last frame of %s are the same", count)
		}
	}
}

// distance returns the mean difference in brightness between a picture and a part of a wider one.
func distance(sheet, picture image.Image, left int) float64 {
	sum, size := 0.0, picture.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			r1, g1, b1, _ := sheet.At(left+x, y).RGBA()
			r2, g2, b2, _ := picture.At(x, y).RGBA()
			d := (int(r1) + int(g1) + int(b1) - int(r2) - int(g2) - int(b2)) / 3 >> 8
			sum += float64(max(d, -d))
		}
	}
	return sum / float64(size.X*size.Y)
}

func TestImagesOutOfBoundsAreRejectedByName(t *testing.T) {
	f := newFixture(t, media.Options{})
	for _, c := range []struct {
		path   string
		status int
		names  []string
	}{
		{"pattern/width/15/vid_slices/3/vid_slice/1", 400, []string{"thumbnailWidth", `\"15\"`}},
		{"pattern/width/1921/vid_slices/3/vid_slice/1", 400, []string{"thumbnailWidth", `\"1921\"`}},
		{"pattern/width/+320/vid_slices/3/vid_slice/1", 400, []string{"thumbnailWidth", "+320"}},
		{"pattern/width/0320/vid_slices/3", 400, []string{"thumbnailWidth", "0320"}},
		{"pattern/width/%7BthumbnailWidth%7D/vid_slices/3", 400, []string{"{thumbnailWidth}"}},
		{"pattern/width/99999999999999999999/vid_slices/3", 400, []string{"99999999999999999999"}},
		{"pattern/width/320/vid_slices/0", 400, []string{"thumbnailCount", `\"0\"`}},
		{"pattern/width/320/vid_slices/51", 400, []string{"thumbnailCount", `\"51\"`}},
		{"pattern/width/320/vid_slices/", 400, []string{"thumbnailCount"}},
		{"pattern/width/320/vid_slices/3/vid_slice/3", 400, []string{"vid_slice", `\"3\"`}},
		{"pattern/width/320/vid_slices/3/vid_slice/-1", 400, []string{"vid_slice", `\"-1\"`}},
		{"nothing/width/320/vid_slices/3", 404, []string{"nothing"}},
		{"pattern/width/320/vid_slices/3/vid_slice", 404, nil},
		{"pattern/height/320/vid_slices/3", 404, nil},
		{"pattern", 404, nil},
		{"", 404, nil},
	} {
		response := f.get("GET", media.ImagesPath+c.path)
		text := bodyOf(t, response)
		if response.StatusCode != c.status {
			t.Errorf("%s is answered %d: %s", c.path, response.StatusCode, text)
		}
		for _, name := range c.names {
			if !strings.Contains(text, name) {
				t.Errorf("%s: the answer does not name %s: %s", c.path, name, text)
			}
		}
	}
}

// TestImagesAreScaledTruly checks that the larger and smaller sizes show the same pictures as the stills.
func TestImagesAreScaledTruly(t *testing.T) {
	f := newFixture(t, media.Options{})
	still := f.image(t, "fractal/width/320/vid_slices/10/vid_slice/4")
	for width, factor := range map[string]float64{"80": 0.25, "160": 0.5, "640": 2} {
		picture, sum := f.image(t, "fractal/width/"+width+"/vid_slices/10/vid_slice/4"), 0.0
		size := still.Bounds().Size()
		for y := range size.Y {
			for x := range size.X {
				r1, g1, b1, _ := still.At(x, y).RGBA()
				r2, g2, b2, _ := picture.At(int((float64(x)+0.5)*factor), int((float64(y)+0.5)*factor)).RGBA()
				for _, d := range []int{int(r1) - int(r2), int(g1) - int(g2), int(b1) - int(b2)} {
					sum += float64(max(d, -d)) / 3 / 256
				}
			}
		}
		if mean := sum / float64(size.X*size.Y); mean > 12 {
			t.Errorf("at width %s the picture differs from the still by %.1f of 255", width, mean)
		} else {
			t.Logf("width %s: %.1f", width, mean)
		}
	}
}

// TestDrawingIsLimited checks that only requests for images outside the cache pass the limit, and that requests for the
// same picture share one image.
func TestDrawingIsLimited(t *testing.T) {
	var drawn atomic.Int32
	f := newFixture(t, media.Options{LimitDrawing: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if drawn.Add(1) > 3 {
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			next.ServeHTTP(w, r)
		})
	}})
	for _, c := range []struct {
		path   string
		status int
	}{
		{"pattern/width/529/vid_slices/10/vid_slice/3", 200},
		{"pattern/width/530/vid_slices/10/vid_slice/3", 200},
		{"pattern/width/640/vid_slices/20/vid_slice/7", 200}, // the same still
		{"pattern/width/1920/vid_slices/50", 200},
		{"pattern/width/17/vid_slices/50", 200},
		{"pattern/width/17/vid_slices/49", 200},
		{"pattern/width/17/vid_slices/48", 429},
		{"pattern/width/17/vid_slices/51", 400}, // nothing would be drawn
		{"pattern/width/80/vid_slices/50", 200},
	} {
		if response := f.get("GET", media.ImagesPath+c.path); response.StatusCode != c.status {
			t.Errorf("%s is answered %d, want %d", c.path, response.StatusCode, c.status)
		}
	}
	if n := drawn.Load(); n != 4 {
		t.Errorf("%d requests passed the limit, want 4", n)
	}
}

// TestImagesAreBounded checks that no image has more pixels than can be drawn in 10 ms (BenchmarkSprite), because the
// cost of drawing grows with the number of pixels.
func TestImagesAreBounded(t *testing.T) {
	f := newFixture(t, media.Options{})
	for count := 1; count <= 50; count += 7 {
		response := f.get("GET", media.ImagesPath+"bars/width/1920/vid_slices/"+strconv.Itoa(count))
		size, err := jpeg.DecodeConfig(response.Body)
		if err != nil || size.Width*size.Height > 400_000 {
			t.Errorf("%d slices are %dx%d pixels: %v", count, size.Width, size.Height, err)
		}
	}
}

func TestImagesAreCacheable(t *testing.T) {
	f := newFixture(t, media.Options{})
	const path = media.ImagesPath + "pattern/width/80/vid_slices/5"
	first := f.get("GET", path)
	tag := first.Header.Get("ETag")
	if !strings.HasPrefix(first.Header.Get("Cache-Control"), "public, max-age=") || tag == "" {
		t.Errorf("the header is %v", first.Header)
	}
	if again := newFixture(t, media.Options{}).get("GET", path, "If-None-Match", tag); again.StatusCode != 304 {
		t.Errorf("another process answers the tag %d", again.StatusCode)
	}
	if head := f.get("HEAD", path); head.StatusCode != 200 || bodyOf(t, head) != "" {
		t.Errorf("HEAD is answered %d", head.StatusCode)
	}
}

func TestImagesAreRenderedConcurrently(t *testing.T) {
	f := newFixture(t, media.Options{})
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			path := media.ImagesPath + "fractal/width/6" + strconv.Itoa(i%3) + "/vid_slices/10"
			if response := f.get("GET", path); response.StatusCode != 200 {
				t.Errorf("%s is answered %d", path, response.StatusCode)
			}
		})
	}
	all.Wait()
}

// TestGeneratedVideosPlayOurStreams checks that the demo streams that generated videos name exist and have the length
// that the videos state.
func TestGeneratedVideosPlayOurStreams(t *testing.T) {
	f := newFixture(t, media.Options{})
	names := map[string]bool{}
	for item := range generate.Items(generate.Options{Videos: 20}) {
		v, ok := item.(*catalogue.Video)
		if !ok {
			continue
		}
		name, isDemo := strings.CutPrefix(v.Playback.Stream, catalogue.DemoStreamScheme)
		if !isDemo {
			continue
		}
		names[name] = true
		f.playing = v.Playback.Stream
		playlist := bodyOf(t, f.get("GET", siblingOf(f.signer.Sign(video, noon), "180p.m3u8")))
		if seconds := lengthOf(t, playlist); seconds != float64(v.Playback.Duration)/float64(catalogue.Second) {
			t.Errorf("%s plays %s for %s; it lasts %gs", v.Reference, name, v.Playback.Duration, seconds)
		}
	}
	if len(names) != 3 {
		t.Errorf("generated videos play %v", names)
	}
}

// lengthOf returns the total duration of the segments of a media playlist, in seconds.
func lengthOf(t *testing.T, playlist string) (sum float64) {
	t.Helper()
	for line := range strings.Lines(playlist) {
		if seconds, isSegment := strings.CutPrefix(line, "#EXTINF:"); isSegment {
			seconds, _, _ = strings.Cut(seconds, ",")
			n, err := strconv.ParseFloat(seconds, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}

func BenchmarkSprite(b *testing.B) {
	for b.Loop() {
		f := newFixture(b, media.Options{}) // an empty cache
		if response := f.get("GET", media.ImagesPath+"pattern/width/160/vid_slices/20"); response.StatusCode != 200 {
			b.Fatal(response.StatusCode)
		}
	}
}
