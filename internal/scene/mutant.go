//go:build mutant

package scene

// mutant names the guard that is broken; lab/mutants has the linker set it.
var mutant string
