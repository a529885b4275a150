//go:build !linux

package clock

func read() Reading { return sinceStart() }
