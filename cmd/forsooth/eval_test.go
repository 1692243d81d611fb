package main

import (
	"os"
	"strings"
	"testing"
)

const suite = `suite: village
world: village
cases:
  - name: ferry
    npc: mira
    player_message: Who owns the ferry?
    expect_evidence: ["lore/*.txt"]
    expect_topic: Teague
    expect_citations: true
  - name: quellamar
    player_message: Have you been to Quellamar?
    expect_uncertain: true
    reject_patterns: ['\bquellamar\b']
`

func TestASuiteThatPasses(t *testing.T) {
	s := newSite(t)
	s.village()
	r := s.run("eval", s.write("suite.yaml", suite), "--json")
	r.wants(t, exitFine)
	o := r.object(t)
	if o["suite"] != "village" || o["cases"] != 2.0 || o["passed"] != 2.0 || o["thresholds_met"] != true ||
		len(o["failures"].([]any)) != 0 {
		t.Errorf("%s", r.out)
	}
	kinds := o["by_kind"].(map[string]any)
	if kinds["known"].(map[string]any)["passed"] != 1.0 || kinds["unknown"].(map[string]any)["cases"] != 1.0 {
		t.Errorf("by kind %v", kinds)
	}
	metrics := o["metrics"].(map[string]any)
	if metrics["faithfulness"] != 1.0 || metrics["hallucination_rate"] != 0.0 || metrics["evidence_verbatim"] != 1.0 ||
		metrics["refusal_rate"] != 0.5 {
		t.Errorf("metrics %v", metrics)
	}
	if strings.Contains(r.out, "null") {
		t.Errorf("something is null in %s", r.out)
	}
}

func TestASuiteBelowItsThresholds(t *testing.T) {
	s := newSite(t)
	s.village()
	path := s.write("suite.yaml", suite+"  - name: wrong\n    npc: osric\n    player_message: Who owns the ferry?\n  "+
		"  expect_topic: Bram\n")
	r := s.run("eval", path)
	r.wants(t, exitFailed)
	for _, want := range []string{"2 of 3 cases passed", "FAILED wrong (osric, extractive)", "Teague owns the ferry.",
		`"Bram" in the reply or its evidence`, "threshold passed: at least 1, got 0.6667: NOT MET"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is missing in\n%s", want, r.out)
		}
	}
	if r.err != "" {
		t.Errorf("it says %q", r.err)
	}
	path = s.write("lower.yaml", strings.Replace(suite, "cases:",
		"thresholds: {known: {min: 1}, refusal_rate: {max: 0.9}}\ncases:", 1)+
		"  - name: wrong\n    kind: other\n    npc: osric\n    player_message: Who owns the ferry?\n    expect_topic: Bram\n")
	s.run("eval", path).wants(t, exitFine)
}

// A suite that passes with a model that never answered says so: its figures are
// those of the extractive speaker.
func TestASuiteWhoseModelNeverAnswersSaysSo(t *testing.T) {
	s := newSite(t)
	s.village()
	path := s.write("suite.yaml", suite)
	r := s.run("eval", path, "--llm-url", "http://127.0.0.1:1/v1", "--llm-model", "m")
	if r.code != exitFine || !strings.Contains(r.err, "no call of a model was answered") ||
		!strings.Contains(r.err, "nobody listens there") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}

// A run is held against an earlier one: what changed is named, and what is worse
// fails only where that was asked.
func TestTwoRunsAreCompared(t *testing.T) {
	s := newSite(t)
	s.village()
	better := s.write("better.yaml", suite)
	worse := s.write("worse.yaml", strings.Replace(suite, "expect_topic: Teague", "expect_topic: Bram", 1))
	old := s.write("old.json", s.run("eval", better, "--json").out)
	now := s.write("new.json", s.run("eval", worse, "--json").out)
	same := s.run("eval", "compare", old, old, "--fail-on-worse")
	same.wants(t, exitFine)
	if !strings.Contains(same.out, "nothing is worse") {
		t.Errorf("it prints\n%s", same.out)
	}
	r := s.run("eval", "compare", old, now)
	r.wants(t, exitFine)
	for _, want := range []string{"BROKE ferry (mira)", "WORSE: passed, passed_known", "1 broke, 0 mended"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is missing in\n%s", want, r.out)
		}
	}
	r = s.run("eval", "compare", old, now, "--fail-on-worse", "--json")
	r.wants(t, exitFailed)
	if o := r.object(t); len(o["worse"].([]any)) != 2 || len(o["changed"].([]any)) != 1 {
		t.Errorf("%s", r.out)
	}
	// passed_known fell by 1
	s.run("eval", "compare", old, now, "--fail-on-worse", "--tolerance", "0.9").wants(t, exitFailed)
	s.run("eval", "compare", old, s.path("none.json")).wants(t, exitUsage, "none.json", "cannot be read")

	r = s.run("eval", better, "--compare", now, "--fail-on-worse")
	r.wants(t, exitFine)
	if !strings.Contains(r.out, "MENDED ferry (mira)") {
		t.Errorf("it prints\n%s", r.out)
	}
}

func TestTheReportIsWrittenForReaders(t *testing.T) {
	s := newSite(t)
	s.village()
	path := s.write("suite.yaml", suite)
	s.run("eval", path, "--report", "run.html").wants(t, exitFine)
	s.run("eval", path, "--report", "run.md").wants(t, exitFine)
	for name, want := range map[string]string{"run.html": "<h1>Suite village</h1>",
		"run.md": "# Suite village: 2 of 2 cases passed"} {
		if data, err := os.ReadFile(s.path(name)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: %v: %q is missing", name, err, want)
		}
	}
	s.run("eval", path, "--report", "run.pdf").wants(t, exitUsage, "run.pdf", ".md, .html or .json")
	s.run("eval", path, "--report", "none/run.md").wants(t, exitUsage, "no such folder")
}

func TestTriageOfARun(t *testing.T) {
	s := newSite(t)
	s.village()
	path := s.write("suite.yaml", suite+"  - name: said\n    player_message: What did I say about the rope?\n    "+
		"history: [{player: The rope is frayed., npc: Is it.}]\n    expect_topic: frayed\n")
	r := s.run("eval", path, "--triage")
	r.wants(t, exitFine)
	if !strings.Contains(r.out, "triage: 1 passing known answers") || !strings.Contains(r.out, "said (known, mira)") ||
		!strings.Contains(r.out, "source is user") {
		t.Errorf("it prints\n%s", r.out)
	}
}

func TestHistoryIsWhatWasSaidBefore(t *testing.T) {
	s := newSite(t)
	s.village()
	path := s.write("suite.yaml", `suite: recap
world: village
cases:
  - name: recap
    player_message: What did I say about the rope?
    history: [{player: "The rope of the ferry is frayed.", npc: "Is it now."}]
    expect_topic: frayed
`)
	s.run("eval", path).wants(t, exitFine)
}

func TestNoPromotedTextAnswersASuite(t *testing.T) {
	s := newSite(t)
	village := s.village()
	path := s.write("suite.yaml", suite)
	text := s.write("saved.txt", "The old bell tower was struck by lightning in the spring of 1400.\n")
	s.run("lore", "promote", "gen:x", "--author", "Ansel", "--file", text, "--world", village).wants(t, exitFine)
	s.run("eval", path).wants(t, exitFailed, "promoted from gen:x")
}

func TestTheIndexIsKeptOutsideTheWorld(t *testing.T) {
	s := newSite(t)
	village := s.village()
	before := s.run("lore", "lint", village).out
	s.run("eval", s.write("suite.yaml", suite)).wants(t, exitFine)
	if after := s.run("lore", "lint", village).out; after != before {
		t.Errorf("the world changed: %s", after)
	}
}

func TestVerify(t *testing.T) {
	s := newSite(t)
	r := s.run("verify", "--premise", "The mill burned in spring.", "--claim", "The mill burned in spring.", "--json")
	r.wants(t, exitFine)
	if o := r.object(t); o["verdict"] != "supported" {
		t.Errorf("%s", r.out)
	}
	pairs := s.write("pairs.jsonl", `{"premise":"The ferry costs two bits.","hypothesis":"The ferry costs two `+
		`bits.","kind":"x"}
{"premise":"The ferry costs two bits.","hypothesis":"The ferry costs nine bits."}
{"premise":"The ferry costs two bits.","hypothesis":"Osric is old."}
`)
	r = s.run("verify", "--pairs", pairs)
	r.wants(t, exitFine)
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"supported"`) || strings.Contains(lines[1], `"supported"`) ||
		strings.Contains(lines[2], `"supported"`) {
		t.Errorf("it prints %s", r.out)
	}
	for _, line := range lines {
		for _, key := range []string{`"score":`, `"verdict":`, `"tier":`} {
			if !strings.Contains(line, key) {
				t.Errorf("%s is missing in %s", key, line)
			}
		}
	}
}

func TestTheBinaryCarriesItsSuites(t *testing.T) {
	s := newSite(t)
	r := s.run("eval", "paper", "--json")
	if o := r.object(t); o["suite"] != "paper" || r.code == exitUsage || r.code == exitDependency {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
}

// A stage is left out by an evaluation alone, which says so in its report.
func TestAnEvaluationLeavesOutStages(t *testing.T) {
	s := newSite(t)
	s.village()
	path := s.write("suite.yaml", suite)
	r := s.run("eval", path, "--without", "rav", "--without", "feedback", "--json")
	r.wants(t, exitFine)
	if got := r.object(t)["without"]; len(got.([]any)) != 2 {
		t.Errorf("without %v", got)
	}
	s.run("eval", path, "--without", "rag").wants(t, exitUsage, "--without rag: there is no such stage")
	for _, command := range [][]string{{"up"}, {"serve", "reviewer"}, {"chat"}, {"replay", "t1"}} {
		s.run(append(command, "--without", "rav")...).wants(t, exitUsage, "unknown flag --without")
	}
	s.extra = append(s.extra, "FORSOOTH_WITHOUT=rav")
	s.run("doctor").wants(t, exitUsage, "FORSOOTH_WITHOUT")
}

// What each stage is worth is one table, with the paper's figures in it.
func TestTheStagesAreMeasured(t *testing.T) {
	s := newSite(t)
	s.village()
	path := s.write("suite.yaml", suite)
	page := s.write("page.md", "before\n<!-- stages -->\nold\n<!-- stages -->\nafter\n")
	r := s.run("eval", "stages", path, "--page", page)
	r.wants(t, exitFine)
	data, err := os.ReadFile(page)
	if err != nil || strings.Contains(string(data), "old") || !strings.HasPrefix(string(data), "before\n") ||
		!strings.HasSuffix(string(data), "\nafter\n") {
		t.Errorf("%v: %s", err, data)
	}
	for _, want := range []string{"| the pipeline as it is: cites by id |", "| without rav |",
		"| without self-rag |", "| without nli |", "| without claim-retrieval |", "| without review-thought |",
		"| without feedback |", "| the model quotes, by document id (without evidence-first) |",
		"| the paper: quotes by document id | 80 % | 0 % | about 40 % |"} {
		if !strings.Contains(r.out, want) || !strings.Contains(string(data), want) {
			t.Errorf("%q is missing in\n%s", want, r.out)
		}
	}
	s.run("eval", "stages", path, "--page", s.write("bare.md", "nothing\n")).wants(t, exitUsage, "bare.md",
		"write <!-- stages --> twice")
}
