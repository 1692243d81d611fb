// Package worlds holds the sample worlds and carries them inside the binary, so
// that an installed forsooth can talk without a checkout. It knows nothing of
// their format: internal/world reads and judges them.
package worlds

import "embed"

// FS holds each sample world under a folder of its own name.
//
//go:embed all:hollowmere all:shadowwatch
var FS embed.FS
