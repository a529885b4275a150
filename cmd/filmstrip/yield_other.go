//go:build !unix

package main

// yieldProcessor does nothing where there are no priorities as Unix knows them.
func yieldProcessor() {}
