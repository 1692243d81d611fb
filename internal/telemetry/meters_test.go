package telemetry_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/telemetry"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func page(t *testing.T, m *telemetry.Meters) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	if w.Code != http.StatusOK {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func holds(t *testing.T, got string, lines ...string) {
	t.Helper()
	for _, want := range lines {
		if !strings.Contains("\n"+got, "\n"+want+"\n") {
			t.Errorf("no line %q", want)
		}
	}
}

func think(attempt int) mesh.Delivered {
	subject := protocol.SubjectPass(schema.PassThink, schema.ConversationID{World: "w", NPC: "mira", Player: "p"}, "T1")
	return mesh.Delivered{Consumer: "think", Subject: subject, Attempt: attempt, Stored: time.Unix(100, 0)}
}

// A message is in hand from its delivery to its end, and counted by what became of it.
func TestMessagesAreCounted(t *testing.T) {
	m := telemetry.NewMeters("1.0")
	now := time.Unix(100, 0)
	clock := func() time.Time { now = now.Add(20 * time.Millisecond); return now }
	first, second := m.Begin(think(1), "", clock), m.Begin(think(2), "", clock)
	m.Reported(mesh.Report{Where: "pass-think", Outcome: "retry"})
	m.Buried("think")
	holds(t, page(t, m), `forsooth_pass_in_flight{pass="think"} 2`, `forsooth_pass_redeliveries_total{pass="think"} 1`,
		`forsooth_pass_wait_seconds_count{pass="think"} 1`,
		`forsooth_pass_wait_seconds_sum{pass="think"} 0.02`, `forsooth_pass_retries_total{pass="think"} 1`,
		`forsooth_dead_letters_total{pass="think"} 1`)
	first(mesh.OutcomeDone)
	second(mesh.OutcomeAgain)
	holds(t, page(t, m), `forsooth_pass_in_flight{pass="think"} 0`, `forsooth_pass_messages_total{outcome="done"`+
		`,pass="think"} 1`,
		`forsooth_pass_messages_total{outcome="again",pass="think"} 1`, `forsooth_pass_messages_total{outcome="dead"`+
			`,pass="think"} 0`,
		`forsooth_pass_seconds_count{pass="think"} 2`, `forsooth_pass_seconds_bucket{pass="think",le="0.025"} 0`)
}

// A turn is counted by its reply. A label has no value that somebody else may write.
func TestTurnsAreCounted(t *testing.T) {
	m := telemetry.NewMeters("1.0")
	at := time.Unix(100, 0)
	m.Ended(&schema.Reply{TurnID: "T1", Status: schema.StatusAnswered, AcceptedAt: at,
		Sentences: []schema.Sentence{{Seq: 1, AtMS: 400}, {Seq: 2, AtMS: 900}},
		Stripped:  []schema.Stripped{{Issue: schema.Issue{Type: schema.IssueNotEntailed}}},
		Passes: []schema.PassRecord{{LLMCalls: 2, LLMMS: 300, Tokens: 120, TokensOut: 20, Cost: 0.5},
			{LLMCalls: 1, LLMMS: 200, Tokens: 30, TokensOut: 10, Cost: 0.25}},
	}, at.Add(1200*time.Millisecond), "")
	m.Ended(&schema.Reply{TurnID: "T2", Status: schema.StatusAuthored, Reason: schema.ReasonDeadline, AcceptedAt: at},
		at.Add(7*time.Second), "")
	m.Ended(&schema.Reply{TurnID: "T3", Status: "who knows? 17", Reason: "Ansel said so", AcceptedAt: at}, at, "")
	got := page(t, m)
	holds(t, got, `forsooth_turns_total{status="answered"} 1`, `forsooth_turns_total{status="authored"} 1`,
		`forsooth_turns_total{status="other"} 1`,
		`forsooth_turn_reasons_total{reason="DEADLINE"} 1`, `forsooth_turn_reasons_total{reason="other"} 1`,
		`forsooth_turn_reasons_total{reason="POISON"} 0`,
		`forsooth_turn_seconds_sum{status="answered"} 1.2`, `forsooth_turn_first_sentence_seconds_sum 0.4`,
		`forsooth_turn_first_sentence_seconds_count 1`,
		`forsooth_turn_llm_seconds_sum 0.5`, `forsooth_turn_llm_calls_total 3`,
		`forsooth_turn_tokens_total{direction="in"} 120`, `forsooth_turn_tokens_total{direction="out"} 30`,
		`forsooth_turn_cost_total 0.75`, `forsooth_turn_stripped_total{issue="NOT_ENTAILED"} 1`,
		`forsooth_turn_stripped_total{issue="SECRET"} 0`)
	if strings.Contains(got, "Ansel") {
		t.Error("a label holds what somebody wrote")
	}
}

// An alert on a change sees the first step only where there was nothing before.
func TestWhatPagesIsThereFromTheStart(t *testing.T) {
	m := telemetry.NewMeters("1.0")
	m.Watch(telemetry.Watched{}, "speak")
	got := page(t, m)
	for _, source := range []string{"corpus", "user", "model", "system", "ineligible"} {
		holds(t, got, `forsooth_evidence_source_total{kind="world",source="`+source+`"} 0`)
	}
	holds(t, got, `forsooth_dead_letters_total{pass="speak"} 0`, `forsooth_pass_retries_total{pass="speak"} 0`,
		`forsooth_turn_reasons_total{reason="DEADLINE"} 0`)
	m.Cited(schema.OriginUser, schema.ClaimWorld)
	m.Claimed(schema.ClaimWorld, schema.Supported)
	m.Split(schema.SplitModel, schema.Unverifiable)
	m.Skilled(0.97, 0.94, true)
	holds(t, page(t, m), `forsooth_judge_skill{of="sensitivity"} 0.97`, `forsooth_judge_skill{of="believed"} 1`)
	holds(t, page(t, m), `forsooth_evidence_source_total{kind="world",source="user"} 1`,
		`forsooth_claims_total{kind="world",verdict="supported"} 1`,
		`forsooth_split_sentences_total{by="model",verdict="unverifiable"} 1`,
		`forsooth_split_sentences_total{by="rules",verdict="supported"} 0`)
}

// What a message costs to be counted.
func BenchmarkBegin(b *testing.B) {
	m, d := telemetry.NewMeters("1.0"), think(1)
	for b.Loop() {
		d.Stored = time.Now()
		m.Begin(d, "", time.Now)(mesh.OutcomeDone)
	}
}
