//go:build !unix

// Package fileowner gives files that root creates to the user whom a server runs as.
package fileowner

// Match does nothing: files have no such owner on this system.
func Match(string, string) error { return nil }
