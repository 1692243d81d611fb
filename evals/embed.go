// Package evals holds the project's evaluation suites and carries them inside the binary.
package evals

import "embed"

// FS holds each suite under its file's name.
//
//go:embed *.yaml
var FS embed.FS
