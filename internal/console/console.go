// Package console words replies and traces for a terminal and for --json, and gives
// errors the exit codes of commands. It reads nothing and decides nothing.
package console

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Answer is a reply as `chat --once --json` prints it.
type Answer struct {
	TurnID       string                `json:"turn_id"`
	NPC          string                `json:"npc"`
	Reply        string                `json:"reply"`
	Status       schema.Status         `json:"status"`
	Reason       string                `json:"reason"`
	Detail       string                `json:"detail,omitempty"`
	Audit        schema.Audit          `json:"audit"`
	Confidence   float64               `json:"confidence"`
	Sentences    []Sentence            `json:"sentences"`
	SourceCounts map[schema.Origin]int `json:"evidence_source_counts"`
	Actions      []schema.Action       `json:"actions"`
	Stripped     []schema.Stripped     `json:"stripped"`
	Passes       []schema.PassRecord   `json:"passes"`
}

// Sentence is a released sentence with its evidence.
type Sentence struct {
	Text     string     `json:"text"`
	Evidence []Evidence `json:"evidence"`
}

// Evidence is a block as a reader sees it: path is the file's, without a
// fragment, and text stands verbatim in it.
type Evidence struct {
	ID     string        `json:"id"`
	Path   string        `json:"path"`
	Page   int           `json:"page,omitempty"`
	Text   string        `json:"text"`
	Source schema.Origin `json:"source"`
}

// Shown is a reply for printing; its lists are never null.
func Shown(r *schema.Reply) Answer {
	a := Answer{TurnID: r.TurnID, NPC: r.NPC, Reply: r.Text, Status: r.Status, Reason: r.Reason, Detail: r.Detail,
		Audit:      r.Audit,
		Confidence: r.Confidence, SourceCounts: r.SourceCounts, Sentences: []Sentence{}, Actions: r.Actions,
		Stripped: r.Stripped, Passes: r.Passes}
	if a.SourceCounts == nil {
		a.SourceCounts = map[schema.Origin]int{}
	}
	if a.Actions == nil {
		a.Actions = []schema.Action{}
	}
	if a.Stripped == nil {
		a.Stripped = []schema.Stripped{}
	}
	if a.Passes == nil {
		a.Passes = []schema.PassRecord{}
	}
	for _, s := range r.Sentences {
		shown := Sentence{Text: s.Text, Evidence: []Evidence{}}
		for _, e := range s.Evidence {
			path, _, _ := strings.Cut(e.Path, "#")
			shown.Evidence = append(shown.Evidence, Evidence{ID: e.ID, Path: path, Page: e.Page, Text: e.Text,
				Source: e.Source})
		}
		a.Sentences = append(a.Sentences, shown)
	}
	return a
}

// Why prints the evidence behind a reply.
func Why(w io.Writer, r *schema.Reply, traces ...protocol.Trace) {
	if r == nil {
		fmt.Fprintln(w, "Nothing has been said yet.")
		return
	}
	fmt.Fprintf(w, "  %s", r.Status)
	if r.Reason != "" {
		fmt.Fprintf(w, " (%s)", r.Reason)
	}
	fmt.Fprintln(w)
	shown, judged := map[string]bool{}, verdicts(traces)
	for i, s := range Shown(r).Sentences {
		fmt.Fprintf(w, "  %s\n", s.Text)
		c, known := judged[s.Text]
		switch {
		case known:
			fmt.Fprintf(w, "      %s\n", worded(c))
		case r.Sentences[i].Authored:
			fmt.Fprintln(w, "      an authored line: it states nothing")
		case len(s.Evidence) == 0:
			fmt.Fprintln(w, "      it claims nothing that needs proof")
		}
		for _, e := range s.Evidence {
			fmt.Fprintf(w, "      [%s] %s\n", e.ID, schema.Place(e.Path, e.Page))
			if !shown[e.ID] { // a block that several sentences cite is printed once
				fmt.Fprintf(w, "           %s\n", strings.Join(strings.Fields(e.Text), " "))
			}
			shown[e.ID] = true
		}
	}
	for _, x := range r.Stripped {
		fmt.Fprintf(w, "  taken out: %s\n      %s: %s\n", x.Text, x.Issue.Type, x.Issue.Correction)
		if c, ok := judged[x.Text]; ok {
			fmt.Fprintf(w, "      %s\n", worded(c))
		}
	}
}

// verdicts are what the review said of each sentence, where the passes are still kept.
func verdicts(traces []protocol.Trace) map[string]schema.ClaimVerdict {
	out := map[string]schema.ClaimVerdict{}
	for _, t := range traces {
		if t.Turn == nil || t.Turn.SpeechReview == nil {
			continue
		}
		for _, c := range t.Turn.SpeechReview.Claims {
			out[c.Claim] = c
		}
	}
	return out
}

// worded is a verdict as an operator reads it: the kind, the score against the line in
// force, who said so and why.
func worded(c schema.ClaimVerdict) string {
	out := fmt.Sprintf("%s: %s by %s, score %.2f", c.Kind, c.Verdict.Label, c.Verdict.Tier, c.Verdict.Score)
	if c.Verdict.Line > 0 {
		out += fmt.Sprintf(" of %.2f", c.Verdict.Line)
	}
	if c.Citation != "" {
		out += ", on [" + c.Citation + "]"
	}
	if c.Verdict.Span != "" {
		out += " “" + short(c.Verdict.Span) + "”"
	}
	if c.Verdict.Why != "" {
		out += ": " + c.Verdict.Why
	}
	return out
}

// Trace prints the passes of a turn with times and verdicts.
func Trace(w io.Writer, traces []protocol.Trace) {
	if len(traces) == 0 {
		fmt.Fprintln(w, "  no passes are kept of this turn (they are kept for seven days)")
		return
	}
	for _, t := range traces {
		fmt.Fprintf(w, "  %2d  %-14s %8.2f ms", t.Record.Hop, t.Record.Pass, t.Record.TookMS)
		if t.Record.Attempt > 1 {
			fmt.Fprintf(w, "  attempt %d", t.Record.Attempt)
		}
		fmt.Fprintf(w, "  → %s\n", t.Next)
		if t.Turn != nil {
			for _, line := range details(t.Record.Pass, t.Turn) {
				fmt.Fprintf(w, "        %s\n", line)
			}
		}
	}
}

// details are what a pass added, a line each.
func details(pass schema.Pass, t *protocol.Turn) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch pass {
	case schema.PassRetrieve:
		if r := t.Retrieval; r != nil {
			add("intent %s, class %s, confidence %.2f, zone %s", r.Intent, t.Class, r.Confidence, r.Zone)
			if r.Static {
				add("searched by words and static vectors alone: the world is not embedded yet")
			}
			for _, c := range r.Rejected {
				add("refused %d: %s", c.N, c.Name)
			}
		}
		for _, name := range t.Unknown {
			add("unknown here: %s", name)
		}
		for _, e := range t.Evidence {
			add("[%s] %.2f %s: %s", e.ID, e.Score, schema.Place(e.Path, e.Page), short(e.Text))
		}
	case schema.PassThink:
		for _, th := range t.Thoughts {
			add("%s [%s]", short(th.Text), strings.Join(th.Citations, "] ["))
		}
	case schema.PassReviewThought:
		for _, c := range t.ClaimAudit {
			add("%s: %s", c.Verdict, short(c.Claim))
		}
		out = append(out, reviewed(t.ThoughtReview)...)
	case schema.PassDecide:
		if d := t.Decision; d != nil {
			add("%s; share %v", d.Kind, d.Share)
			for _, x := range d.Withhold {
				add("withhold %q: %s", x.Topic, x.Reason)
			}
			for _, a := range d.Actions {
				add("action %s checked=%v %s", a.Name, a.Checked, a.Refused)
			}
		}
	case schema.PassSpeak:
		if t.Speech != nil {
			for _, s := range t.Speech.Sentences {
				add("%s: %s", t.Speech.Speaker, s.Text)
			}
		}
	case schema.PassReviewSpeech:
		out = append(out, reviewed(t.SpeechReview)...)
		for _, s := range t.Stripped {
			add("stripped (%s): %s", s.Issue.Type, s.Text)
		}
		if f := t.Faithfulness; f != nil {
			add("faithfulness %.2f: %d of %d claims supported, %d critical without; risk %s, %s: %s", f.Score, f.Supported,
				f.Claims, f.Critical, f.Risk, f.Policy, f.Action)
		}
	}
	return out
}

// reviewed words a review: its verdict, its claims, its issues.
func reviewed(r *protocol.Review) []string {
	if r == nil {
		return nil
	}
	out := []string{fmt.Sprintf("%s, attempt %d", r.Verdict, r.Attempt)}
	for _, c := range r.Claims {
		out = append(out, fmt.Sprintf("%s ← %s", short(c.Claim), worded(c)))
	}
	for _, i := range r.Issues {
		out = append(out, fmt.Sprintf("%s: %s %s", i.Type, short(i.Claim), i.Correction))
	}
	return out
}

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return s
}

// Value reads a value as a player of the state types it.
func Value(s string) any {
	if b, err := strconv.ParseBool(s); err == nil && (strings.EqualFold(s, "true") || strings.EqualFold(s, "false")) {
		return b
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return n
	}
	return strings.Trim(s, `"`)
}
