package clock

import (
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// bootID names this boot of the kernel, "" if it is unknown.
var bootID = sync.OnceValue(func() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
})

func read() Reading {
	var since unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &since); err != nil {
		return sinceStart()
	}
	return Reading{Wall: time.Now().Round(0), SinceBoot: time.Duration(since.Nano()), Boot: bootID()}
}
