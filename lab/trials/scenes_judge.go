package trials

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/forsooth-npc/forsooth/lab/invariant"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var markForm = regexp.MustCompile(`Vex\d+q`)

// sceneInvariants are those of every run that a scene can break.
var sceneInvariants = []string{"replied", "replied-once", "order", "reviewed", "joined", "fenced", "numbered", "memory",
	"applied", "in-flight", "drained"}

// judgeScene holds what a scene has left against the invariants and the witness rule. Who
// was there is told by who entered and left, and not by what the mesh says of it.
func judgeScene(run *invariant.Run) *ScenesRun {
	out := &ScenesRun{Bench: "scenes", Statuses: map[string]int{}, Violations: []invariant.Violation{}}
	for _, v := range invariant.Check(run) {
		if slices.Contains(sceneInvariants, v.Invariant) {
			out.Violations = append(out.Violations, v)
		}
	}
	broken := func(turn, format string, args ...any) {
		out.Violations = append(out.Violations, invariant.Violation{Invariant: "witness", Turn: turn,
			What: fmt.Sprintf(format, args...)})
	}
	replies := slices.Clone(run.Replies)
	slices.SortFunc(replies, func(a, b invariant.Reply) int { return cmp.Compare(a.Reply.Sequence, b.Reply.Sequence) })
	var there []string
	heard := map[string]map[string]bool{} // by NPC, the marks
	for i := range replies {
		r := &replies[i].Reply
		if r.Scene == nil {
			continue
		}
		out.Statuses[string(r.Status)+" "+r.Reason]++
		if r.Scene.Moves() {
			out.Moves++
			there = afterMove(there, r)
			continue
		}
		if r.Scene.Round > r.Scene.Rounds || r.Scene.Round > schema.MaxSceneRounds || len(there) > schema.MaxSceneNPCs {
			broken(r.TurnID, "round %d of %d, with %d NPCs", r.Scene.Round, r.Scene.Rounds, len(there))
		}
		if r.Scene.Round > 0 && len(r.Sentences) > 0 {
			out.Rounds++
		}
		if r.NPC != "" && !slices.Contains(there, r.NPC) && len(r.Sentences) > 0 {
			broken(r.TurnID, "%s speaks and is not there", r.NPC)
		}
		for _, npc := range there {
			for _, m := range markForm.FindAllString(r.Message, -1) {
				hear(heard, npc, m)
			}
		}
		for _, m := range markForm.FindAllString(r.Text, -1) {
			out.Told++
			if !heard[r.NPC][m] {
				broken(r.TurnID, "%s says %s and has not heard it: %q", r.NPC, m, r.Text)
			}
			for _, npc := range there {
				hear(heard, npc, m)
			}
		}
	}
	remembered(run, out, heard, broken)
	return out
}

// remembered holds what is remembered against what each NPC has heard.
func remembered(
	run *invariant.Run, out *ScenesRun, heard map[string]map[string]bool, broken func(turn, format string, args ...any),
) {
	for i := range run.Memory {
		m := run.Memory[i].Memory
		if m == nil {
			continue
		}
		out.Memories++
		for _, name := range markForm.FindAllString(m.Content+" "+m.Object, -1) {
			if !heard[m.NPC][name] {
				broken(m.TurnID, "%s remembers %s and has not heard it", m.NPC, name)
			}
		}
	}
}

func hear(heard map[string]map[string]bool, npc, what string) {
	if heard[npc] == nil {
		heard[npc] = map[string]bool{}
	}
	heard[npc][what] = true
}

func afterMove(there []string, r *schema.Reply) []string {
	if r.Status == schema.StatusAborted {
		return there
	}
	if in := r.Scene.Enter; in != nil {
		for _, npc := range in.NPCs {
			if !slices.Contains(there, npc) {
				there = append(there, npc)
			}
		}
	}
	if away := r.Scene.Leave; away != nil {
		there = slices.DeleteFunc(there, func(npc string) bool { return slices.Contains(away.NPCs, npc) })
	}
	return there
}
