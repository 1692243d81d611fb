package eval

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

//go:embed page.html
var source string

var tmpl = template.Must(template.New("page").Funcs(template.FuncMap{
	"number": asText, "percent": percent, "meaning": meaning, "ms": milliseconds, "times": timesWord,
}).Parse(source + plotsHTML))

// WriteHTML writes the report as one self-contained page.
func WriteHTML(w io.Writer, r *Report) error {
	if err := tmpl.Execute(w, viewOf(r)); err != nil {
		return fmt.Errorf("report as a page: %w", err)
	}
	return nil
}

// view is a report as the template takes it.
type view struct {
	*Report
	Tiles []tile
	Plots []drawing
	Kinds []kind
	Costs []costRow
}

// tile is one figure that a reader looks for first.
type tile struct{ Name, Value, Note, Class string }

// kind is a row of the table of kinds.
type kind struct {
	Name           string
	Cases, Passed  int
	Share          float64
	Refused, Clean float64
}

// costRow is a row of what a turn costs.
type costRow struct {
	Name string
	Stat
}

func viewOf(r *Report) view {
	return view{Report: r, Tiles: tiles(r), Plots: plots(r), Kinds: kinds(r), Costs: costs(r)}
}

func tiles(r *Report) []tile {
	m := r.Metrics
	verdict := tile{"thresholds", "met", "", "good"}
	if !r.Met {
		verdict = tile{"thresholds", "not met", "", "bad"}
	}
	out := []tile{
		{"passed", fmt.Sprintf("%d of %d", r.Passed, r.Cases), percent(ratio(r.Passed, r.Cases)), ""},
		verdict,
		{"unsupported", percent(m["hallucination_rate"]), "of released sentences", goodIf(m["hallucination_rate"] == 0)},
		{"first attempt", percent(m["citation_verification_first_attempt"]), "of speeches verified", ""},
	}
	if u := r.Usage; u.Calls.Max > 0 {
		out = append(out, tile{"LLM calls", asText(u.Asked.Mean),
			fmt.Sprintf("a turn, in %d of %d; at most %.0f", u.Asked.N, u.Calls.N, u.Asked.Max), ""},
			tile{"tokens a turn", asText(u.Tokens.Mean), "cost " + asText(u.Cost.Mean), ""})
	}
	if u := r.Usage; u.Turn.N > 0 {
		out = append(out, tile{"a turn", milliseconds(u.Turn.P50), "median; p95 " + milliseconds(u.Turn.P95), ""})
	}
	return out
}

func goodIf(ok bool) string {
	if ok {
		return "good"
	}
	return "bad"
}

func kinds(r *Report) []kind {
	var out []kind
	for _, name := range slices.Sorted(maps.Keys(r.ByKind)) {
		t := r.ByKind[name]
		out = append(out, kind{name, t.Cases, t.Passed, ratio(t.Passed, t.Cases), r.Metrics["refused_"+name],
			r.Metrics["clean_"+name]})
	}
	return out
}

func costs(r *Report) []costRow {
	var out []costRow
	u := r.Usage
	for _, c := range []costRow{{"turn, ms", u.Turn}, {"first sentence, ms", u.FirstSentence}, {"LLM calls, ms", u.Asking},
		{"LLM calls", u.Calls}, {"LLM calls, where a model was asked", u.Asked}, {"tokens", u.Tokens}, {"cost", u.Cost}} {
		if c.N > 0 {
			out = append(out, c)
		}
	}
	return out
}

func ratio(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

func percent(v float64) string {
	s := fmt.Sprintf("%.1f", 100*v)
	return strings.TrimSuffix(s, ".0") + " %"
}

// milliseconds prints a time in the unit in which a reader thinks of it.
func milliseconds(ms float64) string {
	switch {
	case ms >= 1000:
		return fmt.Sprintf("%.2g s", ms/1000)
	case ms >= 10:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.2g ms", ms)
}

// Causes are the causes of retries, for the template.
func (v view) Causes() []string { return causes(v.Report) }

// causes are the causes of retries, the most frequent first.
func causes(r *Report) []string {
	out := slices.Sorted(maps.Keys(r.Retries))
	slices.SortStableFunc(out, func(a, b string) int {
		return r.Retries[b].Thoughts + r.Retries[b].Speech - r.Retries[a].Thoughts - r.Retries[a].Speech
	})
	return out
}

// passName is a pass with the number that the paper gives it.
func passName(p schema.Pass) string {
	numbers := map[schema.Pass]string{schema.PassRetrieve: "1", schema.PassThink: "2",
		schema.PassReviewThought: "2.4–2.5",
		schema.PassDecide:        "3", schema.PassSpeak: "4", schema.PassReviewSpeech: "4.5", schema.PassAct: "5"}
	return fmt.Sprintf("%s %s", numbers[p], p)
}

// WriteMarkdown writes the report as tables.
func WriteMarkdown(w io.Writer, r *Report) error {
	m := &markdown{}
	v := viewOf(r)
	m.line("# Suite %s: %d of %d cases passed (%s)\n", r.Title(), r.Passed, r.Cases, percent(ratio(r.Passed, r.Cases)))
	m.kinds(&v)
	m.figures(r)
	m.costs(&v)
	m.retries(r)
	m.confidence(r)
	m.failures(r)
	m.triage(r)
	_, err := w.Write(m.Bytes())
	return err
}

type markdown struct{ bytes.Buffer }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// table begins a table; the columns behind the first hold figures.
func (m *markdown) table(title string, columns ...string) {
	m.line("\n## %s\n", title)
	m.line("| %s |", strings.Join(columns, " | "))
	m.line("|---%s|", strings.Repeat("|---:", len(columns)-1))
}

func (m *markdown) row(cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(strings.Join(strings.Fields(cells[i]), " "), "|", `\|`)
	}
	m.line("| %s |", strings.Join(cells, " | "))
}

func (m *markdown) kinds(v *view) {
	for _, b := range v.Thresholds {
		m.line("- threshold %s: %s", b.Name, b)
	}
	m.table("By kind", "kind", "cases", "passed", "share", "refused", "clean of what is forbidden")
	for _, k := range v.Kinds {
		m.row(k.Name, fmt.Sprint(k.Cases), fmt.Sprint(k.Passed), percent(k.Share), percent(k.Refused), percent(k.Clean))
	}
}

func (m *markdown) figures(r *Report) {
	m.line("\n## Figures\n\n| metric | value | what it counts |\n|---|---:|---|")
	for _, f := range r.Figures() {
		m.row(f.Name, asText(f.Value), meaning(f.Name))
	}
}

func (m *markdown) costs(v *view) {
	m.table("Time and cost by pass", "pass", "runs", "mean", "p50", "p95", "paper", "LLM calls", "tokens", "cost")
	for _, p := range v.Usage.Passes {
		paper := "–"
		if p.PaperMS > 0 {
			paper = milliseconds(p.PaperMS)
		}
		m.row(passName(p.Pass), fmt.Sprint(p.MS.N), milliseconds(p.MS.Mean), milliseconds(p.MS.P50),
			milliseconds(p.MS.P95), paper,
			fmt.Sprint(p.Calls), fmt.Sprint(p.Tokens), asText(p.Cost))
	}
	m.table("A turn", "what", "turns", "mean", "p50", "p95", "most")
	for _, c := range v.Costs {
		m.row(c.Name, fmt.Sprint(c.N), asText(c.Mean), asText(c.P50), asText(c.P95), asText(c.Max))
	}
	if v.Usage.Calls.Max == 0 {
		return
	}
	m.table("Calls a turn", "LLM calls", "turns")
	for _, c := range v.Usage.CallsPerTurn {
		m.row(fmt.Sprint(c.Calls), fmt.Sprint(c.Turns))
	}
}

func (m *markdown) retries(r *Report) {
	if len(r.Retries) == 0 {
		m.line("\nNo draft was written again.")
		return
	}
	m.table("Retries by number", "written again", "thoughts", "speeches")
	for number, turns := range r.Again {
		m.row(timesWord(number), fmt.Sprint(turns.Thoughts), fmt.Sprint(turns.Speech))
	}
	m.table("Retries by cause", "cause", "of thoughts", "of speech")
	for _, cause := range causes(r) {
		m.row(cause, fmt.Sprint(r.Retries[cause].Thoughts), fmt.Sprint(r.Retries[cause].Speech))
	}
}

func (m *markdown) confidence(r *Report) {
	c := r.Curve
	if c == nil {
		return
	}
	m.table(fmt.Sprintf("Confidence: AUROC %.3f against %s", c.AUROC, strings.Join(c.Against, ", ")), "threshold",
		"known right", "refused")
	for _, p := range c.Points {
		m.row(fmt.Sprintf("%.2f", p.Threshold), percent(p.KnownRight), percent(p.Refused))
	}
	m.table(fmt.Sprintf("Calibration: expected error %.3f", c.ECE), "confidence", "questions", "mean", "right")
	for _, b := range c.Bins {
		m.row(fmt.Sprintf("%.1f – %.1f", b.From, b.To), fmt.Sprint(b.N), fmt.Sprintf("%.2f", b.Confidence),
			percent(b.Right))
	}
}

func (m *markdown) failures(r *Report) {
	if len(r.Failures) == 0 {
		m.line("\nEvery case passed.")
		return
	}
	m.line("\n## Failures\n\n| case | NPC | status | said | want | got |\n|---|---|---|---|---|---|")
	for _, f := range r.Failures {
		m.row(f.Name, f.NPC, string(f.Status), f.Reply, f.Want, f.Got)
	}
}

func (m *markdown) triage(r *Report) {
	if len(r.Triage) == 0 {
		return
	}
	m.line("\n## Passing answers that cite what is not corpus\n\n| case | NPC | id | why |\n|---|---|---|---|")
	for _, s := range r.Triage {
		for i, id := range s.IDs {
			m.row(s.Name, s.NPC, id, s.Why[i])
		}
	}
}

// glossary says in a line what each metric counts.
var glossary = map[string]string{
	"citation_verification_first_attempt": "of the speeches that cite: every claim verified as first written",
	"self_correction":                     "of those that were not: approved later with nothing stripped",
	"retries_per_turn":                    "speeches written again, a turn",
	"faithfulness":                        "supported claims of all claims in what was released",
	"hallucination_rate":                  "released sentences without a record of support for every claim",
	"evidence_verbatim":                   "cited evidence that stands word for word in the file it names",
	"citation_accuracy":                   "answers that cite one of the documents their case expects",
	"fallback_rate": "turns that ended by deadline, outage or failed review, or without the " +
		"model that was to speak",
	"false_denials":                   "questions whose answer the NPC has that it answered by \"I don't know\"",
	"refusal_rate":                    "turns that ended unknown or withheld; good or bad by the suite",
	"non_corpus_citation_rate":        "cited evidence that is not corpus: state, or what was said",
	"non_corpus_rate":                 "cited evidence that is not corpus under a claim that it may not ground",
	"approved_first_attempt":          "of them: approved as first written, in length and form too",
	"thoughts_verified_first_attempt": "thoughts approved as first thought",
	"thought_retries_per_turn":        "thoughts thought again, a turn",
	"stripped_per_turn":               "sentences removed before release, a turn",
	"deeds_right":                     "requests that were done, asked back, refused or left alone, as wanted",
	"wrong_deeds":                     "requests for which an action was taken that nobody wanted",
	"llm_calls_per_turn":              "calls of a model, a turn",
	"llm_calls_worst":                 "calls of a model in the turn that made most",
	"tokens_per_turn":                 "tokens in and out, a turn",
	"cost_per_turn":                   "by the prices of the settings, a turn",
}

func meaning(metric string) string { return glossary[metric] }
