package prompt

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Remember is the data of the memories call: the message alone, and the predicates
// that there are. What was said before is no part of it, so that every span stands in
// the message.
func Remember(player, message string, predicates []string) *Data {
	return new(Data).Section("predicates", predicates...).Message(player, message)
}

// Compare is the data of the cluster call: memories under numbers, each with the time
// of which it is.
func Compare(members []schema.Memory) *Data {
	var lines []string
	for i := range members {
		m := &members[i]
		line := fmt.Sprintf("[%d] %s", i+1, m.Content)
		if !m.EventTime.IsZero() {
			line += " (" + m.EventTime.Format("2006-01-02") + ")"
		}
		lines = append(lines, line)
	}
	return new(Data).Section("remembered", lines...)
}

// clusterVerdicts are what the members of a cluster may be called.
var clusterVerdicts = []string{"EQUIVALENT", "TEMPORAL_EVOLUTION", "CONTRADICTION", "DISTINCT"}

// Compared reads the answer of the cluster call.
func Compared(answer []byte) (verdict, why string, err error) {
	var a struct{ Verdict, Reasoning string }
	if err := json.Unmarshal(answer, &a); err != nil {
		return "", "", fmt.Errorf("cluster: %w", err)
	}
	if !slices.Contains(clusterVerdicts, a.Verdict) {
		return "", "", fmt.Errorf("cluster: verdict is %q; it must be one of %v", a.Verdict, clusterVerdicts)
	}
	return a.Verdict, clean(a.Reasoning), nil
}
