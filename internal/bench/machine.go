package bench

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Machine says on what a bench runs, and how busy that was when it began: figures
// without it are worth nothing.
func Machine() string {
	model := runtime.GOARCH
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	load := "unknown"
	if data, err := os.ReadFile("/proc/loadavg"); err == nil {
		if fields := strings.Fields(string(data)); len(fields) > 0 {
			load = fields[0]
		}
	}
	return fmt.Sprintf("%d cores of %s, load %s", runtime.NumCPU(), model, load)
}
