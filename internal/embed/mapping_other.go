//go:build !unix

package embed

import "os"

// mapping is a file's content.
type mapping struct{ data []byte }

// openMapping reads a file: without shared memory each process has its own copy.
func openMapping(path string) (*mapping, error) {
	data, err := os.ReadFile(path)
	return &mapping{data}, err
}
