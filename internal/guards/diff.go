package guards

import (
	"fmt"
	"reflect"
	"strings"
)

// Change is a setting that differs between two files.
type Change struct {
	Key  string `json:"key"`
	From any    `json:"from"`
	To   any    `json:"to"`
	Says string `json:"says,omitempty"` // what the change does, where it has a direction
}

func (c Change) String() string {
	line := fmt.Sprintf("%s: %s → %s", c.Key, plain(c.From), plain(c.To))
	if c.Says != "" {
		line += " (" + c.Says + ")"
	}
	return line
}

// plain is a value as a file would have it.
func plain(v any) string {
	if words, ok := v.([]string); ok {
		return "[" + strings.Join(words, ", ") + "]"
	}
	if v == "" {
		return `""`
	}
	return fmt.Sprint(v)
}

// Diff are the settings in which b differs from a, in the order in which they are
// written. A preset is told by what it sets and not by its name.
func Diff(a, b Settings) []Change {
	var out []Change
	to := b.fields()
	for i, f := range a.fields() {
		from, then := f.read(), to[i].read()
		if f.key == "preset" || same(from, then) {
			continue
		}
		out = append(out, Change{Key: f.key, From: from, To: then, Says: says(f.key, from, then)})
	}
	return out
}

// same takes an absent list for an empty one.
func same(a, b any) bool {
	x, isList := a.([]string)
	y, _ := b.([]string)
	if isList && len(x) == 0 && len(y) == 0 {
		return true
	}
	return reflect.DeepEqual(a, b)
}

// directions say what a larger and what a smaller value of a threshold does.
var directions = map[string][2]string{
	"grounding.min_confidence_after_penalty":                 {"keeps less", "keeps more"},
	"consistency_scan.signals.semantic_similarity_threshold": {"finds fewer clusters", "finds more clusters"},
	"consistency_scan.signals.temporal_drift_days":           {"finds fewer clusters", "finds more clusters"},
	"faithfulness.risk_thresholds.medium":                    {"stricter", "laxer"},
	"faithfulness.risk_thresholds.high":                      {"stricter", "laxer"},
	"consistency_scan.max_clusters_per_scan":                 {"judges more a night", "judges fewer a night"},
}

func says(key string, from, to any) string {
	d, ok := directions[key]
	if !ok {
		return ""
	}
	if number(to) > number(from) {
		return d[0]
	}
	return d[1]
}

func number(v any) float64 {
	if n, ok := v.(int); ok {
		return float64(n)
	}
	x, _ := v.(float64)
	return x
}
