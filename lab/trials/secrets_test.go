package trials

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// Each way of writing has its own name and its own result, or the table counts one twice.
func TestSpellingsDiffer(t *testing.T) {
	const secret = "Mira let the miller in before the fire."
	names, written := map[string]bool{}, map[string]string{}
	for _, s := range Spellings {
		out := s.Of(secret)
		if names[s.Name] || written[out] != "" || out == "" {
			t.Errorf("%s: %q, as %q writes it", s.Name, out, written[out])
		}
		names[s.Name], written[out] = true, s.Name
	}
}

// A secret in plain words is found by the guard, and a review without the guard does not
// release it for a judge that supports everything.
func TestASecretInPlainWords(t *testing.T) {
	sub, err := subWorld("hollowmere")
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := world.Load(sub, ".")
	if err != nil {
		t.Fatal(err)
	}
	told, err := Secrets(t.Context(), SecretsOptions{Worlds: []*world.World{w}, Level: grounding.Lively,
		Judge: bench.LyingJudge, Spellings: Spellings[:1]})
	if err != nil || len(told) != 1 || told[0].Tried == 0 || told[0].Guarded != told[0].Tried || told[0].Released != 0 {
		t.Errorf("%+v, %v", told, err)
	}
}
