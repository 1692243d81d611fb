package scan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// outcome is what a judgement asks for, before any of it is done.
type outcome struct {
	merges     []class
	supersedes []change
	flags      []change
	unclear    [][2]int
	carried    bool // the judge may not be asked again in this run
	why        string
}

// class are memories that say the same, the canonical one first, with why.
type class struct {
	members []int
	why     string
}

// change is a pair with why.
type change struct {
	from, to int // older and newer
	newer    *schema.Memory
	why      string
}

// verdict is the gravest thing that was found.
func (o *outcome) verdict() Verdict {
	switch {
	case len(o.flags) > 0:
		return Contradiction
	case len(o.supersedes) > 0:
		return TemporalEvolution
	case len(o.merges) > 0:
		return Equivalent
	case len(o.unclear) > 0:
		return Unclear
	}
	return Distinct
}

// judgeAll judges clusters as far as the run's bound allows.
func (r *run) judgeAll(clusters []cluster) error {
	p := &r.out.Report
	p.Verdicts = map[Verdict]int{}
	for i := range clusters {
		c := &clusters[i]
		if c.members = slices.DeleteFunc(c.members, func(i int) bool { return r.gone[i] }); len(c.members) < 2 {
			continue // settled by what another signal found
		}
		p.Clusters++
		if key := r.judged(c); key != "" {
			p.Known++
			r.out.Judged[key] = r.in.Judged[key]
			continue
		}
		if p.Judged >= r.Settings.MaxClusters {
			p.Carried++
			continue
		}
		if err := r.judge(c); err != nil {
			if r.ctx.Err() != nil {
				return fmt.Errorf("scan of %s: %w", r.in.World, r.ctx.Err())
			}
			p.Failed++
			p.Details = append(p.Details,
				Detail{Members: r.ids(c), Signals: c.signals, Verdict: Unclear, Why: "not judged: " + err.Error()})
		}
	}
	return nil
}

// judged is the key under which an earlier run judged a cluster, or empty. What was
// unclear then is judged again once somebody is there who was not asked.
func (r *run) judged(c *cluster) string {
	for _, key := range []string{c.hash, c.hash + r.tiers()} {
		if _, ok := r.in.Judged[key]; ok {
			return key
		}
	}
	return ""
}

// tiers names those who can be asked beside the rules.
func (r *run) tiers() string {
	switch {
	case r.Judge != nil:
		return ":judge"
	case r.Entail != nil:
		return ":model"
	}
	return ":rules"
}

// judge judges one cluster and does what is to be done. Where a verifier fails,
// nothing is.
func (r *run) judge(c *cluster) error {
	var o outcome
	var err error
	if c.stateful {
		err = r.overTime(c, &o)
	} else {
		err = r.likeness(c, &o)
	}
	p := &r.out.Report
	if err != nil {
		return err
	}
	if o.carried {
		p.Carried++
		return nil
	}
	p.Judged++
	v := o.verdict()
	p.Verdicts[v]++
	p.Details = append(p.Details, Detail{Members: r.ids(c), Signals: c.signals, Verdict: v, Why: o.why})
	key := c.hash
	if v == Unclear {
		key += r.tiers()
	}
	if r.act(&o) {
		r.out.Judged[key] = v
	}
	return nil
}

func (r *run) ids(c *cluster) []string {
	var out []string
	for _, i := range c.members {
		out = append(out, r.items[i].ID)
	}
	return out
}

// likeness judges memories that say alike things of one matter.
func (r *run) likeness(c *cluster, o *outcome) error {
	order := slices.Clone(c.members)
	slices.SortFunc(order, r.canonicalFirst)
	verdicts := map[[2]int]link{}
	for x, i := range order {
		for _, k := range order[x+1:] {
			l, err := r.pair(c, i, k)
			if err != nil {
				return err
			}
			verdicts[[2]int{i, k}] = l
			if l.verdict == Unclear {
				o.unclear = append(o.unclear, [2]int{i, k})
			}
		}
	}
	if err := r.decide(c, o, verdicts); err != nil {
		return err
	}
	head, whys := map[int]int{}, map[int]string{}
	var heads []int
	for _, i := range order {
		head[i] = i
		for _, h := range heads {
			if verdicts[[2]int{h, i}].verdict == Equivalent && r.mergeable(h, i) {
				head[i], whys[h] = h, verdicts[[2]int{h, i}].why
				break
			}
		}
		if head[i] == i {
			heads = append(heads, i)
		}
	}
	for _, h := range heads {
		members := []int{h}
		for _, i := range order {
			if i != h && head[i] == h {
				members = append(members, i)
			}
		}
		if len(members) > 1 {
			o.merges = append(o.merges, class{members, whys[h]})
			o.why = whys[h]
		}
	}
	r.oppose(order, head, verdicts, o)
	return nil
}

// oppose asks for each contradiction once, between those that stay.
func (r *run) oppose(order []int, head map[int]int, verdicts map[[2]int]link, o *outcome) {
	done := map[string]bool{}
	for x, i := range order {
		for _, k := range order[x+1:] {
			l := verdicts[[2]int{i, k}]
			a, b := head[i], head[k]
			key := PairKey(r.items[a].ID, r.items[b].ID)
			if l.verdict != Contradiction || a == b || done[key] || r.settled(a, b) {
				continue
			}
			done[key] = true
			o.flags = append(o.flags, change{from: a, to: b, why: l.why})
			o.why = l.why
		}
	}
}

// decide has a language model look at what is unclear, if there is one. It may say
// that memories are alike or contradict; that one takes another's place follows
// from the rule alone.
func (r *run) decide(c *cluster, o *outcome, verdicts map[[2]int]link) error {
	if len(o.unclear) == 0 || r.Judge == nil {
		return nil
	}
	if r.out.Report.Calls >= r.Settings.MaxCalls {
		o.carried = true
		return nil
	}
	r.out.Report.Calls++
	var members []schema.Memory
	for _, i := range c.members {
		members = append(members, r.items[i].Memory)
	}
	v, why, err := r.Judge.Judge(r.ctx, members)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	for _, p := range o.unclear {
		switch v {
		case Equivalent:
			verdicts[p] = link{Equivalent, why}
		case Contradiction, TemporalEvolution:
			if r.subject(r.items[p[0]]) == r.subject(r.items[p[1]]) {
				verdicts[p] = link{Contradiction, why}
			}
		case Distinct:
			verdicts[p] = link{Distinct, why}
		default:
			return nil
		}
	}
	o.unclear = nil
	return nil
}

// pair is what two members are to each other.
func (r *run) pair(c *cluster, i, k int) (link, error) {
	if r.in.Settled[PairKey(r.items[i].ID, r.items[k].ID)] {
		return link{Distinct, "settled by an operator"}, nil
	}
	if c.links == nil {
		return r.ofOneKey(i, k), nil
	}
	l, ok := c.links[[2]int{min(i, k), max(i, k)}]
	if !ok {
		return link{Distinct, ""}, nil
	}
	if l.verdict == Unclear {
		v, why, err := r.ask(i, k)
		if err != nil {
			return link{}, err
		}
		return link{v, why}, nil
	}
	return l, nil
}

// ofOneKey compares two memories whose predicate may have several values.
func (r *run) ofOneKey(i, k int) link {
	a, b := r.valueOf(i), r.valueOf(k)
	switch {
	case a.key == b.key && r.agree(i, k):
		return link{Equivalent, "the same value"}
	case slices.Contains(a.opposites(), b.key):
		return link{Contradiction, "the one denies the other"}
	}
	return link{Distinct, ""}
}

// agree says whether two sentences about one value say no different things
// besides: no other number, and not each a name of its own.
func (r *run) agree(i, k int) bool {
	x, y := r.traitsOf(i), r.traitsOf(k)
	own, other := differ(x.names, y.names)
	return slices.Equal(x.numbers, y.numbers) && (len(own) == 0 || len(other) == 0)
}

// mergeable says whether one memory may stand for another: only of the same
// source, for else words would gain a rank that is not theirs.
func (r *run) mergeable(i, k int) bool {
	a, b := r.items[i], r.items[k]
	return a.Source == b.Source && a.HeardFrom == b.HeardFrom && a.Kind == b.Kind
}

// canonicalFirst orders by confidence, and then by age.
func (r *run) canonicalFirst(i, k int) int {
	a, b := r.items[i], r.items[k]
	return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), when(a).Compare(when(b)), a.CreatedAt.Compare(b.CreatedAt),
		strings.Compare(a.ID, b.ID))
}
