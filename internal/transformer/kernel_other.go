//go:build !amd64

package transformer

// native is empty: other machines run the portable kernel.
func native() []*kernel { return nil }
