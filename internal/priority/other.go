//go:build !unix

package priority

// LowerProcess does nothing where there are no priorities as Unix knows them.
func LowerProcess() {}
