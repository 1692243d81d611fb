package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What the metrics of a process count is gone with it. What `forsooth memory report`
// asks for is therefore added to counters of the broker, by the day (UTC).
const (
	tallyKey  = "memory"
	tallyWait = time.Minute // between two additions
	tallyLast = 2 * time.Second
)

// keeping adds what a process counts to the broker's counters.
type keeping struct {
	metrics  *report.Metrics
	counters *transport.Counters
	now      func() time.Time
	notice   func(string)
	kept     report.Tally // what was added
	told     bool         // that it fails
}

func (a *App) keepTally(o Options) *keeping {
	return &keeping{metrics: a.Metrics, counters: a.Conn.Counters(), now: o.Now, notice: o.notice, kept: report.Tally{}}
}

// run adds now and then.
func (k *keeping) run(ctx context.Context) error {
	tick := time.NewTicker(tallyWait)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			k.add(ctx)
		}
	}
}

// end adds what is left when all work has ended.
func (k *keeping) end(ctx context.Context) {
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), tallyLast)
	defer stop()
	k.add(last)
}

// add adds what was counted since it was last done. What fails is added the next time.
func (k *keeping) add(ctx context.Context) {
	day := k.now().UTC().Format(time.DateOnly)
	for name, n := range k.metrics.Tally() {
		more := n - k.kept[name]
		if more <= 0 || schema.CheckToken("count", name) != nil {
			continue
		}
		if _, err := k.counters.Add(ctx, tallyKey+"/"+day+"/"+name, more); err != nil {
			if !k.told && ctx.Err() == nil {
				k.told = true
				k.notice(fmt.Sprintf("what the guards of memory counted is not kept for the report, and tried again: %v", err))
			}
			return
		}
		k.kept[name] = n
	}
}

// Tallies are the counts that a broker keeps, by day.
func Tallies(ctx context.Context, c *transport.Counters) (map[time.Time]report.Tally, error) {
	out := map[time.Time]report.Tally{}
	err := c.Each(ctx, tallyKey, func(key string, sum int64) error {
		parts := strings.Split(key, "/")
		if len(parts) != 3 {
			return nil
		}
		day, err := time.Parse(time.DateOnly, parts[1])
		if err != nil {
			return nil //nolint:nilerr // of something else
		}
		if out[day] == nil {
			out[day] = report.Tally{}
		}
		out[day][parts[2]] = sum
		return nil
	})
	return out, err
}
