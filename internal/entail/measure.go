package entail

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// LabelledPair is a pair with its label.
type LabelledPair struct {
	Premise    string `json:"premise"`
	Hypothesis string `json:"hypothesis"`
	Label      string `json:"label"`
	Kind       string `json:"kind"`
	Origin     string `json:"origin"`
}

// Supported says whether the premise supports the hypothesis.
func (p LabelledPair) Supported() bool {
	return p.Label == string(schema.Supported) || p.Label == "entailment"
}

var labels = []string{"supported", "contradicted", "unverifiable", "entailment", "contradiction", "neutral",
	"not_entailment"}

const maxLine = 4 << 20

// ReadPairs reads pairs, one JSON object a line. name is the file's, for errors.
func ReadPairs(name string, r io.Reader) ([]LabelledPair, error) {
	var out []LabelledPair
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 64<<10), maxLine)
	for n := 1; sc.Scan(); n++ {
		var p LabelledPair
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			return nil, fmt.Errorf("%s:%d: is not {\"premise\":…,\"hypothesis\":…,\"label\":…}: %w", name, n, err)
		}
		if !slices.Contains(labels, p.Label) {
			return nil, fmt.Errorf("%s:%d: label %q is none; write supported, contradicted or unverifiable", name, n, p.Label)
		}
		out = append(out, p)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

// Unlabelled makes pairs for a verifier.
func Unlabelled(pairs []LabelledPair) []Pair {
	out := make([]Pair, len(pairs))
	for i, p := range pairs {
		out[i] = Pair{Premise: p.Premise, Hypothesis: p.Hypothesis}
	}
	return out
}

// Figures are what verdicts are worth.
type Figures struct {
	Pairs  int     `json:"pairs"`
	AUROC  float64 `json:"auroc"`          // supported against the rest
	False  float64 `json:"false_accepted"` // share of the rest that was accepted
	True   float64 `json:"true_accepted"`  // share of the supported that was accepted
	AtFive float64 `json:"accepted_at_5"`  // share of the supported at 5 % false accepts
	// mean closeness of the supported that were accepted: how near the NPC must keep to its evidence
	Closeness float64       `json:"accepted_overlap"`
	ByKind    []KindFigures `json:"by_kind"`
}

// KindFigures is one kind of pair.
type KindFigures struct {
	Kind      string  `json:"kind"`
	Supported bool    `json:"supported"`
	Pairs     int     `json:"pairs"`
	Accepted  float64 `json:"accepted"`
	Denied    float64 `json:"contradicted"` // share that the verifier calls contradicted
}

// FiguresOf measures verdicts.
func FiguresOf(pairs []LabelledPair, verdicts []schema.Verdict) Figures {
	f := Figures{Pairs: len(pairs)}
	var good, bad []float64
	accepted := [2]int{}
	type key struct {
		kind      string
		supported bool
	}
	kinds := map[key]*KindFigures{}
	for i, p := range pairs {
		v := verdicts[i]
		k := key{cmp.Or(p.Kind, p.Origin), p.Supported()}
		if kinds[k] == nil {
			kinds[k] = &KindFigures{Kind: k.kind, Supported: k.supported}
		}
		kinds[k].Pairs++
		if v.Label == schema.Contradicted {
			kinds[k].Denied++
		}
		if v.Label == schema.Supported {
			kinds[k].Accepted++
			if p.Supported() {
				accepted[1]++
				f.Closeness += Closeness(p.Premise, p.Hypothesis)
			} else {
				accepted[0]++
			}
		}
		if p.Supported() {
			good = append(good, v.Score)
		} else {
			bad = append(bad, v.Score)
		}
	}
	f.AUROC, f.AtFive = AUROC(good, bad), share(good, Threshold(bad, 0.05))
	f.True, f.False = ratio(accepted[1], len(good)), ratio(accepted[0], len(bad))
	if accepted[1] > 0 {
		f.Closeness /= float64(accepted[1])
	}
	for _, k := range kinds {
		k.Accepted /= float64(k.Pairs)
		k.Denied /= float64(k.Pairs)
		f.ByKind = append(f.ByKind, *k)
	}
	slices.SortFunc(f.ByKind, func(a, b KindFigures) int {
		if a.Supported != b.Supported {
			return map[bool]int{true: -1, false: 1}[a.Supported]
		}
		return cmp.Compare(a.Kind, b.Kind)
	})
	return f
}

func ratio(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// AUROC is the chance that a good score lies above a bad one; ties count half.
func AUROC(good, bad []float64) float64 {
	if len(good) == 0 || len(bad) == 0 {
		return 0
	}
	sorted := slices.Clone(bad)
	slices.Sort(sorted)
	sum := 0.0
	for _, g := range good {
		below, _ := slices.BinarySearch(sorted, g)
		upTo, _ := slices.BinarySearchFunc(sorted, g, func(a, b float64) int {
			if a <= b {
				return -1
			}
			return 1
		})
		sum += float64(below) + float64(upTo-below)/2
	}
	return sum / float64(len(good)*len(bad))
}

// Threshold is the score above which at most that share of the bad lies.
func Threshold(bad []float64, rate float64) float64 {
	if len(bad) == 0 {
		return 0
	}
	sorted := slices.Clone(bad)
	slices.Sort(sorted)
	return sorted[len(sorted)-1-int(rate*float64(len(sorted)))]
}

func share(scores []float64, above float64) float64 {
	n := 0
	for _, s := range scores {
		if s > above {
			n++
		}
	}
	return ratio(n, len(scores))
}
