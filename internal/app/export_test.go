package app

import (
	"context"

	"time"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"

	"github.com/forsooth-npc/forsooth/internal/limits"
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

// ReportsScheduled is closed when a process has scheduled its weekly reports.
func ReportsScheduled(a *App) <-chan struct{} { return a.memory.weekly.kept }

// Webhook posts reports as a process does, with short pauses.
func Webhook(address string, hosts limits.Hosts, failed func()) func(context.Context, []byte) error {
	w := newWebhook(address, hosts)
	w.pause, w.failed = time.Millisecond, failed
	return w.post
}

// GroundingOf are a process's grounding settings.
var GroundingOf = groundingOf

// AfterTest is how long the next test of a judge waits.
var AfterTest = afterTest

// Check holds a text against sources, as the mesh's service does.
func (a *App) Check(ctx context.Context, q schema.CheckQuery) (schema.CheckResult, error) {
	return a.checker.Check(ctx, q)
}

// Heard says whether a process knows that an NPC said a sentence in a model's words.
func Heard(a *App, world, npc, sentence string) bool {
	_, known := a.hearing.book.Said(world, npc, text.Fold(sentence))
	return known
}
