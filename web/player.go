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
	// What the names of files begin with that have their hash behind it.
	playerPrefix  = "filmstrip-player."
	libraryPrefix = "hls-"
	// keepShortly is for a file whose address stays when it changes: pages of customers get a release's player
	// some minutes after the release.
	keepShortly = "public, max-age=300"
)

// player is the web player with all under which it is served.
type player struct {
	// files are by their names: the player's own, and those with their hash in their name.
	files map[string]*asset
	// hashed is the name of the player under its hash.
	hashed string
	// library is the name of the file that the player fetches at need.
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

// PlayerPath is the path of the player's file under the hash of its content: pages that come from the binary
// name it, and browsers keep it for ever.
func PlayerPath() string { return playerFolder + thePlayer.hashed }

// Player serves the file that defines the element <filmstrip-player>, at /player/filmstrip-player.js and under its
// hash, and beside it what that needs. Pages of any origin may have it. Under the hash of another release there is
// the way to that of this one, so that nobody's page breaks by a new release. GET, HEAD and OPTIONS only.
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
			notFound(w, r)
		}
	})
}

// ofAnotherRelease reports whether a name is that of a script with some hash in it.
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
