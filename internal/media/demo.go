package media

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"image"
	"image/jpeg"
	"io/fs"
	"path"
	"sync"
)

// demoFiles are made by tools/demomedia/make.sh: a directory for each stream.
//
//go:embed demo
var demoFiles embed.FS

// demoStream is a stream that the binary contains.
type demoStream struct {
	files map[string]asset // playlists and segments by name
	// stills is the number of stills, all of one size; still returns one of them by its position in time, decoded at
	// first use.
	stills int
	size   image.Point
	still  func(int) *image.YCbCr
}

// asset is a file that never changes, with its type and entity tag.
type asset struct {
	content     []byte
	contentType string
	etag        string
}

func newAsset(content []byte, contentType string) asset {
	sum := sha256.Sum256(content)
	return asset{content: content, contentType: contentType, etag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
}

const (
	playlistType = "application/vnd.apple.mpegurl"
	segmentType  = "video/mp2t"
)

// demoStreams are the streams by name. They were checked when the binary was built, so a fault is a fault of the build.
var demoStreams = sync.OnceValue(func() map[string]*demoStream {
	streams := map[string]*demoStream{}
	directories, err := demoFiles.ReadDir("demo")
	must(err)
	for _, directory := range directories {
		streams[directory.Name()] = loadDemoStream(path.Join("demo", directory.Name()))
	}
	return streams
})

func loadDemoStream(directory string) *demoStream {
	stream := &demoStream{files: map[string]asset{}}
	var stills [][]byte
	entries, err := demoFiles.ReadDir(directory) // sorted by name
	must(err)
	for _, entry := range entries {
		content, err := fs.ReadFile(demoFiles, path.Join(directory, entry.Name()))
		must(err)
		switch path.Ext(entry.Name()) {
		case ".m3u8":
			stream.files[entry.Name()] = newAsset(content, playlistType)
		case ".ts":
			stream.files[entry.Name()] = newAsset(content, segmentType)
		case ".jpg":
			stills = append(stills, content)
		}
	}
	config, err := jpeg.DecodeConfig(bytes.NewReader(stills[0]))
	must(err)
	stream.stills, stream.size = len(stills), image.Pt(config.Width, config.Height)
	decoded := make([]func() *image.YCbCr, len(stills))
	for i, still := range stills {
		decoded[i] = sync.OnceValue(func() *image.YCbCr {
			picture, err := jpeg.Decode(bytes.NewReader(still))
			must(err)
			return picture.(*image.YCbCr)
		})
	}
	stream.still = func(i int) *image.YCbCr { return decoded[i]() }
	return stream
}

func must(err error) {
	if err != nil {
		panic("media: the embedded demo streams are broken: " + err.Error())
	}
}
