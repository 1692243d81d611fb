package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/entail/nli"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/services/reviewer"
)

// Judgement is how a process judges sentences: by the model in process and the fit that
// belongs to its weights. Without the model a sidecar with the same weights reads, else a
// judge decides alone; without either only what is word for word in the evidence is
// supported. missing says why there is none.
func Judgement(o Verifying, side *nli.Sidecar) (r *review.Reviewer, missing error) {
	if o.NoModel {
		return withoutModel(side), nil
	}
	reader, err := NLI()
	if err != nil {
		return withoutModel(side), err
	}
	fit, err := review.FitOf(reader.Calibration().Weights)
	if err != nil {
		return withoutModel(side), err
	}
	return &review.Reviewer{Reader: reader, Fit: fit}, nil
}

// withoutModel is how a process judges that has no model of its own: by a sidecar that runs
// the same weights, else a judge that has shown skill decides alone.
func withoutModel(side *nli.Sidecar) *review.Reviewer {
	fit, err := review.ShippedFit()
	if err != nil {
		return &review.Reviewer{}
	}
	r := &review.Reviewer{Fit: fit}
	if side != nil {
		r.Reader = &nli.SidecarReader{Sidecar: side, Weights: fit.Weighed}
	}
	return r
}

// AlertJudge tells an operator what the judge has shown.
const AlertJudge = "JudgeSkill"

// qualifyEvery is how often a judge is put to the test. Where it could not be asked the next
// test waits for qualifyAgain, then twice as long, and so on.
const (
	qualifyEvery = 24 * time.Hour
	qualifyAgain = time.Minute
)

// startQualifying tests the judge once a day. Until it has shown skill nobody asks it. What
// it has shown is kept in the data folder, so a start within the day believes it at once.
// The reviews of the first speeches wait for the first test, within their bounds.
// Off the mesh there is no later: the first turn waits for the test.
func (a *App) startQualifying(ctx context.Context, o Options, s *reviewer.Service, m *model.Model) {
	if m == nil || !o.Judge || !a.reviews {
		return
	}
	wait := time.Duration(0)
	before := readShown(o)
	switch {
	case before != nil:
		s.Believe(before.Skill)
		wait = qualifyEvery - o.now().Sub(before.At)
	case a.beside: // a test would cost more than the turn
	case o.JudgeFirst || a.Mesh == nil:
		wait = afterTest(qualify(ctx, o, s, m), 0)
	}
	if a.Mesh == nil {
		return
	}
	done := func() {}
	if before == nil && !o.JudgeFirst {
		over := s.Testing()
		a.tested = make(chan struct{})
		done = sync.OnceFunc(func() { over(); close(a.tested) })
	}
	a.qualifying = inBackground(ctx, func(ctx context.Context) {
		defer done()
		for failed := time.Duration(0); ; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			wait = afterTest(qualify(ctx, o, s, m), failed)
			done()
			if failed = wait; wait == qualifyEvery {
				failed = 0
			}
		}
	})
}

// JudgeTested waits until the judge has had its first test, or the context ends. It says
// whether nothing is left to wait for.
func (a *App) JudgeTested(ctx context.Context) bool {
	if a.tested == nil {
		return true
	}
	select {
	case <-a.tested:
		return true
	case <-ctx.Done():
		return false
	}
}

// afterTest is how long the next test waits, by how this one went and how long it had waited
// for a judge that could not be asked.
func afterTest(err error, waited time.Duration) time.Duration {
	if err == nil {
		return qualifyEvery
	}
	return min(max(qualifyAgain, 2*waited), qualifyEvery/2)
}

// qualify tests a judge once, and keeps what it has shown. One that cannot be asked has
// shown nothing.
func qualify(ctx context.Context, o Options, s *reviewer.Service, m *model.Model) error {
	skill, err := reviewer.Qualify(ctx, m)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.Believe(skill)
	switch {
	case err != nil:
		o.notice("the judge is not believed: " + err.Error())
	case !skill.Qualified():
		o.notice("the judge is not believed: " + skill.String())
		if o.Alert != nil {
			o.Alert(AlertJudge, "", "the judge has shown no skill, and the model in process decides alone")
		}
	}
	if err == nil {
		if kept := writeShown(o, skill); kept != nil { // the next start tests it again, and nothing else
			o.notice("what the judge has shown is not kept: " + kept.Error())
		}
	}
	if o.Judged != nil {
		o.Judged(skill)
	}
	return err
}

// shown is what a judge has shown, as the data folder keeps it.
type shown struct {
	At    time.Time     `json:"at"`
	Of    string        `json:"of"` // the judge and the pairs: another judge has shown nothing
	Skill *review.Skill `json:"skill"`
}

func shownPath(o Options) string {
	if o.Data == "" {
		return ""
	}
	return filepath.Join(o.Data, "judge.json")
}

// judgeOf names the judge of these options, with the pairs that it is tested by.
func judgeOf(o Options) string {
	at := o.JudgeAt
	if at.URL == "" {
		at = o.LLM.Primary
	}
	return protocol.HashText(fmt.Sprintf("%s%s %s %s", o.JudgeKind, at.URL,
		cmp.Or(o.LLM.Calls[prompt.Judge].Model, at.Model), review.PairsHash()))
}

// readShown is what this judge has shown within the day; nil: nothing that is kept. A file
// that cannot be read costs one more test and nothing else.
func readShown(o Options) *shown {
	data, err := os.ReadFile(shownPath(o))
	if err != nil {
		return nil
	}
	var s shown
	if json.Unmarshal(data, &s) != nil || s.Skill == nil || s.Of != judgeOf(o) {
		return nil
	}
	if age := o.now().Sub(s.At); age < 0 || age >= qualifyEvery {
		return nil
	}
	return &s
}

// writeShown keeps what a judge has shown.
func writeShown(o Options, skill *review.Skill) error {
	path := shownPath(o)
	if path == "" {
		return nil
	}
	data, err := json.Marshal(shown{At: o.now(), Of: judgeOf(o), Skill: skill})
	if err != nil {
		return err
	}
	return store.WriteFile(path, data)
}

func (o *Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}
