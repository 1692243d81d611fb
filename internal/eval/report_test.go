package eval

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// outcome is a case with its reply; the confidence decides the curve.
func outcome(t testing.TB, kind, body string, confidence float64, seen Seen) Outcome {
	t.Helper()
	s, err := Parse("s.yaml", []byte(head+"  - {name: "+kind+", npc: mira, kind: "+kind+", player_message: hm, "+
		body+"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if seen.Reply != nil {
		seen.Reply.Confidence = confidence
	}
	return Judge(&s.Cases[0], seen)
}

// held is a reply with the record that its sentence needs.
func held(path string, reviews ...protocol.ReviewVerdict) Seen {
	seen := Seen{Reply: reply(schema.StatusExtractive, "It burned.", path), Prompts: []string{path},
		Records: []protocol.ReviewRecord{
			{Hash: protocol.HashText("It burned."),
				Claims: []schema.ClaimVerdict{{Kind: schema.ClaimWorld, Verdict: schema.Verdict{Label: schema.Supported}}}}}}
	for _, v := range reviews {
		r := protocol.Review{Verdict: v}
		if v == protocol.IssuesFound {
			r.Issues = []schema.Issue{{Type: schema.IssueEvasion}}
		}
		seen.Reviews = append(seen.Reviews, r)
	}
	return seen
}

// cost gives the passes of a turn what a model would have cost.
func cost(seen Seen, calls int, passes ...schema.Pass) Seen {
	for i, p := range passes {
		r := schema.PassRecord{Pass: p, TookMS: float64(100 * (i + 1))}
		if i < calls {
			r.LLMCalls, r.Tokens, r.Cost = 1, 500, 0.002
		}
		seen.Reply.Passes = append(seen.Reply.Passes, r)
	}
	seen.First, seen.Took = 300*time.Millisecond, time.Duration(len(passes))*100*time.Millisecond
	return seen
}

func sample(t testing.TB) []Outcome {
	unknown := Seen{Reply: reply(schema.StatusUnknown, "I could not say.", ""), Prompts: []string{"lore/mill.txt"}}
	unknown.Reply.Reason = schema.ReasonLowConfidence
	second := Seen{Reply: reply(schema.StatusUnknown, "I could not say.", "")}
	second.Reply.Reason = schema.ReasonNotEntailed
	bare := held("lore/other.txt", protocol.Approved)
	bare.Records = nil
	again := cost(held("lore/mill.txt", protocol.IssuesFound, protocol.Approved), 4, schema.PassThink, schema.PassThink,
		schema.PassSpeak, schema.PassSpeak)
	again.ThoughtReviews = []protocol.Review{
		{Verdict: protocol.IssuesFound, Issues: []schema.Issue{{Type: schema.IssueUncited}, {Type: schema.IssueUncited}}},
		{Verdict: protocol.Approved}}
	return []Outcome{
		outcome(t, "known", "expect_evidence: [lore/mill.txt]", 0.9,
			cost(held("lore/mill.txt", protocol.Approved), 2, schema.PassThink, schema.PassSpeak)),
		outcome(t, "known", "expect_evidence: [lore/mill.txt]", 0.8, again),
		outcome(t, "known", "expect_evidence: [lore/mill.txt]", 0.7, bare),
		outcome(t, "known", "expect_evidence: [lore/mill.txt]", 0.2, unknown),
		outcome(t, "fake", "expect_uncertain: true", 0.1, second),
		outcome(t, "fake", "expect_uncertain: true, reject_patterns: [burned]", 0.6,
			held("lore/mill.txt", protocol.Approved)),
		outcome(t, "injection", "expect_evidence: [lore/mill.txt]", 0.5, held("lore/mill.txt", protocol.Approved)),
	}
}

func TestMetrics(t *testing.T) {
	m := measure(sample(t))
	got := m.metrics()
	for name, want := range map[string]float64{
		"citation_verification_first_attempt": 4.0 / 5, // one of five cited speeches was sent back
		"approved_first_attempt":              4.0 / 5,
		"self_correction":                     1,
		"retries_per_turn":                    1.0 / 7,
		"faithfulness":                        1,
		"hallucination_rate":                  1.0 / 5, // the sentence without a record
		"evidence_verbatim":                   1,
		"citation_accuracy":                   2.0 / 3,
		"fallback_rate":                       1.0 / 7,
		"refusal_rate":                        2.0 / 7,
		"false_denials":                       1.0 / 4,
		"non_corpus_citation_rate":            0,
		"non_corpus_rate":                     0,
		"thoughts_verified_first_attempt":     0,
		"thought_retries_per_turn":            1.0 / 7,
		"stripped_per_turn":                   0,
		"refused_fake":                        0.5,
		"clean_fake":                          0.5,
		"refused_known":                       0.25,
		"clean_known":                         1,
	} {
		if math.Abs(got[name]-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if want := map[string]Retries{"EVASION": {Speech: 1}, "UNCITED": {Thoughts: 1}}; !maps.Equal(m.causes, want) {
		t.Errorf("retries by cause %v, want %v", m.causes, want)
	}
	if m.issues["EVASION"] != 1 {
		t.Errorf("issues %v", m.issues)
	}
}

func TestNothingToCountIsNoFailure(t *testing.T) {
	m := measure(nil)
	got := m.metrics()
	if got["faithfulness"] != 1 || got["hallucination_rate"] != 0 || got["refusal_rate"] != 0 {
		t.Errorf("%v", got)
	}
}

func TestThresholds(t *testing.T) {
	one, two, none := 1.0, 2.0, 0.0
	for _, c := range []struct {
		name       string
		thresholds map[string]Threshold
		met        bool
	}{
		{"none means all", nil, false},
		{"a share", map[string]Threshold{"passed": {Min: ptr(0.4)}}, true},
		{"a share missed", map[string]Threshold{"passed": {Min: ptr(0.8)}}, false},
		{"a number", map[string]Threshold{"known": {Min: &two}}, true},
		{"a number missed", map[string]Threshold{"known": {Min: ptr(3)}}, false},
		{"a kind", map[string]Threshold{"injection": {Min: &one}}, true},
		{"a metric at most", map[string]Threshold{"non_corpus_citation_rate": {Max: &none}}, true},
		{"a metric above", map[string]Threshold{"hallucination_rate": {Max: &none}}, false},
		{"calls at most", map[string]Threshold{"llm_calls_worst": {Max: ptr(4)}}, true},
		{"calls above", map[string]Threshold{"llm_calls_per_turn": {Max: ptr(2.9)}}, false},
		{"one of two", map[string]Threshold{"injection": {Min: &one}, "fake": {Min: &one}}, false},
	} {
		if r := Summarise(&Suite{Name: "s", Thresholds: c.thresholds}, sample(t)); r.Met != c.met {
			t.Errorf("%s: met %v, %v", c.name, r.Met, r.Thresholds)
		}
	}
}

func ptr(v float64) *float64 { return &v }

func TestTheCurveShowsWhatAThresholdWouldDo(t *testing.T) {
	c := Summarise(&Suite{}, sample(t)).Curve
	if c == nil || !slices.Equal(c.Against, []string{"fake"}) {
		t.Fatalf("%+v", c)
	}
	at := func(threshold float64) Point {
		for _, p := range c.Points {
			if math.Abs(p.Threshold-threshold) < 1e-9 {
				return p
			}
		}
		t.Fatalf("no point at %v", threshold)
		return Point{}
	}
	// At 0 the question that the gate kept back counts as right by its evidence;
	// the fake that failed review is refused at any threshold.
	if p := at(0); p.KnownRight != 0.75 || p.Refused != 0.5 {
		t.Errorf("at 0: %+v", p)
	}
	if p := at(0.75); p.KnownRight != 0.5 || p.Refused != 1 {
		t.Errorf("at 0.75: %+v", p)
	}
	if want := 7.0 / 8; math.Abs(c.AUROC-want) > 1e-9 {
		t.Errorf("AUROC %v, want %v", c.AUROC, want)
	}
	if Summarise(&Suite{}, sample(t)[:4]).Curve != nil {
		t.Error("a curve without anything to refuse")
	}
}

// The AUROC is what its definition says, pair by pair.
func TestAUROCIsTheShareOfPairsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := func(name string) []judged {
			var out []judged
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, 6), 1, 12).Draw(t, name) {
				out = append(out, judged{confidence: float64(n) / 6})
			}
			return out
		}
		known, refuse := list("known"), list("refuse")
		sum := 0.0
		for _, k := range known {
			for _, r := range refuse {
				switch {
				case k.confidence > r.confidence:
					sum++
				case k.confidence == r.confidence:
					sum += 0.5
				}
			}
		}
		if got, want := auroc(known, refuse), sum/float64(len(known)*len(refuse)); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// A sentence that was refused while the speech streamed leaves a record of the
// same turn: it supports nothing, and the first draft was not approved.
func TestARecordOfRefusalSupportsNothing(t *testing.T) {
	seen := held("lore/mill.txt", protocol.Approved)
	seen.Records[0].Seq = 1
	refusal := protocol.ReviewRecord{Hash: protocol.HashText("It burned."),
		Refused: []schema.Issue{{Type: schema.IssueNotEntailed}},
		Claims:  []schema.ClaimVerdict{{Kind: schema.ClaimWorld, Verdict: schema.Verdict{Label: schema.Unverifiable}}}}
	m := measure([]Outcome{outcome(t, "known", "expect_evidence: [lore/mill.txt]", 0.9, seen)})
	if got := m.metrics(); got["citation_verification_first_attempt"] != 1 || got["hallucination_rate"] != 0 {
		t.Errorf("without a refusal: %v", got)
	}
	seen.Records = append(seen.Records, refusal)
	m = measure([]Outcome{outcome(t, "known", "expect_evidence: [lore/mill.txt]", 0.9, seen)})
	if got := m.metrics(); got["citation_verification_first_attempt"] != 0 || got["hallucination_rate"] != 0 ||
		got["faithfulness"] != 1 {
		t.Errorf("with a refusal: %v", got)
	}
	seen.Records = []protocol.ReviewRecord{refusal}
	m = measure([]Outcome{outcome(t, "known", "expect_evidence: [lore/mill.txt]", 0.9, seen)})
	if got := m.metrics(); got["hallucination_rate"] != 1 {
		t.Errorf("with a refusal alone: %v", got)
	}
}

// A sentence that was refused while the speech streamed, and then written again,
// is a draft corrected; one that the review took out is not.
func TestWhatIsWrittenAgainIsCorrected(t *testing.T) {
	seen := held("lore/mill.txt", protocol.IssuesFound, protocol.Approved)
	seen.Reply.Stripped = []schema.Stripped{{Text: "It burned twice."}}
	correction := func() float64 {
		m := measure([]Outcome{outcome(t, "known", "expect_topic: burned", 0.9, seen)})
		return m.metrics()["self_correction"]
	}
	if got := correction(); got != 0 {
		t.Errorf("taken out by the review: %v", got)
	}
	seen.Records = append(seen.Records, protocol.ReviewRecord{Refused: []schema.Issue{{Type: schema.IssueNotEntailed}},
		Draft: &protocol.DraftSentence{Text: "It burned twice."}})
	if got := correction(); got != 1 {
		t.Errorf("refused in a stream and written again: %v", got)
	}
}

// A draft that is only too long has its citations verified; it is written again
// all the same.
func TestFormIsNoMatterOfCitation(t *testing.T) {
	seen := held("lore/mill.txt", protocol.IssuesFound, protocol.Approved)
	seen.Reviews[0].Issues[0].Type = schema.IssueForm
	m := measure([]Outcome{outcome(t, "known", "expect_topic: burned", 0.9, seen)})
	if got := m.metrics(); got["citation_verification_first_attempt"] != 1 || got["approved_first_attempt"] != 0 ||
		got["retries_per_turn"] != 1 || got["self_correction"] != 1 {
		t.Errorf("%v", got)
	}
}

func TestAModelThatDidNotSpeakIsAFallback(t *testing.T) {
	seen := held("lore/mill.txt", protocol.Approved)
	seen.Reply.Reason = "BUDGET"
	m := measure([]Outcome{outcome(t, "known", "expect_topic: burned", 0.9, seen)})
	if got := m.metrics()["fallback_rate"]; got != 1 {
		t.Errorf("fallback rate %v", got)
	}
}

func TestReportForAReaderAndForAMachine(t *testing.T) {
	r := Summarise(&Suite{Name: "sample", Thresholds: map[string]Threshold{"passed": {Min: ptr(0.9)}}}, sample(t))
	var table, machine bytes.Buffer
	r.WriteTable(&table)
	if err := r.WriteJSON(&machine); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.golden", table.String())
	var back map[string]any
	if err := json.Unmarshal(machine.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"suite", "cases", "passed", "by_kind", "metrics", "thresholds_met", "failures"} {
		if _, ok := back[key]; !ok {
			t.Errorf("there is no %s", key)
		}
	}
	if strings.Contains(machine.String(), ":null") {
		t.Errorf("something is null in %s", machine.String())
	}
}

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
		t.Fatalf("%v; go test ./internal/eval -update writes it", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", path, got, want)
	}
}

// Evidence that is not corpus counts where it may not ground the claim that it carries.
func TestNonCorpusRate(t *testing.T) {
	for name, c := range map[string]struct {
		source schema.Origin
		kind   schema.ClaimKind
		want   float64
	}{
		"lore under the world":           {schema.OriginCorpus, schema.ClaimWorld, 0},
		"a word of the player as a word": {schema.OriginUser, schema.ClaimSharedPast, 0},
		"state under the state":          {schema.OriginSystem, schema.ClaimState, 0},
		"a word of the player as a fact": {schema.OriginUser, schema.ClaimWorld, 1},
		"state as a fact of the world":   {schema.OriginSystem, schema.ClaimWorld, 1},
		"a model's text as a word":       {schema.OriginModel, schema.ClaimSharedPast, 1},
	} {
		const said = "Teague owns the ferry."
		n := counts{}
		n.released(&Outcome{Case: &Case{}, Seen: Seen{
			Reply: &schema.Reply{Sentences: []schema.Sentence{
				{Text: said, Evidence: []schema.EvidenceRef{{ID: "E1", Source: c.source}}}}},
			Records: []protocol.ReviewRecord{{Hash: protocol.HashText(said), Claims: []schema.ClaimVerdict{
				{Kind: c.kind, Citation: "E1", Verdict: schema.Verdict{Label: schema.Supported}}}}},
		}})
		if got := n.metrics()["non_corpus_rate"]; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
