//go:build !linux && !darwin

package app

import "errors"

// freeBytes returns an error, because the free space is unknown on this system.
func freeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }
