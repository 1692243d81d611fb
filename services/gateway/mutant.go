//go:build mutant

package gateway

// mutant names the guard that is broken; lab/mutants has the linker set it.
var mutant string
