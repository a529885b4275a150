package app

import (
	"runtime/debug"
)

// Release is the version of Filmstrip that this code is, or will become (see CHANGELOG.md).
const Release = "v0.1.0"

// Version returns the Release, the commit if the build recorded it, and the version of Go.
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
