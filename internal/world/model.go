package world

import (
	"errors"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The depths of a turn with a language model.
const (
	DepthFull = "full" // thoughts, decision and speech are calls of their own
	DepthLean = "lean" // one call
)

// Budget is what a world spends on language models in a day (UTC). 0 sets no
// limit.
type Budget struct {
	TokensPerDay       int
	CostPerDay         float64 // in the currency of the prices
	PlayerTokensPerDay int
	PlayerCostPerDay   float64
}

// Call is what an NPC sets for one kind of call; zero leaves it as it is.
type Call struct {
	Model     string
	Timeout   time.Duration
	MaxTokens int
}

// maxCallTokens is more than any model writes in one answer.
const maxCallTokens = 1 << 20

// readDepth takes a depth that there is. Any other is left out, so that a
// misspelt one makes a turn no shallower than it was.
func readDepth(f *fields) string {
	depth := f.text("depth")
	if depth != "" && depth != DepthFull && depth != DepthLean {
		f.log.warnf(f.at("depth"), "`%sdepth` is %q, which is none; write full (every pass) or lean (one call)",
			f.where, depth)
		return ""
	}
	return depth
}

// Policies are the levels of grounding, the most careful first.
var Policies = []string{"strict", "balanced", "lively"}

// readPolicy takes a level of grounding that there is. Any other is an error: a
// misspelt one must not let more through than was meant.
func readPolicy(f *fields) string {
	sub, ok := f.mapping("grounding")
	if !ok {
		return ""
	}
	policy := sub.text("policy")
	sub.warnUnknown()
	if policy == "" || slices.Contains(Policies, policy) {
		return policy
	}
	hint := ""
	if near := nearest(policy, Policies); near != "" {
		hint = "; did you mean " + near + "?"
	}
	sub.wrong("policy", "is %q, which is none; write strict, balanced or lively%s", policy, hint)
	return ""
}

// SmalltalkAuthored keeps small talk to the authored lines, also where a model speaks.
const SmalltalkAuthored = "authored"

func readSmalltalk(f *fields) string {
	sub, ok := f.mapping("llm")
	if !ok {
		return ""
	}
	smalltalk := sub.text("smalltalk")
	sub.warnUnknown()
	if smalltalk != "" && smalltalk != SmalltalkAuthored && smalltalk != "model" {
		sub.wrong("smalltalk", "is %q; write authored or model", smalltalk)
	}
	if smalltalk == SmalltalkAuthored {
		return smalltalk
	}
	return ""
}

// PolicyFor is the NPC's level of grounding, else the world's, else "".
func (w *World) PolicyFor(npc *NPC) string {
	if npc != nil && npc.Policy != "" {
		return npc.Policy
	}
	return w.Policy
}

// readBudget reads the world's budget. What cannot be read keeps the world from
// loading: a misspelt limit must not be no limit.
func readBudget(f *fields) Budget {
	sub, ok := f.mapping("budget")
	if !ok {
		return Budget{}
	}
	b := Budget{
		TokensPerDay: int(sub.limit("tokens_per_day", true)), CostPerDay: sub.limit("cost_per_day", false),
		PlayerTokensPerDay: int(sub.limit("player_tokens_per_day", true)),
		PlayerCostPerDay:   sub.limit("player_cost_per_day", false),
	}
	sub.warnUnknown()
	sub.warnWider("player_tokens_per_day", "tokens_per_day", float64(b.PlayerTokensPerDay), float64(b.TokensPerDay))
	sub.warnWider("player_cost_per_day", "cost_per_day", b.PlayerCostPerDay, b.CostPerDay)
	return b
}

// limit is a number above 0; one that is absent sets no limit.
func (f *fields) limit(key string, whole bool) float64 {
	n := f.take(key)
	if n == nil {
		return 0
	}
	v, ok := f.number(key, whole)
	switch {
	case !ok && whole:
		f.wrong(key, "is no whole number from 0 up; write one such as 200000")
	case !ok:
		f.wrong(key, "is no number from 0 up; write one such as 2.5")
	case v == 0:
		f.log.warnf(f.at(key), "`%s%s` is 0, which sets no limit; leave it out, or stop the models with `forsooth llm off`",
			f.where, key)
	}
	return v
}

// number is a value that is a number from 0 up.
func (f *fields) number(key string, whole bool) (float64, bool) {
	s, ok := scalar(f.take(key))
	if !ok {
		return 0, false
	}
	s = strings.ReplaceAll(s, "_", "")
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0) || v > math.MaxInt32*1e6 {
		return 0, false
	}
	if _, err := strconv.ParseInt(s, 10, 64); whole && err != nil {
		return 0, false
	}
	return v, true
}

// warnWider names a player's limit that the world's own reaches first.
func (f *fields) warnWider(player, world string, one, all float64) {
	if all > 0 && one > all {
		f.log.warnf(f.at(player), "`%s%s` is more than `%s%s`, which ends first; lower one or leave it out", f.where, player,
			f.where, world)
	}
}

// readModel reads what an NPC sets for its calls, by the names of their schemas.
// A value that cannot be is left out; the NPC stands.
func readModel(f *fields) map[string]Call {
	sub, ok := f.mapping("model")
	if !ok {
		return nil
	}
	out := map[string]Call{}
	for _, name := range protocol.Calls {
		call, ok := sub.mapping(name)
		if !ok {
			continue
		}
		c := Call{
			Model:     call.text("model"),
			Timeout:   time.Duration(call.bounded("timeout_ms", schema.MaxDeadlineMS)) * time.Millisecond,
			MaxTokens: call.bounded("max_tokens", maxCallTokens),
		}
		call.warnUnknown()
		if c != (Call{}) {
			out[name] = c
		}
	}
	for _, name := range sub.keys {
		if !slices.Contains(protocol.Calls, name) && nearest(name, protocol.Calls) == "" {
			sub.read[name] = true
			f.log.warnf(sub.at(name), "`%s%s` is no call; there are %s", sub.where, name, strings.Join(protocol.Calls, ", "))
		}
	}
	sub.warnUnknown()
	return out
}

// bounded is a whole number from 1 to most; 0 when absent or refused.
func (f *fields) bounded(key string, most int) int {
	if f.take(key) == nil {
		return 0
	}
	v, ok := f.number(key, true)
	if !ok || v < 1 || v > float64(most) {
		f.log.refusef(f.at(key), "`%s%s` is no whole number between 1 and %d; write one, or leave it out for the default",
			f.where, key, most)
		return 0
	}
	return int(v)
}

// predicatesFile is a world's own predicates of memories, on top of the shipped ones.
const predicatesFile = "predicates.yaml"

// predicates reads the file. One that is not sound is left out whole: half a table would
// call a value that changes a contradiction.
func (ld *loader) predicates() *memory.PredicateTable {
	data, err := readFile(ld.fsys, predicatesFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return memory.DefaultPredicates()
	case err != nil:
		ld.errorf(predicatesFile, "cannot be read: %v", unwrapPath(err))
		return memory.DefaultPredicates()
	}
	ld.predicatesData = data
	table, err := memory.LoadPredicates(memory.DefaultPredicates(), data, predicatesFile)
	var refused *memory.PredicateError
	switch {
	case errors.As(err, &refused):
		reason := refused.Reason
		if near := nearest(refused.Unknown, slices.Clone(refused.Known)); refused.Unknown != "" && near != "" {
			reason += "; did you mean " + near + "?"
		}
		ld.problems = append(ld.problems, Problem{Severity: SeverityError, File: predicatesFile, Line: refused.Line,
			Message: reason + "; the shipped predicates are in use until it is mended"})
		return memory.DefaultPredicates()
	case err != nil:
		ld.errorf(predicatesFile, "%v", err)
		return memory.DefaultPredicates()
	}
	return table
}

// promptsDir holds a world's own prompts for language models, one file a call.
const promptsDir = "prompts"

// prompts reads prompts/NAME.txt. Whether a call has that name, and whether the
// text can be used, the prompts' own package says.
func (ld *loader) prompts() map[string]string {
	out := map[string]string{}
	for _, e := range ld.entries(promptsDir) {
		name, ok := strings.CutSuffix(e.Name(), ".txt")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		file := path.Join(promptsDir, e.Name())
		data, err := readFile(ld.fsys, file)
		if err != nil {
			ld.errorf(file, "cannot be read: %v", unwrapPath(err))
			continue
		}
		out[name] = string(data)
	}
	return out
}
