//go:build !linux

package main

import (
	"errors"
	"os"
)

// createUnnamed reports that this system has no files without names.
func createUnnamed(string) (*os.File, bool) { return nil, false }

func nameFile(*os.File, string) error { return errors.ErrUnsupported }
