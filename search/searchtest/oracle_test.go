//go:build !race

package searchtest

import "testing"

func TestModelAgreesWithBleve(t *testing.T) { TextOracle(t, openModel) }
