package signin_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

const logoClientURI = "https://learn.school.example/callback"

// encodeImage returns an encoded image of one color.
func encodeImage(t *testing.T, side int, shade uint8, format string) []byte {
	t.Helper()
	canvas := image.NewGray(image.Rect(0, 0, side, side/2))
	for i := range canvas.Pix {
		canvas.Pix[i] = color.Gray{Y: shade + uint8(i%7)}.Y
	}
	var encoded bytes.Buffer
	var err error
	if format == "jpeg" {
		err = jpeg.Encode(&encoded, canvas, nil)
	} else {
		err = png.Encode(&encoded, canvas)
	}
	if err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

func file(t *testing.T, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "logo")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

var logoImage = regexp.MustCompile(`<img src="(/v1/authorize/logo/[0-9a-f]{64})" alt="A &lt;school&gt;">`)

// TestLogo verifies that the sign-in page shows the account's name and logo, which a page's policy allows, that the logo
// is served under an address of its own, and that replacing, clearing and deleting work, on each store.
func TestLogo(t *testing.T) {
	for _, engines := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engines.String(), func(t *testing.T) {
			h := apptest.NewInstallation(t, engines)
			h.Filmstrip("accounts", "create", "school", "--name", "A <school>", "--tier", "basic", "--logo", file(t, encodeImage(t, 64, 0, "png")))
			h.Filmstrip("clients", "create", "school-web", "--account", "school", "--public", "--redirect-uri", logoClientURI)
			s := h.Serve()
			b := apptest.NewBrowser(t)
			open := func() (page, path string) {
				answer, body := b.Open(http.MethodGet, s.Base+"/v1/authorize?response_type=code&client_id=school-web&redirect_uri="+logoClientURI, nil)
				if answer.StatusCode != http.StatusOK || !strings.Contains(answer.Header.Get("Content-Security-Policy"), "img-src 'self'") {
					t.Errorf("the page is %s with the policy %q", answer.Status, answer.Header.Get("Content-Security-Policy"))
				}
				if found := logoImage.FindSubmatch(body); found != nil {
					path = string(found[1])
				}
				return string(body), path
			}
			page, first := open()
			if first == "" || !strings.Contains(page, "your A &lt;school&gt; account") {
				t.Fatalf("the page does not show the account:\n%s", page)
			}
			checkLogo(s, first, "image/png", encodeImage(t, 64, 0, "png"))

			jpg := encodeImage(t, 90, 100, "jpeg")
			h.Filmstrip("accounts", "update", "school", "--logo", file(t, jpg))
			var second string
			apptest.Await(t, "the new logo is shown", func() bool { _, second = open(); return second != first })
			checkLogo(s, second, "image/jpeg", jpg)
			if status := s.Status(first, ""); status != http.StatusNotFound {
				t.Errorf("the replaced logo returns %d", status)
			}
			if shown := h.Filmstrip("accounts", "show", "school"); !strings.Contains(shown, "image/jpeg") {
				t.Errorf("show prints\n%s", shown)
			}
			h.Filmstrip("accounts", "update", "school", "--clear", "logo")
			apptest.Await(t, "the logo is gone", func() bool { page, path := open(); return path == "" && !strings.Contains(page, "<img") })
			if status := s.Status(second, ""); status != http.StatusNotFound {
				t.Errorf("the cleared logo returns %d", status)
			}
			h.Filmstrip("accounts", "create", "other", "--tier", "basic", "--logo", file(t, jpg))
			h.Filmstrip("accounts", "delete", "other")
			if log := h.Filmstrip("audit", "--kind", "logo", "--json"); strings.Count(log, `"logo"`) < 6 || len(log) > 10_000 {
				t.Errorf("the audit log of logos is\n%s", log)
			}
		})
	}
}

// checkLogo verifies how an image is served.
func checkLogo(s *apptest.Server, path, mediaType string, want []byte) {
	s.Helper()
	answer, body := s.Send(http.MethodGet, path, "", "")
	for name, value := range map[string]string{
		"Content-Type": mediaType, "X-Content-Type-Options": "nosniff", "Cache-Control": "public, max-age=31536000, immutable",
		"Content-Security-Policy": "default-src 'none'; sandbox",
	} {
		if got := answer.Header.Get(name); got != value {
			s.Errorf("%s: %s is %q, want %q", path, name, got, value)
		}
	}
	if answer.StatusCode != http.StatusOK || !bytes.Equal(body, want) {
		s.Errorf("%s: %s, %d bytes, want %d", path, answer.Status, len(body), len(want))
	}
}

// TestBadLogos verifies that the service refuses what is no small image, and says why.
func TestBadLogos(t *testing.T) {
	h := apptest.NewInstallation(t, apptest.Engines{})
	h.Account("school")
	whole := encodeImage(t, 64, 0, "png")
	for says, content := range map[string][]byte{
		"logo: the image is not PNG, JPEG or WebP, or it is damaged; SVG is not accepted": []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"logo: the image has 65537 bytes; the maximum is 65536":                           append(bytes.Clone(whole), make([]byte, 65537-len(whole))...),
		"logo: the image has 2050 x 1025 pixels; the maximum is 2048 x 2048":              encodeImage(t, 2050, 0, "png"),
		"logo: the image is damaged":                                                      whole[:len(whole)-20],
	} {
		got := apptest.Run(t, nil, "", append([]string{"accounts", "update", "school", "--logo", file(t, content)}, h.Where...)...)
		if got.Status != 1 || !strings.Contains(got.Err, says) {
			t.Errorf("%s: status %d: %s", says, got.Status, got.Err)
		}
	}
}
