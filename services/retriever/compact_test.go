package retriever_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

const invented = "Teague drowned the miller under the ferry."

// liar is a model whose compaction invents, and whose thoughts and speech believe it.
func liar(t *testing.T) (url string, asked func(call string) []string) {
	t.Helper()
	return servicetest.Model(t, map[string]string{
		"compact":   `{"summary":"` + invented + ` [1]"}`,
		"monologue": `{"thoughts":[{"text":"` + invented + `","citations":["1"]}]}`,
		"decision":  `{"plan":["Tell it."],"share":["E1"],"withhold":[],"tone":"","ask":"","actions":[]}`,
		"speech":    `{"sentences":[{"text":"` + invented + `","citations":[{"claim":"","evidence_id":"E1"}]}]}`,
	})
}

// Pass 1.5 stands in prompts only: a compactor that lies adds no evidence.
func TestACompactorThatLiesAddsNoEvidence(t *testing.T) {
	url, asked := liar(t)
	b := servicetest.NewAsking(t, servicetest.Village(), url, model.Options{Compact: true, SourceTokens: 20})
	turn := b.Turn("mira", "who owns the ferry?")
	reply := b.Walk(t, turn, schema.PassRetrieve)
	thought := strings.Join(asked("monologue"), "\n")
	if len(asked("compact")) == 0 || !strings.Contains(thought, invented) || strings.Contains(thought, "<sources>") {
		t.Fatal("the sources were not compacted, so this shows nothing")
	}
	if strings.Contains(reply.Text, "drowned") || len(reply.Stripped) == 0 {
		t.Errorf("reply %q, stripped %+v", reply.Text, reply.Stripped)
	}
	for _, e := range turn.Evidence {
		if strings.Contains(e.Text, "drowned") && strings.Contains(e.Text, "miller") {
			t.Errorf("the summary became evidence: %+v", e)
		}
	}
	if reply.Status != schema.StatusExtractive || reply.Reason != protocol.GroundingUnverifiable {
		t.Errorf("%s, %s: %q", reply.Status, reply.Reason, reply.Text)
	}
}
