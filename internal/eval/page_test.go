package eval

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func at(v float64) *float64 { return &v }

// pageReport is a run with a model in which something of everything happened.
func pageReport() *Report {
	stat := func(n int, mean, p50, p95, most float64) Stat {
		return Stat{N: n, Mean: mean, P50: p50, P95: p95, Max: most}
	}
	r := &Report{Suite: "sample", Model: "small-model", Cases: 40, Passed: 37, Met: false,
		ByKind: map[string]Tally{"fake": {Cases: 8, Passed: 8}, "known": {Cases: 24, Passed: 22},
			"presupposition": {Cases: 8, Passed: 7}},
		Metrics: map[string]float64{"citation_verification_first_attempt": 0.92, "self_correction": 0.75,
			"retries_per_turn": 0.31, "faithfulness": 1, "hallucination_rate": 0,
			"evidence_verbatim": 1, "citation_accuracy": 0.96, "fallback_rate": 0.05, "refusal_rate": 0.2,
			"non_corpus_citation_rate": 0.03, "refused_fake": 1, "clean_fake": 1,
			"clean_known": 0.958, "clean_presupposition": 1, "refused_known": 0.04, "thoughts_verified_first_attempt": 0.85,
			"thought_retries_per_turn": 0.4,
			"stripped_per_turn":        0.075, "approved_first_attempt": 0.88, "llm_calls_per_turn": 4.2, "llm_calls_worst": 11,
			"tokens_per_turn": 6120, "cost_per_turn": 0.00081},
		Issues: map[string]int{"NOT_ENTAILED": 12, "UNCITED": 6}, Evidence: map[string]Tally{},
		Retries: map[string]Retries{"NOT_ENTAILED": {Thoughts: 4, Speech: 9}, "UNCITED": {Thoughts: 6},
			"INVALID_SOURCE": {Speech: 2}},
		Again: []Retries{{Thoughts: 30, Speech: 29}, {Thoughts: 6, Speech: 8}, {Thoughts: 4, Speech: 3}},
		Thresholds: []Bound{{Name: "passed", Min: at(0.95), Got: 0.925},
			{Name: "hallucination_rate", Max: at(0), Met: true}},
		Failures: []Failure{{Name: "known/mill", Kind: "known", NPC: "mira", Status: "answered",
			Reply: "<script>alert('the mill')</script> It burned | twice.",
			Want:  "evidence from one of [lore/mill.txt]", Got: "lore/ferry.txt"}},
		Triage: []Suspect{{Name: "known/rope", Kind: "known", NPC: "osric", IDs: []string{"M1"},
			Why: []string{"source is user"}, Reply: "You said the rope is frayed."}},
		Results: []Result{{Name: "known/ferry", Kind: "known", NPC: "mira", Message: "Who owns the ferry?", Passed: true,
			Status: "answered", Reply: "Teague does, & has for years.", Calls: 4, Tokens: 5800, TookMS: 2310},
			{Name: "known/mill", Kind: "known", NPC: "mira", Message: "Who burned the mill?", Status: "unknown",
				Reason: "NOT_ENTAILED", Reply: "That I could not tell you.", Calls: 11, Tokens: 15100, TookMS: 7900}},
		Usage: Usage{Calls: stat(40, 4.2, 4, 8, 11), Asked: stat(32, 5.25, 5, 8, 11),
			Tokens: stat(40, 6120, 5700, 11000, 15100), Cost: stat(40, 0.00081, 0.0007, 0.0015, 0.0021),
			Asking: stat(40, 2700, 2200, 5900, 7700), Turn: stat(40, 2810, 2300, 6100, 7900),
			FirstSentence: stat(40, 1340, 1200, 2900, 3300),
			CallsPerTurn: []CallsCount{
				{Calls: 0, Turns: 8}, {Calls: 1, Turns: 0}, {Calls: 2, Turns: 0}, {Calls: 3, Turns: 2}, {Calls: 4, Turns: 17},
				{Calls: 5, Turns: 6}, {Calls: 6, Turns: 3}, {Calls: 7, Turns: 1}, {Calls: 8, Turns: 2}, {Calls: 9, Turns: 0},
				{Calls: 10, Turns: 0}, {Calls: 11, Turns: 1}}},
		Curve: &Curve{AUROC: 0.941, Against: []string{"fake", "private"}, ECE: 0.062, Bins: []Bin{
			{From: 0, To: 0.1, N: 7, Confidence: 0.03, Right: 0}, {From: 0.1, To: 0.2, N: 3, Confidence: 0.16, Right: 0.333},
			{From: 0.5, To: 0.6, N: 4, Confidence: 0.55, Right: 0.5}, {From: 0.8, To: 0.9, N: 6, Confidence: 0.86, Right: 0.833},
			{From: 0.9, To: 1, N: 14, Confidence: 0.96, Right: 1}}},
	}
	for i := range 20 {
		v := float64(i) / 20
		r.Curve.Points = append(r.Curve.Points,
			Point{Threshold: v, KnownRight: 0.95 - v*v*0.6, Refused: min(1, 0.2+2.5*v)})
	}
	r.Usage.Passes = []PassUsage{
		{Pass: schema.PassRetrieve, PaperMS: 700, MS: stat(40, 0.9, 0.7, 2.1, 3)},
		{Pass: schema.PassThink, PaperMS: 3000, MS: stat(56, 910, 870, 1700, 1900), Calls: 56, Tokens: 98000, Cost: 0.013},
		{Pass: schema.PassReviewThought, PaperMS: 550, MS: stat(56, 0.8, 0.7, 1.4, 2)},
		{Pass: schema.PassDecide, PaperMS: 800, MS: stat(40, 420, 400, 610, 700), Calls: 32, Tokens: 51000, Cost: 0.007},
		{Pass: schema.PassSpeak, PaperMS: 1500, MS: stat(52, 690, 640, 1300, 1500), Calls: 44, Tokens: 70000, Cost: 0.009},
		{Pass: schema.PassReviewSpeech, PaperMS: 500, MS: stat(52, 1.9, 1.6, 4.1, 6)},
		{Pass: schema.PassAct, MS: stat(40, 0.03, 0.02, 0.06, 0.1)},
	}
	return r
}

func TestTheReportAsMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := WriteMarkdown(&b, pageReport()); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.md", b.String())
}

func TestTheReportAsAPage(t *testing.T) {
	var b bytes.Buffer
	if err := WriteHTML(&b, pageReport()); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.html", b.String())
}

// A run of the extractive speaker has neither calls nor retries, and a suite need
// not have a curve: what is not there is not drawn.
func TestNothingIsDrawnOfNothing(t *testing.T) {
	r := Summarise(&Suite{Name: "empty"}, nil)
	var b, m bytes.Buffer
	if err := errors.Join(WriteHTML(&b, r), WriteMarkdown(&m, r)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "<svg"); n != 2 {
		t.Errorf("%d plots", n)
	}
	for _, bad := range []string{"NaN", "Inf", "%!"} {
		if strings.Contains(b.String(), bad) || strings.Contains(m.String(), bad) {
			t.Errorf("%s in a report of nothing", bad)
		}
	}
}

// The page needs nothing from elsewhere, runs no script, and escapes what a model
// or a player wrote.
func TestThePageStandsAlone(t *testing.T) {
	var b bytes.Buffer
	if err := WriteHTML(&b, pageReport()); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if m := regexp.MustCompile(`(?i)<script|<link|<img|<iframe|@import|url\(|\son\w+=|https?:`).FindString(page); m != "" {
		t.Errorf("the page holds %q", m)
	}
	if !strings.Contains(page, "&lt;script&gt;alert(") {
		t.Error("what was said is not shown as it was said")
	}
	for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1) {
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("a plot is no XML: %v in %s", err, svg)
			}
		}
	}
}

// Every mark lies within its drawing, whatever was measured.
func TestMarksStayWithinTheirPlot(t *testing.T) {
	for _, p := range plots(pageReport()) {
		for _, s := range p.Shapes {
			if s.X < 0 || s.X+s.W > p.Width || s.Y < 0 || s.Y+s.H > p.Height || s.X2 > p.Width || s.Y2 > p.Height {
				t.Errorf("%s: %+v", p.Title, s)
			}
		}
	}
}

func TestEveryMetricIsExplained(t *testing.T) {
	for _, f := range pageReport().Figures() {
		if meaning(f.Name) == "" {
			t.Errorf("%s has no meaning", f.Name)
		}
	}
}
