package mesh

import (
	"context"
)

// mostReported bounds the subjects whose refusal is reported; a subject may name a turn.
const mostReported = 256

// watchRefusals reports what the broker refuses this process, each subject once,
// until the context ends: of what is not a question nobody else hears.
func (m *Mesh) watchRefusals(ctx context.Context) {
	known := map[string]bool{}
	for {
		news, told := m.conn.Refusals()
		for _, e := range news {
			if len(known) < mostReported && !known[e.Subject] {
				known[e.Subject] = true
				m.opts.Report(Report{Where: "rights", Subject: e.Subject, Outcome: "lost", Err: e})
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-told:
		}
	}
}
