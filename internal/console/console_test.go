package console

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./internal/console -update writes it", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", path, got, want)
	}
}

func ferry() *schema.Reply {
	return &schema.Reply{TurnID: "T1", NPC: "mira", Text: "Teague owns the ferry. Mind the sparks.",
		Status: schema.StatusExtractive, Audit: schema.FullyCited,
		Sentences: []schema.Sentence{
			{Seq: 1, Text: "Teague owns the ferry.", Evidence: []schema.EvidenceRef{
				{ID: "E1", Path: "lore/ferry.txt#0", Text: "Teague owns\nthe ferry.", Source: schema.OriginCorpus}}},
			{Seq: 2, Text: "Mind the sparks.", Authored: true},
		}}
}

func TestWhy(t *testing.T) {
	var b bytes.Buffer
	Why(&b, nil)
	Why(&b, ferry())
	withheld := &schema.Reply{Status: schema.StatusWithheld, Reason: schema.ReasonSecret,
		Sentences: []schema.Sentence{{Text: "That stays with me.", Authored: true}}}
	Why(&b, withheld)
	golden(t, "why.golden", b.String())
}

func TestTraceShowsEveryPass(t *testing.T) {
	review := &protocol.Review{Verdict: protocol.IssuesFound, Attempt: 1,
		Claims: []schema.ClaimVerdict{{Claim: "Teague drowned a man.", Kind: schema.ClaimWorld, Citation: "E1",
			Verdict: schema.Verdict{Label: schema.Unverifiable, Score: 0.03, Tier: "rule", Why: "nobody drowned"}}},
		Issues: []schema.Issue{{Claim: "Teague drowned a man.", Type: schema.IssueNotEntailed, Citation: "E1",
			Correction: "leave it out"}}}
	turn := &protocol.Turn{
		Class: protocol.ClassMedium,
		Retrieval: &protocol.Retrieval{Intent: protocol.IntentQuestion, Confidence: 0.71, Zone: protocol.ZoneModel,
			Rejected: []protocol.Count{{Name: "out_of_scope", N: 2}}},
		Unknown: []string{"Quellamar"},
		Evidence: []protocol.Evidence{
			{ID: "E1", Score: 0.9, Path: "lore/ferry.txt", Text: strings.Repeat("Teague owns the ferry. ", 10)}},
		Thoughts:      []protocol.Thought{{Text: "Teague owns the ferry.", Citations: []string{"1"}}},
		ClaimAudit:    []protocol.ClaimAudit{{Claim: "Teague owns the ferry.", Verdict: "SUPPORTED by [1]"}},
		ThoughtReview: &protocol.Review{Verdict: protocol.Approved, Attempt: 1},
		Decision: &protocol.Decision{Kind: protocol.KindAnswer, Share: []string{"E1"},
			Withhold: []protocol.Withhold{{Topic: "the ledger", Reason: "SECRET"}},
			Actions:  []schema.Action{{Name: "give_quest", Refused: "give_quest requires trust >= 20"}}},
		Speech: &protocol.Speech{Speaker: "extractive",
			Sentences: []protocol.DraftSentence{{Text: "Teague owns the ferry."}}},
		SpeechReview: review,
		Stripped:     []schema.Stripped{{Text: "Teague drowned a man.", Issue: schema.Issue{Type: schema.IssueNotEntailed}}},
	}
	var traces []protocol.Trace
	for i, p := range protocol.Passes {
		next := schema.PassDone
		if i+1 < len(protocol.Passes) {
			next = protocol.Passes[i+1]
		}
		traces = append(traces, protocol.Trace{TurnID: "T1",
			Record: schema.PassRecord{Pass: p, Hop: i, Attempt: 1 + i/6, TookMS: float64(i) + 0.25}, Next: next, Turn: turn})
	}
	var b bytes.Buffer
	Trace(&b, traces)
	golden(t, "trace.golden", b.String())

	b.Reset()
	Trace(&b, nil)
	if !strings.Contains(b.String(), "seven days") {
		t.Errorf("no passes: %q", b.String())
	}
}

func TestWhatIsShownHasNoNullLists(t *testing.T) {
	for name, r := range map[string]*schema.Reply{"empty": {}, "full": ferry()} {
		data, err := json.Marshal(Shown(r))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("null")) {
			t.Errorf("%s: %s", name, data)
		}
	}
	if path := Shown(ferry()).Sentences[0].Evidence[0].Path; path != "lore/ferry.txt" {
		t.Errorf("path %q has a fragment", path)
	}
}

func TestValuesOfTheState(t *testing.T) {
	for in, want := range map[string]any{"true": true, "FALSE": false, "7": 7.0, "-1.5": -1.5, "open": "open", `"7"`: "7",
		"t": "t", "": ""} {
		if got := Value(in); got != want {
			t.Errorf("%q is %#v, want %#v", in, got, want)
		}
	}
}
