//go:build !unix

package main

// yieldProcessor does nothing on systems without Unix priorities.
func yieldProcessor() {}
