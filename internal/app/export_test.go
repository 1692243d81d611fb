package app

// For tests of who judges.
var (
	WriteGuard = writeGuard
	ScanTiers  = scanTiers
	ScorerOf   = scorer
)

// Models connects the models of a process off the mesh.
func Models(a *App, o Options) error { return a.connectModels(o) }
