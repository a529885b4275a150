package app

import (
	"runtime/debug"
)

// Release is the version of Filmstrip that this code is, or leads to (CHANGELOG.md).
const Release = "v0.1.0"

// Version names the Release, the commit if the build knows it, and Go's version.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Release
	}
	text := Release
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			text += " (" + setting.Value + ")"
		case setting.Key == "vcs.modified" && setting.Value == "true":
			text += " with changes"
		}
	}
	return text + " " + info.GoVersion
}
