package nli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// hostile are texts that were never meant to be read.
var hostile = map[string]string{
	"empty":             "",
	"blank":             " \t\n\u00a0\u2003",
	"huge":              strings.Repeat("The mill burned in the spring. ", 1<<20/31),
	"huge, one word":    strings.Repeat("a", 1<<20),
	"huge, no sentence": strings.Repeat("! ", 1<<18),
	"marks":             strings.Repeat("!", 300),
	"dots":              strings.Repeat(". ", 300),
	"emoji":             strings.Repeat("🔥", 300),
	"binary":            string([]byte{0, 1, 2, 0xff, 0xfe, 0x80, 0xc3, 0x28, 'a', 0}),
	"long binary":       strings.Repeat("\xff\x00\xc3", 4000),
	"right to left":     "הטחנה נשרפה באביב. \u202eThe mill burned.\u202c",
	"homoglyphs":        "Тhе mіll burnеd.",
	"zero width":        "The\u200b mi\u200cll bur\u200dned\ufeff.",
	"combining":         "m" + strings.Repeat("\u0301", 5000) + "ill",
	"CJK":               strings.Repeat("磨坊在春天被烧毁了。", 60),
	"one long sentence": strings.Repeat("and the mill ", 400) + "burned",
	"special pieces":    "[CLS] the mill [SEP] burned [PAD] [MASK] [UNK]",
}

func names(m map[string]string) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Every text gets a verdict or a plain error, on either side of a pair, and spoils
// no other pair of the batch.
func TestNoTextHarmsTheModel(t *testing.T) {
	plain := entail.Pair{Premise: "the mill burned.", Hypothesis: "a mill burned"}
	m := tinyModel(t, tiny{})
	alone, err := m.Verify(t.Context(), []entail.Pair{plain})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names(hostile) {
		t.Run(name, func(t *testing.T) {
			m := tinyModel(t, tiny{}) // without what is remembered of the last
			s := hostile[name]
			out, err := m.Verify(t.Context(),
				[]entail.Pair{{Premise: s, Hypothesis: "the mill burned"}, plain, {Premise: "the mill burned", Hypothesis: s},
					{Premise: s, Hypothesis: s}})
			if err != nil || len(out) != 4 {
				t.Fatalf("%d verdicts, %v", len(out), err)
			}
			if out[1].Label != alone[0].Label || math.Abs(out[1].Score-alone[0].Score) > 1e-4 {
				t.Errorf("the pair beside it has %+v, alone %+v", out[1], alone[0])
			}
			answers, err := m.Answers(t.Context(), s, []string{"the mill burned", s})
			if err != nil || len(answers) != 2 {
				t.Errorf("answers %v, %v", answers, err)
			}
		})
	}
}

// With the weights that ship, behind the rules: none of these texts is supported
// by evidence that does not hold it, and none supports what it does not say.
func TestNoHostileTextIsSupported(t *testing.T) {
	m := shippedModel(t)
	var pairs []entail.Pair
	var of []string
	for _, name := range names(hostile) {
		if len(hostile[name]) > 4000 { // the model reads long texts in parts; those above are for the tiny one
			continue
		}
		pairs = append(pairs, entail.Pair{Premise: "Teague owns the ferry. A crossing costs two bits.",
			Hypothesis: hostile[name]})
		pairs = append(pairs, entail.Pair{Premise: hostile[name], Hypothesis: "Teague owns the ferry."})
		of = append(of, name+", claimed", name+", as evidence")
	}
	out, err := entail.NewCascade(entail.NewRules(), m).Verify(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range out {
		if v.Label == schema.Supported {
			t.Errorf("%s: %+v", of[i], v)
		}
	}
}

func TestClearCases(t *testing.T) {
	m := shippedModel(t)
	cascade := entail.NewCascade(entail.NewRules(), m)
	for _, c := range []struct {
		name, premise, claim string
		never                schema.Label
	}{
		{"another season", "The mill burned in the spring of 1402.", "the mill burned down last autumn", schema.Supported},
		{"an invention", "Teague owns the ferry.", "Teague drowned his brother for the gold.", schema.Supported},
		{"another matter", "Teague owns the ferry.", "The chapel bell cracked in the frost.", schema.Supported},
		{"another number", "A crossing costs two bits.", "A crossing costs three bits.", schema.Supported},
		{"word for word", "A crossing costs two bits.", "A crossing costs two bits.", schema.Unverifiable},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := cascade.Verify(t.Context(), []entail.Pair{{Premise: c.premise, Hypothesis: c.claim}})
			if err != nil || out[0].Label == c.never || out[0].Why == "" {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}

// A fact far down a long premise is found: the window that holds it speaks for the
// whole.
func TestALongPremiseIsReadInWindows(t *testing.T) {
	m := shippedModel(t)
	const fact, claim = "Teague the ferryman lost two fingers to the winch.", "Two of Teague's fingers were lost to " +
		"the winch."
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf(
			"On day %d the reeve counted the sacks in the barn and wrote down what he saw.", i+1))
	}
	without := strings.Join(lines, " ")
	lines[29] = fact
	got, err := m.Probabilities(t.Context(),
		[][2]string{{fact, claim}, {strings.Join(lines, " "), claim}, {without, claim}})
	if err != nil {
		t.Fatal(err)
	}
	if buried, missing := got[1].Entailed, got[2].Entailed; buried <= missing {
		t.Errorf("with the fact in sentence 30 of 40: %.4f, without it: %.4f", buried, missing)
	}
	if len(m.windows(without)) < 3 {
		t.Error("the premise is one window, and shows nothing")
	}
}

// Windows are bounded, none is empty, and every sentence that fits a window stands
// whole in one of them.
func TestWindows(t *testing.T) {
	m := tinyModel(t, tiny{})
	for _, n := range []int{0, 1, 2, 5, 9, 40, 100} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var sentences []string
			for i := range n {
				sentences = append(sentences, fmt.Sprintf("the mill number %d burned", i)+strings.Repeat(" so", i%9)+".")
			}
			windows := m.windows(strings.Join(sentences, " "))
			if len(windows) == 0 || len(windows) > maxWindows {
				t.Fatalf("%d windows", len(windows))
			}
			for _, s := range sentences {
				ids := m.tokens(s, windowTokens)
				whole := slices.ContainsFunc(windows, func(w []int32) bool { return contains(w, ids) })
				if !whole && len(windows) < maxWindows {
					t.Errorf("%q stands in no window", s)
				}
			}
			for i, w := range windows {
				if len(w) > windowTokens || len(w) == 0 && n > 0 {
					t.Errorf("window %d has %d tokens", i, len(w))
				}
			}
		})
	}
}

func contains(list, run []int32) bool {
	for i := 0; i+len(run) <= len(list); i++ {
		if slices.Equal(list[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

// A pair's own thresholds hold for it alone, and one that the rules doubt needs
// what the doubtful need.
func TestThresholdsOfAPair(t *testing.T) {
	m := tinyModel(t, tiny{})
	pair := func(at entail.Thresholds) entail.Pair {
		return entail.Pair{Premise: "the mill burned", Hypothesis: "a mill burned", At: at}
	}
	base, err := m.Verify(t.Context(), []entail.Pair{pair(entail.Thresholds{})})
	if err != nil {
		t.Fatal(err)
	}
	score := base[0].Score
	if score < 0.05 || score > 0.95 {
		t.Fatalf("the score is %v; this test wants one in the middle", score)
	}
	below, above := score-0.02, score+0.02
	doubt := doubtOf(t)
	for _, c := range []struct {
		name    string
		at      entail.Thresholds
		doubted bool
		label   schema.Label
		final   bool
	}{
		{"reached", entail.Thresholds{Entailment: below}, false, schema.Supported, false},
		{"not reached, and not far", entail.Thresholds{Entailment: above, Ambiguous: below}, false, schema.Unverifiable,
			false},
		{"not reached by far", entail.Thresholds{Entailment: above, Ambiguous: above, Contradiction: 1}, false,
			schema.Unverifiable, true},
		{"denied", entail.Thresholds{Entailment: above, Ambiguous: above, Contradiction: 1e-6}, false, schema.Contradicted,
			false},
		{"denied, and half entailed", entail.Thresholds{Entailment: above, Ambiguous: below, Contradiction: 1e-6}, false,
			schema.Unverifiable, false},
		{"doubted, and enough for it", entail.Thresholds{Entailment: below, Doubted: below}, true, schema.Supported, false},
		{"doubted, and too little", entail.Thresholds{Entailment: below, Doubted: above, Ambiguous: below}, true,
			schema.Unverifiable, false},
		{"doubted asks for no less than others", entail.Thresholds{Entailment: above, Doubted: below, Ambiguous: below}, true,
			schema.Unverifiable, false},
		{"not doubted, whatever the doubted need", entail.Thresholds{Entailment: below, Doubted: above}, false,
			schema.Supported, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := make([]schema.Verdict, 2)
			if c.doubted {
				before[0] = doubt
			}
			out, err := m.VerifyAfter(t.Context(), []entail.Pair{pair(c.at), pair(entail.Thresholds{})}, before)
			if err != nil {
				t.Fatal(err)
			}
			if out[0].Label != c.label || out[0].Final != c.final || out[0].Tier != entail.TierModel || out[0].Why == "" {
				t.Errorf("got %+v", out[0])
			}
			if out[1].Label != base[0].Label {
				t.Errorf("the pair beside it has %+v", out[1])
			}
		})
	}
}

// doubtOf is a verdict by which the rules doubt.
func doubtOf(t *testing.T) schema.Verdict {
	t.Helper()
	v := schema.Verdict{Label: schema.Unverifiable, Tier: entail.TierRule, Score: 0.15}
	if !entail.Doubts(v) {
		t.Fatal("this is no doubt of the rules")
	}
	return v
}

// thing draws a text of any kind: sentences, unicode, marks, bytes.
func thing(name string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 4).Draw(t, name) {
		case 0:
			return rapid.String().Draw(t, name)
		case 1:
			return string(rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, name))
		case 2:
			return strings.Repeat(rapid.SampledFrom([]string{"the mill burned. ", "!", ". ", "a\u0301", "\u202e", "ж", "🔥 ",
				"\x00", "the ferry "}).Draw(t, name), rapid.IntRange(0, 200).Draw(t, name))
		default:
			return strings.Join(rapid.SliceOfN(
				rapid.SampledFrom([]string{"the", "mill", "burned", "owns", "not", "two", "ferry", ".", ",", "Teague", "1402"}), 0,
				30).Draw(t, name), " ")
		}
	})
}

func drawPairs(t *rapid.T) []entail.Pair {
	var out []entail.Pair
	for range rapid.IntRange(0, 12).Draw(t, "pairs") {
		p := entail.Pair{Premise: thing("premise").Draw(t, "premise"), Hypothesis: thing("hypothesis").Draw(t, "hypothesis")}
		if rapid.Bool().Draw(t, "named") {
			p.Names = entail.Names{Self: "Mira", Writer: rapid.SampledFrom([]string{"", "Mira", "Bram", entail.Stranger}).Draw(t,
				"writer")}
		}
		out = append(out, p)
	}
	return out
}

// same says whether verdicts are the same. What stands in one batch may move the
// last digits of a score, and a score at a threshold with them.
func same(a, b schema.Verdict) bool {
	near := math.Abs(a.Score-b.Score) < 1e-4
	return near && (a.Label == b.Label && a.Final == b.Final || nearThreshold(a.Score)) && a.Span == b.Span &&
		a.Tier == b.Tier
}

func nearThreshold(score float64) bool {
	at := tinyCalibration.Thresholds
	return slices.ContainsFunc([]float64{at.Entailment, at.Ambiguous, at.Doubted, at.Contradiction},
		func(v float64) bool { return math.Abs(v-score) < 1e-4 })
}

// One verdict a pair, in the order of the pairs; the same in any batch, in any
// order, and from what is remembered.
func TestPropertyVerdictsAreThoseOfTheirPairs(t *testing.T) {
	m := tinyModel(t, tiny{})
	rapid.Check(t, func(rt *rapid.T) {
		pairs := drawPairs(rt)
		fresh := forgetful(m)
		first, err := fresh.Verify(context.Background(), pairs)
		if err != nil || len(first) != len(pairs) {
			rt.Fatalf("%d verdicts of %d pairs, %v", len(first), len(pairs), err)
		}
		again, err := fresh.Verify(context.Background(), pairs)
		if err != nil {
			rt.Fatal(err)
		}
		if len(pairs) == 0 {
			return
		}
		order := rapid.Permutation(seq(len(pairs))).Draw(rt, "order")
		var mixed []entail.Pair
		for _, i := range order {
			mixed = append(mixed, pairs[i])
		}
		turned, err := forgetful(m).Verify(context.Background(), mixed)
		if err != nil {
			rt.Fatal(err)
		}
		for k, i := range order {
			if again[i] != first[i] {
				rt.Fatalf("remembered %+v, at first %+v", again[i], first[i])
			}
			if !same(turned[k], first[i]) {
				rt.Fatalf("%+v\nin another order %+v\nat first %+v", pairs[i], turned[k], first[i])
			}
		}
		alone, err := forgetful(m).Verify(context.Background(), pairs[:1])
		if err != nil || !same(alone[0], first[0]) {
			rt.Fatalf("alone %+v, among others %+v, %v", alone, first[0], err)
		}
	})
}

// forgetful is the model with nothing remembered.
func forgetful(m *Model) *Model {
	out := *m
	out.seen, out.answered = newCache[entail.Probability](cachePairs), newCache[float64](cachePairs)
	return &out
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// A higher threshold never supports what a lower one did not.
func TestPropertyAHigherThresholdSupportsNoMore(t *testing.T) {
	m := tinyModel(t, tiny{})
	between := rapid.Float64Range(0.001, 1)
	rapid.Check(t, func(rt *rapid.T) {
		p := entail.Pair{Premise: thing("premise").Draw(rt, "premise"),
			Hypothesis: thing("hypothesis").Draw(rt, "hypothesis"),
			At: entail.Thresholds{Entailment: between.Draw(rt, "entailment"),
				Contradiction: between.Draw(rt, "contradiction"), Ambiguous: between.Draw(rt, "ambiguous"),
				Doubted: between.Draw(rt, "doubted")}}
		higher := p
		for _, at := range []*float64{&higher.At.Entailment, &higher.At.Contradiction, &higher.At.Ambiguous,
			&higher.At.Doubted} {
			if rapid.Bool().Draw(rt, "raise") {
				*at = rapid.Float64Range(*at, 1).Draw(rt, "to")
			}
		}
		before := []schema.Verdict{{}, {}}
		if rapid.Bool().Draw(rt, "doubted") {
			doubt := schema.Verdict{Label: schema.Unverifiable, Tier: entail.TierRule, Score: 0.15}
			before = []schema.Verdict{doubt, doubt}
		}
		out, err := m.VerifyAfter(context.Background(), []entail.Pair{p, higher}, before)
		if err != nil {
			rt.Fatal(err)
		}
		if out[0].Label != schema.Supported && out[1].Label == schema.Supported {
			rt.Fatalf("at %+v %+v\nat %+v %+v", p.At, out[0], higher.At, out[1])
		}
	})
}

// What the rules refuse or deny, no model says after them.
func TestPropertyNoModelSupportsWhatTheRulesRefuse(t *testing.T) {
	m := tinyModel(t, tiny{})
	// it supports everything
	m.calibration.Thresholds = entail.Thresholds{Entailment: 1e-9, Contradiction: 1, Ambiguous: 1e-9, Doubted: 1e-9}
	cascade := entail.NewCascade(entail.NewRules(), m)
	names := []string{"Bram", "Osric", "Yrsa"}
	counts := []string{"two", "three", "40", "41"}
	rapid.Check(t, func(rt *rapid.T) {
		sentence := func(what string) string {
			return rapid.SampledFrom(names).Draw(rt, what) +
				rapid.SampledFrom([]string{" owes ", " never owes ", " does not owe ", " sold "}).Draw(rt, what) +
				rapid.SampledFrom(names).Draw(rt, what) + " " + rapid.SampledFrom(counts).Draw(rt, what) + " marks."
		}
		p := entail.Pair{Premise: sentence("premise"), Hypothesis: sentence("claim")}
		ruled, err := entail.NewRules().Verify(context.Background(), []entail.Pair{p})
		if err != nil {
			rt.Fatal(err)
		}
		out, err := cascade.Verify(context.Background(), []entail.Pair{p})
		if err != nil {
			rt.Fatal(err)
		}
		if entail.Decides(ruled[0]) && out[0] != ruled[0] {
			rt.Fatalf("%+v\nthe rules say %+v\nthen %+v", p, ruled[0], out[0])
		}
	})
}

// Many at once get what each gets by itself.
func TestConcurrentCallsAgree(t *testing.T) {
	m := tinyModel(t, tiny{})
	var pairs []entail.Pair
	for i := range 64 {
		pairs = append(pairs, entail.Pair{Premise: fmt.Sprintf("the mill number %d burned. ", i%8) +
			strings.Repeat("the ferry owns the mill. ", i%5*4), Hypothesis: fmt.Sprintf("mill %d burned", i)})
	}
	want := make([]schema.Verdict, len(pairs))
	for i := range pairs {
		out, err := forgetful(m).Verify(t.Context(), pairs[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		want[i] = out[0]
	}
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			for from := 0; from < len(pairs); from += 8 + worker {
				part := pairs[from:min(from+8+worker, len(pairs))]
				out, err := m.Verify(context.Background(), part)
				if err != nil {
					t.Error(err)
					return
				}
				for k := range out {
					if !same(out[k], want[from+k]) {
						t.Errorf("pair %d: %+v, alone %+v", from+k, out[k], want[from+k])
					}
				}
			}
		})
	}
	wait.Wait()
}

func TestTenThousandPairsAtOnce(t *testing.T) {
	m := tinyModel(t, tiny{})
	pairs := make([]entail.Pair, 10_000)
	for i := range pairs {
		pairs[i] = entail.Pair{Premise: fmt.Sprintf("mill %d burned", i), Hypothesis: fmt.Sprintf("the mill %d burned", i)}
	}
	out, err := m.Verify(t.Context(), pairs)
	if err != nil || len(out) != len(pairs) {
		t.Fatalf("%d verdicts, %v", len(out), err)
	}
	for _, i := range []int{0, 1, 4999, 9999} {
		alone, err := forgetful(m).Verify(t.Context(), pairs[i:i+1])
		if err != nil || !same(alone[0], out[i]) {
			t.Errorf("pair %d: %+v among others, %+v alone, %v", i, out[i], alone, err)
		}
	}
}

// The caches hold so many and no more, and no text of any size.
func TestTheCacheIsBounded(t *testing.T) {
	c := newCache[int](100)
	c.put(key{"kept", "kept"}, -1)
	for i := range 10_000 {
		c.put(key{fmt.Sprint(i), ""}, i)
		if v, ok := c.get(key{"kept", "kept"}); !ok || v != -1 {
			t.Fatalf("what is asked for again and again is forgotten after %d", i)
		}
		if n := len(c.young) + len(c.old); n > 101 {
			t.Fatalf("it holds %d", n)
		}
	}
	if v, ok := c.get(key{"9999", ""}); !ok || v != 9999 {
		t.Error("the last is not remembered")
	}
	c.put(key{strings.Repeat("x", maxKey+1), ""}, 1)
	if _, ok := c.get(key{strings.Repeat("x", maxKey+1), ""}); ok {
		t.Error("a huge text is remembered")
	}
}

// The model reads a note of another's with that one's name where the note says I:
// who owes is not the NPC that quotes it.
func TestTheModelReadsWhoSpeaks(t *testing.T) {
	m := tinyModel(t, tiny{})
	own := entail.Pair{Premise: "I owe nine bits.", Hypothesis: "I owe nine bits, more or less."}
	others := own
	others.Names = entail.Names{Self: "Mira", Writer: "Osric"}
	out, err := m.Verify(t.Context(), []entail.Pair{own, others})
	if err != nil {
		t.Fatal(err)
	}
	named, err := m.Verify(t.Context(),
		[]entail.Pair{{Premise: "Osric owe nine bits.", Hypothesis: "Mira owe nine bits, more or less."}})
	if err != nil {
		t.Fatal(err)
	}
	if out[1].Score == out[0].Score ||
		!same(named[0], schema.Verdict{Label: named[0].Label, Final: named[0].Final, Tier: named[0].Tier, Span: named[0].Span,
			Score: out[1].Score}) {
		t.Errorf("own %v, another's %v, by name %v", out[0].Score, out[1].Score, named[0].Score)
	}
}

// The second head gives one probability a block, in order.
func TestAnswers(t *testing.T) {
	m := tinyModel(t, tiny{})
	blocks := []string{"the mill burned", "", strings.Repeat("the ferry owns the mill. ", 200), "the mill burned"}
	out, err := m.Answers(t.Context(), "who owns the ferry?", blocks)
	if err != nil || len(out) != len(blocks) {
		t.Fatalf("%v, %v", out, err)
	}
	for i, v := range out {
		if !(v >= 0 && v <= 1) {
			t.Errorf("block %d: %v", i, v)
		}
		alone, err := forgetful(m).Answers(t.Context(), "who owns the ferry?", blocks[i:i+1])
		if err != nil || math.Abs(alone[0]-v) > 1e-5 {
			t.Errorf("block %d: %v among others, %v alone, %v", i, v, alone, err)
		}
	}
	if none, err := m.Answers(t.Context(), "who?", nil); err != nil || len(none) != 0 {
		t.Errorf("no blocks: %v, %v", none, err)
	}
}
