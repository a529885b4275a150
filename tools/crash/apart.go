package main

import (
	"fmt"
	"runtime"
)

// servePlace and callPlace return the commands that run servers on the first half of the processors and callers on the
// other half; nil means any processor.
func (s settings) servePlace() []string { return s.onProcessors(0, s.callFrom()-1) }
func (s settings) callPlace() []string  { return s.onProcessors(s.callFrom(), runtime.NumCPU()-1) }

func (s settings) callFrom() int { return (runtime.NumCPU() + 1) / 2 }

func (s settings) onProcessors(from, to int) []string {
	if !s.apart || from > to {
		return nil
	}
	return []string{"taskset", "-c", fmt.Sprintf("%d-%d", from, to)}
}
