package world_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/world"
)

func TestABudgetIsRead(t *testing.T) {
	w, problems, err := world.Load(files(map[string]string{
		"world.yaml": "name: a\nbudget: {tokens_per_day: 2_000_000, cost_per_day: 2.5, player_tokens_per_day: 50000, " +
			"player_cost_per_day: 1}\n",
	}), ".")
	want := world.Budget{TokensPerDay: 2_000_000, CostPerDay: 2.5, PlayerTokensPerDay: 50_000, PlayerCostPerDay: 1}
	if err != nil || len(problems) > 0 || w.Budget != want {
		t.Errorf("budget = %+v, %s, %v", w.Budget, lines(problems), err)
	}
}

func TestABudgetThatCannotBeReadIsNoMissingBudget(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"a word": {"budget:\n  tokens_per_day: many\n", "world.yaml:3: error: `budget.tokens_per_day` is no " +
			"whole number from 0 up; write one such as 200000"},
		"part of a token": {"budget:\n  player_tokens_per_day: 1.5\n",
			"world.yaml:3: error: `budget.player_tokens_per_day` is no whole number"},
		"below nothing": {"budget:\n  cost_per_day: -1\n", "world.yaml:3: error: `budget.cost_per_day` is no number " +
			"from 0 up; write one such as 2.5"},
		"no number": {"budget:\n  player_cost_per_day: .nan\n", "world.yaml:3: error: `budget.player_cost_per_day` is " +
			"no number"},
		"without end": {"budget:\n  cost_per_day: .inf\n", "world.yaml:3: error: `budget.cost_per_day` is no number"},
		"nothing":     {"budget:\n  cost_per_day:\n", "error: `budget.cost_per_day` is no number"},
		"no mapping":  {"budget: 500\n", "world.yaml:2: error: budget is not a list of `key: value` lines"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems, err := world.Load(files(map[string]string{"world.yaml": "name: a\n" + c.body}), ".")
			if err == nil || !strings.Contains(lines(problems), c.want) {
				t.Errorf("err = %v, problems %s, want %q", err, lines(problems), c.want)
			}
		})
	}
}

func TestWhatALintSaysOfBudgetAndDepth(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"an unknown key": {"budget:\n  token_per_day: 5\n", "world.yaml:3: warning: `budget.token_per_day` is not a " +
			"key of this file; did you mean `tokens_per_day`?"},
		"a limit of none": {"budget:\n  tokens_per_day: 0\n", "world.yaml:3: warning: `budget.tokens_per_day` is 0, " +
			"which sets no limit; leave it out, or stop the models with `forsooth llm off`"},
		"a wider player": {"budget:\n  tokens_per_day: 5\n  player_tokens_per_day: 6\n",
			"world.yaml:4: warning: `budget.player_tokens_per_day` is more than `budget.tokens_per_day`, which ends first"},
		"a depth not here": {"depth: deep\n", "world.yaml:2: warning: `depth` is \"deep\", which is none; write full " +
			"(every pass) or lean (one call)"},
	} {
		t.Run(name, func(t *testing.T) {
			w, problems, err := world.Load(files(map[string]string{"world.yaml": "name: a\n" + c.body}), ".")
			if err != nil || len(problems) != 1 || !strings.HasPrefix(problems[0].String(), c.want) {
				t.Fatalf("err = %v, problems %s, want %q", err, lines(problems), c.want)
			}
			if w.DepthFor(nil) != world.DepthFull {
				t.Errorf("depth = %q", w.DepthFor(nil))
			}
		})
	}
}

func TestAnNPCSetsItsCalls(t *testing.T) {
	_, n, problems := mira(t, "model:\n  speech: {model: big, timeout_ms: 4000, max_tokens: 300}\n  judge: {model: "+
		"small}\n  lean: {}\n")
	want := map[string]world.Call{"speech": {Model: "big", Timeout: 4 * time.Second, MaxTokens: 300},
		"judge": {Model: "small"}}
	if len(problems) > 0 || !reflect.DeepEqual(n.Model, want) {
		t.Errorf("model = %+v, %s", n.Model, lines(problems))
	}
}

func TestWhatALintSaysOfAnNPCsCalls(t *testing.T) {
	const file = "npcs/mira/npc.yaml:"
	for name, c := range map[string]struct{ body, want string }{
		"a call misspelt": {"model: {speach: {model: big}}\n", "warning: `model.speach` is not a key of this file; " +
			"did you mean `speech`?"},
		"a call that is none": {"model: {everything: {model: big}}\n",
			"warning: `model.everything` is no call; there are citation_query, rerank,"},
		"an unknown key": {"model: {speech: {model: big, timeout: 4}}\n",
			"warning: `model.speech.timeout` is not a key of this file"},
		"a word for a time": {"model: {speech: {model: big, timeout_ms: long}}\n",
			"error: `model.speech.timeout_ms` is no whole number between 1 and 60000; " +
				"write one, or leave it out for the default"},
		"too long": {"model: {speech: {model: big, timeout_ms: 60001}}\n",
			"error: `model.speech.timeout_ms` is no whole number between 1 and 60000"},
		"no tokens": {"model: {speech: {model: big, max_tokens: 0}}\n",
			"error: `model.speech.max_tokens` is no whole number between 1 and"},
		"a depth not here": {"depth: lena\nmodel: {speech: {model: big}}\n",
			"warning: `depth` is \"lena\", which is none; write full"},
	} {
		t.Run(name, func(t *testing.T) {
			w, n, problems := mira(t, c.body)
			if len(problems) != 1 || !strings.HasPrefix(problems[0].String(), file) ||
				!strings.Contains(problems[0].String(), c.want) {
				t.Fatalf("problems %s, want %q", lines(problems), c.want)
			}
			if strings.Contains(c.body, "speech") && n.Model["speech"] != (world.Call{Model: "big"}) ||
				w.DepthFor(n) != world.DepthFull {
				t.Errorf("what stands beside it is lost: %+v", n.Model)
			}
		})
	}
}
