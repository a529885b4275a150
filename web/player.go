package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
)

//go:embed player/dist/*.js player/dist/LICENSES
var playerFiles embed.FS

const (
	playerFolder = "/player/"
	playerFile   = "filmstrip-player.js"
	// Prefixes of file names that contain a hash.
	playerPrefix  = "filmstrip-player."
	libraryPrefix = "hls-"
	// keepShortly is the Cache-Control of a file whose URL does not change with its content. Customers' pages get a
	// new player within minutes of a release.
	keepShortly = "public, max-age=300"
)

// player contains the files of the web player.
type player struct {
	// files are keyed by name: the player under its own name, and files with a hash in their name.
	files map[string]*asset
	// hashed is the name of the player with its hash.
	hashed string
	// library is the name of the file that the player loads on demand.
	library string
}

var thePlayer = newPlayer()

func newPlayer() player {
	files, err := assetsOf(playerFiles, "player/dist", keepShortly)
	if err != nil { // the files are in the binary
		panic(err)
	}
	p := player{files: files}
	for name, file := range files {
		if hashed(name) && strings.HasPrefix(name, libraryPrefix) {
			p.library = name
			file.cacheControl = keepForever
		}
	}
	content := files[playerFile].plain
	sum := sha256.Sum256(content)
	p.hashed = playerPrefix + hex.EncodeToString(sum[:8]) + path.Ext(playerFile)
	files[p.hashed] = newAsset(p.hashed, content, keepForever)
	return p
}

// PlayerPath returns the path of the player with the hash of its content. Our own pages use it, and browsers cache it
// indefinitely.
func PlayerPath() string { return playerFolder + thePlayer.hashed }

// Player serves the script that defines the element <filmstrip-player>, at /player/filmstrip-player.js and under its
// hashed name, and the files it loads. Pages of any origin may use it. Hashed names of other releases redirect to
// this one, so that a new release breaks no page. It supports GET, HEAD and OPTIONS only.
func Player() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("Cross-Origin-Resource-Policy", "cross-origin")
		name := strings.TrimPrefix(r.URL.Path, playerFolder)
		file := thePlayer.files[name]
		switch {
		case r.Method == http.MethodOptions:
			header.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
			header.Set("Access-Control-Allow-Headers", "*")
			header.Set("Access-Control-Max-Age", "86400")
			w.WriteHeader(http.StatusNoContent)
		case file != nil:
			file.ServeHTTP(w, r)
		case isOtherRelease(name, playerPrefix):
			redirectTo(w, playerFile)
		case isOtherRelease(name, libraryPrefix):
			redirectTo(w, thePlayer.library)
		default:
			NotFound(w, r)
		}
	})
}

// isOtherRelease reports whether a name is that of the script with any hash.
func isOtherRelease(name, prefix string) bool {
	rest, found := strings.CutPrefix(name, prefix)
	hash, script := strings.CutSuffix(rest, path.Ext(playerFile))
	return found && script && hash != "" && !strings.ContainsAny(hash, "./")
}

func redirectTo(w http.ResponseWriter, name string) {
	header := w.Header()
	header.Set("Location", playerFolder+name)
	header.Set("Cache-Control", keepShortly)
	w.WriteHeader(http.StatusTemporaryRedirect)
}
