package report

import (
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
)

// trendWeeks are the weeks of a trend: the last, and the three before.
const trendWeeks = 4

// Trend is one week beside the others.
type Trend struct {
	From     time.Time `json:"from"`
	Risk     Risk      `json:"risk,omitempty"` // as it was reported; empty: no report of that week is kept
	Blocked  Past      `json:"blocked"`
	Clusters Past      `json:"clusters_per_10k_memories"`
	HighRisk Past      `json:"high_risk"`
	Mean     float64   `json:"mean_faithfulness"` // of HighRisk.N replies
	Acted    int       `json:"acted"`             // replies that Guard 3 marked, had said again, or blocked
}

// recall fills in what the streams no longer hold of the weeks before: replies are
// kept seven days, and no stream keeps the risk. A report is of the week in which most
// of its days lie, so one that was made an hour early or late, as where clocks change,
// is of its own week. Of two reports of a week the later stands.
func recall(in *Input, list []Week) {
	kept := make([]map[string]*Report, len(list))
	for _, r := range in.Earlier {
		w := weekOf(r.To.Add(-span/2), in.Now)
		if w < 0 || w == len(list)-1 {
			continue
		}
		if kept[w] == nil {
			kept[w] = map[string]*Report{}
		}
		if known := kept[w][r.World]; known == nil || r.To.After(known.To) {
			kept[w][r.World] = r
		}
	}
	for w, of := range kept {
		told := Replies{Risks: map[faithful.Risk]int{}}
		for _, r := range of {
			told.merge(r)
			if r.Risk.rank() > list[w].Risk.rank() {
				list[w].Risk = r.Risk
			}
		}
		if told.Scored > list[w].Replies.Scored {
			list[w].Replies = told
		}
	}
}

// merge adds the replies of a report.
func (r *Replies) merge(of *Report) {
	p := of.Replies
	r.Scored += p.Scored
	r.Sum += of.Mean * float64(p.Scored)
	for risk, n := range p.Risks {
		r.Risks[risk] += n
	}
	r.Regenerated, r.Blocked, r.Warned = r.Regenerated+p.Regenerated, r.Blocked+p.Blocked, r.Warned+p.Warned
}

// rank orders risks; of several worlds the worst is said.
func (r Risk) rank() int {
	return map[Risk]int{NotKnown: 1, Low: 2, Elevated: 3, High: 4}[r]
}

// trend are the last weeks of the report, oldest first.
func (r *Report) trend() []Trend {
	from := len(r.weeks) - trendWeeks
	var out []Trend
	for i, w := range r.weeks[from:] {
		t := Trend{From: w.From, Risk: w.Risk, Mean: w.Replies.Mean(),
			Acted: w.Replies.Warned + w.Replies.Regenerated + w.Replies.Blocked}
		for j, into := range []*Past{&t.Blocked, &t.Clusters, &t.HighRisk} {
			*into = r.Figures[j].Weeks[from+i]
		}
		out = append(out, t)
	}
	out[len(out)-1].Risk = r.Risk
	return out
}

// trendRows are the trend as it is shown, a column a week.
func (r *Report) trendRows() (weeks []string, rows [][]string) {
	risk, faithfulness, acted := []string{"risk"}, []string{"faithfulness"}, []string{"acted on"}
	figures := make([][]string, len(r.Figures))
	for i := range r.Figures {
		figures[i] = []string{r.Figures[i].Name}
	}
	for _, t := range r.Trend {
		weeks = append(weeks, date(t.From))
		risk = append(risk, orDash(string(t.Risk)))
		for i, p := range []Past{t.Blocked, t.Clusters, t.HighRisk} {
			figures[i] = append(figures[i], r.Figures[i].week(p))
		}
		faithfulness = append(faithfulness, mean(t.Mean, t.HighRisk.N))
		told := count(t.Acted)
		if t.HighRisk.N == 0 {
			told = orDash("")
		}
		acted = append(acted, told)
	}
	return weeks, append(append([][]string{risk}, figures...), faithfulness, acted)
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
