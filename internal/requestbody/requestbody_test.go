package requestbody_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/requestbody"
)

func zipped(t testing.TB, text string) string {
	t.Helper()
	var into bytes.Buffer
	zip := gzip.NewWriter(&into)
	_, err := io.WriteString(zip, text)
	if err := errors.Join(err, zip.Close()); err != nil {
		t.Fatal(err)
	}
	return into.String()
}

// request returns a request whose body has an unknown length if chunked, and a known length otherwise.
func request(body io.Reader, chunked bool, codings ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", body)
	if chunked {
		r.ContentLength = -1
	}
	if codings != nil {
		r.Header["Content-Encoding"] = codings
	}
	return r
}

func TestRead(t *testing.T) {
	const most = 1 << 20
	long := strings.Repeat("0123456789", most/10)
	for name, test := range map[string]struct {
		body    string
		codings []string
		want    string
		err     error
	}{
		"plain":                       {"abc", nil, "abc", nil},
		"identity":                    {"abc", []string{"Identity"}, "abc", nil},
		"gzip":                        {zipped(t, "abc"), []string{"gzip"}, "abc", nil},
		"the older name":              {zipped(t, "abc"), []string{"x-GZIP"}, "abc", nil},
		"gzip, then as it is":         {zipped(t, "abc"), []string{"gzip, identity"}, "abc", nil},
		"two members":                 {zipped(t, "abc") + zipped(t, "def"), []string{"gzip"}, "abcdef", nil},
		"nothing":                     {zipped(t, ""), []string{"gzip"}, "", nil},
		"no body, another coding":     {"", []string{"br"}, "", nil},
		"as much as may be":           {zipped(t, long), []string{"gzip"}, long, nil},
		"more than may be":            {zipped(t, long+long), []string{"gzip"}, "", requestbody.ErrTooLarge},
		"more than may be, plain":     {long + long, nil, "", requestbody.ErrTooLarge},
		"no gzip":                     {"abcdefghijklmnop", []string{"gzip"}, "", requestbody.ErrDamaged},
		"cut off in the header":       {zipped(t, "abc")[:5], []string{"gzip"}, "", requestbody.ErrDamaged},
		"cut off":                     {zipped(t, long)[:900], []string{"gzip"}, "", requestbody.ErrDamaged},
		"without its end":             {zipped(t, "abc")[:20], []string{"gzip"}, "", requestbody.ErrDamaged},
		"with a tail":                 {zipped(t, "abc") + "tail", []string{"gzip"}, "", requestbody.ErrDamaged},
		"of another length":           {strings.TrimSuffix(zipped(t, "abc"), "\x03\x00\x00\x00") + "\x04\x00\x00\x00", []string{"gzip"}, "", requestbody.ErrDamaged},
		"no data, again and again":    {strings.Repeat(zipped(t, ""), 1<<14), []string{"gzip"}, "", requestbody.ErrTooLarge},
		"empty blocks without an end": {zipped(t, "")[:10] + strings.Repeat("\x00\x00\x00\xff\xff", 1<<17), []string{"gzip"}, "", requestbody.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			for _, chunked := range []bool{false, true} {
				if test.body == "" && chunked {
					continue
				}
				got, err := requestbody.Read(request(strings.NewReader(test.body), chunked, test.codings...), most)
				if string(got) != test.want || !errors.Is(err, test.err) {
					t.Errorf("got %.40q and %v, want %.40q and %v", got, err, test.want, test.err)
				}
			}
		})
	}
}

// TestTooLargeNamesTheLimit checks that the error of a body that is too large names the limit.
func TestTooLargeNamesTheLimit(t *testing.T) {
	for most, limit := range map[int64]string{1000: "1000 bytes", 64 << 10: "64 KiB", 2<<20 + 64<<10: "2112 KiB", 2 << 20: "2 MiB"} {
		long := strings.Repeat("x", int(most)+1)
		for _, r := range []*http.Request{request(strings.NewReader(long), false), request(strings.NewReader(long), true), request(strings.NewReader(zipped(t, long)), true, "gzip")} {
			_, err := requestbody.Read(r, most)
			want := "the body is longer than " + limit + ", after any decompression"
			if tooLarge, ok := errors.AsType[*requestbody.Error](err); !ok || tooLarge.Status != http.StatusRequestEntityTooLarge || tooLarge.Message != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
}

func TestUnsupportedCodings(t *testing.T) {
	for _, codings := range [][]string{{"br"}, {"deflate"}, {"gzip, gzip"}, {"gzip", "br"}, {"gzip;q=1"}, {"\xff"}} {
		_, err := requestbody.Read(request(strings.NewReader(zipped(t, "abc")), false, codings...), 100)
		unsupported, ok := errors.AsType[*requestbody.Error](err)
		if !ok || unsupported.Status != http.StatusUnsupportedMediaType {
			t.Errorf("%q: %v", codings, err)
			continue
		}
		header := http.Header{}
		if unsupported.SetHeader(header); header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("%q: the header is %v", codings, header)
		}
	}
}

// TestBodiesThatFail checks that Read returns the error of the underlying body, compressed or not, and returns it
// again.
func TestBodiesThatFail(t *testing.T) {
	noMemory := fault.Errorf(fault.Unavailable, "no room")
	start := zipped(t, strings.Repeat("abc", 100))[:15]
	for _, codings := range [][]string{nil, {"gzip"}} {
		for want, fails := range map[error]error{noMemory: noMemory, requestbody.ErrCutOff: io.ErrUnexpectedEOF} {
			r := request(io.MultiReader(strings.NewReader(start), failing{fails}), true, codings...)
			if _, err := requestbody.Read(r, 1000); !errors.Is(err, want) {
				t.Errorf("%v: got %v, want %v", codings, err, want)
			}
		}
	}
	r := request(strings.NewReader("no gzip at all"+zipped(t, "")), true, "gzip")
	for range 3 {
		if _, err := requestbody.Read(r, 1000); !errors.Is(err, requestbody.ErrDamaged) {
			t.Error(err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestDecompressionBomb checks that no more than the limit is decompressed of a body of 1 MB that expands to 1 GB.
func TestDecompressionBomb(t *testing.T) {
	member := zipped(t, strings.Repeat("\x00", 16<<20))
	bomb := strings.NewReader(strings.Repeat(member, 64))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := requestbody.Read(request(bomb, true, "gzip"), 1<<20); !errors.Is(err, requestbody.ErrTooLarge) {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 { // less than the 1 GiB that it expands to; the race detector takes some
		t.Errorf("it took %d bytes of memory", took)
	}
	if read := bomb.Size() - int64(bomb.Len()); read > 64<<10 {
		t.Errorf("%d bytes of it were read", read)
	}
}
