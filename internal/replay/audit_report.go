package replay

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// AuditRow counts the findings of one check.
type AuditRow struct {
	Check      string `json:"check"`
	Violations int    `json:"violations"`
	LoreMoved  int    `json:"lore_moved"` // the lore was edited after the reply, so the edit may explain them
}

// AuditReport is what an audit has found.
type AuditReport struct {
	Since     time.Time             `json:"since,omitzero"`
	Replies   int                   `json:"replies"`
	Sentences int                   `json:"sentences"`
	Authored  int                   `json:"authored_sentences"`
	Citations int                   `json:"citations"`
	Sources   map[schema.Origin]int `json:"evidence_source_counts"`
	// NonCorpusCitationRate is the share of citations that are not corpus: state and what was
	// said too, which may ground claims of their own kinds.
	NonCorpusCitationRate float64 `json:"non_corpus_citation_rate"`
	// NonCorpusRate is the share of citations that may not ground their claims, since
	// they are not corpus or only call themselves so. It is 0 where nothing re-entered.
	NonCorpusRate float64 `json:"non_corpus_rate"`
	// Uncited sentences have no evidence and read like claims by their words. They are no violation.
	Uncited int `json:"uncited_sentences"`
	// Unchecked replies are of worlds that were not given: they are judged without their lore.
	Unchecked int `json:"unchecked_replies"`
	// Forgotten sentences were said too long ago for the bound: they are not looked for in lore.
	Forgotten  int        `json:"forgotten_sentences"`
	Violations int        `json:"violations"`
	LoreMoved  int        `json:"lore_moved"`
	Checks     []AuditRow `json:"checks"`
	Examples   []Finding  `json:"examples"`

	ineligible int // citations
	rows       map[string]*AuditRow
	kept       map[string]int
}

func newReport() *AuditReport {
	return &AuditReport{Sources: map[schema.Origin]int{schema.OriginCorpus: 0}, Checks: []AuditRow{},
		Examples: []Finding{}, rows: map[string]*AuditRow{}, kept: map[string]int{}}
}

func (r *AuditReport) count(reply *schema.Reply) {
	for _, s := range reply.Sentences {
		r.Sentences++
		if s.Authored {
			r.Authored++
		}
		for _, e := range s.Evidence {
			r.Citations++
			r.Sources[e.Source]++
		}
	}
}

func (r *AuditReport) add(f Finding, examples int) {
	row := r.rows[f.Check]
	if row == nil {
		row = &AuditRow{Check: f.Check}
		r.rows[f.Check] = row
	}
	kind := f.Check
	if f.LoreMoved {
		row.LoreMoved++
		r.LoreMoved++
		kind += " moved"
	} else {
		row.Violations++
		r.Violations++
	}
	if r.kept[kind] < examples {
		r.kept[kind]++
		r.Examples = append(r.Examples, f)
	}
}

// settled is the report with its rates and its rows in order.
func (r *AuditReport) settled(forgotten int) *AuditReport {
	r.Forgotten = forgotten
	if r.Citations > 0 {
		r.NonCorpusCitationRate = 1 - float64(r.Sources[schema.OriginCorpus])/float64(r.Citations)
		r.NonCorpusRate = float64(r.ineligible) / float64(r.Citations)
	}
	r.Checks = r.Checks[:0]
	for _, row := range r.rows {
		r.Checks = append(r.Checks, *row)
	}
	slices.SortFunc(r.Checks, func(a, b AuditRow) int {
		return cmp.Or(b.Violations-a.Violations, b.LoreMoved-a.LoreMoved, cmp.Compare(a.Check, b.Check))
	})
	return r
}

// Write prints the report for a terminal.
func (r *AuditReport) Write(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range []struct {
		name  string
		value string
	}{
		{"replies", fmt.Sprint(r.Replies)},
		{"sentences", fmt.Sprintf("%d, %d of them authored lines", r.Sentences, r.Authored)},
		{"citations", fmt.Sprintf("%d: %s", r.Citations, sources(r.Sources))},
		{"non_corpus_citation_rate", fmt.Sprintf("%.3f", r.NonCorpusCitationRate)},
		{"non_corpus_rate", fmt.Sprintf("%.3f", r.NonCorpusRate)},
		{"uncited", fmt.Sprintf("%d sentences read like claims by their words and cite nothing", r.Uncited)},
		{"violations", fmt.Sprint(r.Violations)},
		{"lore edited since", fmt.Sprint(r.LoreMoved)},
	} {
		fmt.Fprintf(out, "%s\t%s\n", line.name, line.value)
	}
	if len(r.Checks) > 0 {
		fmt.Fprint(out, "\ncheck\tviolations\tlore edited since\n")
	}
	for _, row := range r.Checks {
		fmt.Fprintf(out, "%s\t%d\t%d\n", row.Check, row.Violations, row.LoreMoved)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for i, f := range r.Examples {
		if i == 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintln(w, f.line()); err != nil {
			return err
		}
	}
	return nil
}

func (f *Finding) line() string {
	where := fmt.Sprintf("%s  %s  %s.%s  turn %s", f.Check, f.At.Format(time.DateTime), f.World, f.NPC, f.Turn)
	if f.Seq > 0 {
		where += fmt.Sprintf(", sentence %d", f.Seq)
	}
	return where + ": " + f.Detail
}

func sources(counts map[schema.Origin]int) string {
	out := ""
	for _, o := range slices.Sorted(maps.Keys(counts)) {
		if out != "" {
			out += ", "
		}
		out += fmt.Sprintf("%s %d", cmp.Or(o, "no source"), counts[o])
	}
	return out
}
