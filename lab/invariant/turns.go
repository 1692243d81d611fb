package invariant

import (
	"cmp"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// first is the reply of an accepted turn; nil where there is none.
func (r *Run) first(a Accepted) *Reply {
	if all := r.bySubject.replies[key(a.Convo, a.Turn)]; len(all) > 0 {
		return all[0]
	}
	return nil
}

func replied(r *Run, broken report) {
	for _, a := range r.Accepted {
		if r.first(a) == nil {
			broken(a.Turn, "accepted as %d of TURNS, and REPLIES holds nothing of it", a.Sequence)
		}
	}
}

func repliedOnce(r *Run, broken report) {
	for _, all := range r.bySubject.replies {
		if len(all) > 1 {
			broken(all[0].TurnID, "%d replies, at %d and %d", len(all), all[0].Sequence, all[1].Sequence)
		}
	}
}

// afterOutage is what promise 1 gives a reply once broker and services are back.
const afterOutage = 2 * time.Second

func deadline(r *Run, broken report) {
	outages := slices.Clone(r.Outages)
	slices.SortFunc(outages, func(a, b Outage) int { return a.Begin.Compare(b.Begin) })
	for _, a := range r.Accepted {
		reply := r.first(a)
		if reply == nil || r.Late[a.Turn] {
			continue
		}
		began := a.At
		if !reply.AcceptedAt.IsZero() {
			began = reply.AcceptedAt
		}
		due, from := began.Add(a.Deadline), began
		for _, o := range outages {
			if end := o.End.Add(afterOutage); o.Begin.Before(due) && o.End.After(began) && end.After(due) {
				due, from = end, o.End // whoever stood still while the broker was away has lost nothing by it
			}
		}
		due = r.moved(from, due)
		if late := reply.At.Sub(due); late > 0 {
			broken(a.Turn, "its %s reply (%s) stands %s late, %s after it was accepted; its deadline is %s", reply.Status,
				reply.Reason,
				late.Round(time.Millisecond), reply.At.Sub(began).Round(time.Millisecond), a.Deadline)
		}
	}
}

// moved is a deadline moved by the times in which the machine stood still before it,
// those in the time that it gained thereby among them.
func (r *Run) moved(began, due time.Time) time.Time {
	for end := due; ; {
		next := due.Add(Overlap(began, end, r.Still))
		if !next.After(end) {
			return end
		}
		end = next
	}
}

// Overlap is how much of some times lies between two moments. What lies in several of
// them counts once.
func Overlap(from, to time.Time, times ...[]Outage) time.Duration {
	all := slices.Concat(times...)
	slices.SortFunc(all, func(a, b Outage) int { return a.Begin.Compare(b.Begin) })
	var sum time.Duration
	for _, x := range all {
		begin, end := x.Begin, x.End
		if begin.Before(from) {
			begin = from
		}
		if end.After(to) {
			end = to
		}
		if end.After(begin) {
			sum, from = sum+end.Sub(begin), end
		}
	}
	return sum
}

// A turn says something of the mesh where for a tenth of its time at most the machine
// stood still or the broker was away, and whatever it lost where this much was left:
// the worker of a turn is known to be lost after two seconds.
const (
	mostStill = 10
	plenty    = 12 * time.Second
)

// telling says whether the end of a turn that lost so much time says something.
func telling(deadline, lost time.Duration) bool {
	return lost <= deadline/mostStill || deadline-lost >= plenty
}

func carried(r *Run, broken report) {
	if r.MostEnded <= 0 {
		return
	}
	ended, all := 0, 0
	for _, a := range r.Accepted {
		reply := r.first(a)
		if reply == nil || r.Ended[a.Turn] || !telling(a.Deadline, Overlap(a.At, a.At.Add(a.Deadline), r.Still, r.Outages)) {
			continue
		}
		all++
		if reply.Reason == schema.ReasonDeadline {
			ended++
		}
	}
	if float64(ended) > r.MostEnded*float64(all) {
		broken("", "%d of %d turns were ended by their deadline; %.0f %% are the most", ended, all, 100*r.MostEnded)
	}
}

// endedWaiting are the reasons for which a turn is answered before its time.
var endedWaiting = []string{schema.ReasonDeadline, schema.ReasonCancelled, schema.ReasonSuperseded}

func order(r *Run, broken report) {
	queues := map[string][]Accepted{}
	for _, a := range r.Accepted {
		queues[a.Convo.String()] = append(queues[a.Convo.String()], a)
	}
	for _, queue := range queues {
		slices.SortFunc(queue, func(a, b Accepted) int { return cmp.Compare(a.Sequence, b.Sequence) })
		var last *Reply
		for _, a := range queue {
			reply := r.first(a)
			if reply == nil || reply.Unheard() || slices.Contains(endedWaiting, reply.Reason) {
				continue
			}
			if last != nil && reply.Sequence < last.Sequence {
				broken(a.Turn, "its reply is %d, and that of %s, which came first, is %d", reply.Sequence, last.TurnID,
					last.Sequence)
			}
			last = reply
		}
	}
}

func inFlight(r *Run, broken report) {
	for _, turn := range r.Waiting {
		broken(turn, "stands in TURNS")
	}
}

func drained(r *Run, broken report) {
	for consumer, n := range r.Undone {
		broken("", "consumer %s has %d messages to do or in hand", consumer, n)
	}
	for _, timer := range r.Timers {
		broken("", "%s stands in TIMERS", timer)
	}
}

func applied(r *Run, broken report) {
	turns := map[schema.ConversationID]int{}
	for _, a := range r.Accepted {
		if reply := r.first(a); reply != nil && !reply.Unheard() {
			turns[a.Convo]++
		}
	}
	for i := range r.Docs {
		d := &r.Docs[i]
		convo := schema.ConversationID{World: d.World, NPC: d.NPC, Player: d.Player}
		seen := map[string]bool{}
		for _, a := range d.Applied {
			if seen[a.TurnID] {
				broken(a.TurnID, "applied to %s twice", convo)
			}
			seen[a.TurnID] = true
		}
		if n := turns[convo]; len(seen) < min(n, schema.AppliedKept) {
			broken("", "%s has applied %d of %d turns", convo, len(seen), n)
		}
	}
}
