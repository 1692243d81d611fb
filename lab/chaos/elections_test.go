package chaos

import (
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/lab/invariant"
)

func TestAnElectionIsFromTheFirstLookWithoutALeaderToTheFirstWithOne(t *testing.T) {
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	for _, c := range []struct {
		name  string
		looks string // one each 20 ms: . led, x not
		want  []invariant.Outage
	}{
		{"all is led", "....", nil},
		{"one", "..xx.", []invariant.Outage{{Begin: at(40), End: at(80)}}},
		{"two, with a look between", "x.x.", []invariant.Outage{{Begin: at(0), End: at(20)}, {Begin: at(40), End: at(60)}}},
		{"one that has not ended excuses nothing yet", ".xxx", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &elections{}
			for i, look := range c.looks {
				e.note(look == '.', at(20*i))
			}
			got := e.times()
			if len(got) != len(c.want) {
				t.Fatalf("%v; want %v", got, c.want)
			}
			for i, o := range got {
				if !o.Begin.Equal(c.want[i].Begin) || !o.End.Equal(c.want[i].End) {
					t.Errorf("%s to %s; want %s to %s", o.Begin, o.End, c.want[i].Begin, c.want[i].End)
				}
			}
		})
	}
}
