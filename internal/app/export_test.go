package app

import (
	"context"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// For tests of who judges.
var (
	WriteGuard = writeGuard
	ScanTiers  = scanTiers
	ScorerOf   = scorer
)

// Models connects the models of a process off the mesh.
func Models(a *App, o Options) error { return a.connectModels(o) }

// OnLook has a process tell of each look at a world's folder.
func OnLook(o *Options, f func()) { o.onLook = f }

// Scheduled is closed when a process has scheduled its scans, or taken them away.
func Scheduled(a *App) <-chan struct{} { return a.memory.nightly.kept }

// GroundingOf are a process's grounding settings.
var GroundingOf = groundingOf

// AfterTest is how long the next test of a judge waits.
var AfterTest = afterTest

// Check holds a text against sources, as the mesh's service does.
func (a *App) Check(ctx context.Context, q schema.CheckQuery) (schema.CheckResult, error) {
	return a.checker.Check(ctx, q)
}
