package world

import (
	"fmt"
	"slices"
	"time"
)

// Catalogue is what an NPC may know of its world at a moment and of a player, what is closed
// to that player, and what it does not know. It names documents and holds none of their text.
type Catalogue struct {
	At      time.Time `json:"at"` // game time
	Trust   int       `json:"trust"`
	Open    []Entry   `json:"open"`
	Closed  []Entry   `json:"closed"`
	Outside []Entry   `json:"outside"`
}

// Entry is a document of a catalogue.
type Entry struct {
	Path     string    `json:"path"`
	Type     string    `json:"type"`
	Own      bool      `json:"own,omitempty"` // the NPC's alone
	Belief   string    `json:"belief,omitempty"`
	Passages int       `json:"passages"`
	Reason   string    `json:"reason,omitempty"` // of what is closed or outside: one of the Closed constants
	Requires string    `json:"requires,omitempty"`
	From     time.Time `json:"from,omitzero"` // game time, where a time closes it
	KnownBy  []string  `json:"known_by,omitempty"`
	Owner    string    `json:"owner,omitempty"` // of what is outside and another NPC's
}

// Why a document is not told.
const (
	ClosedSecret    = "secret"
	ClosedRequires  = "requires_not_met"
	ClosedFuture    = "created_in_future"
	ClosedNotYet    = "not_yet_valid"
	ClosedNoLonger  = "no_longer_valid"
	ClosedOutOfView = "out_of_scope"
)

// CatalogueOf sorts the documents of a world by what an NPC may say of them. Now is game time.
func (w *World) CatalogueOf(npc *NPC, facts Facts, now time.Time) *Catalogue {
	c := &Catalogue{At: now, Trust: facts.Trust, Open: []Entry{}, Closed: []Entry{}, Outside: []Entry{}}
	for _, d := range w.Documents {
		e := Entry{Path: d.ID(), Type: d.Type, Own: d.NPC == npc.Handle, Belief: d.Belief, Passages: d.cuts()}
		if !w.InScope(d, npc) {
			e.Reason, e.Owner, e.KnownBy = ClosedOutOfView, d.NPC, slices.Clone(d.KnownBy)
			c.Outside = append(c.Outside, e)
			continue
		}
		if e.Reason, e.From = d.closedFor(facts, now); e.Reason == "" {
			c.Open = append(c.Open, e)
			continue
		}
		e.Requires = d.Requires
		c.Closed = append(c.Closed, e)
	}
	for i, s := range npc.Secrets {
		e := Entry{Path: fmt.Sprintf("%s#%s-%d", npc.Path, typeSecret, i+1), Type: typeSecret, Own: true, Passages: 1,
			Requires: s.Requires}
		if s.Open(facts) {
			c.Open = append(c.Open, e)
			continue
		}
		e.Reason = ClosedSecret
		c.Closed = append(c.Closed, e)
	}
	return c
}

// closedFor says why a document in scope is not told, and from when it would be.
func (d *Document) closedFor(facts Facts, now time.Time) (reason string, from time.Time) {
	switch {
	case d.CreatedAt.After(now):
		return ClosedFuture, d.CreatedAt
	case d.ValidFrom.After(now):
		return ClosedNotYet, d.ValidFrom
	case !d.ValidTo.IsZero() && d.ValidTo.Before(now):
		return ClosedNoLonger, time.Time{}
	case d.Requires != "" && !d.Condition.Holds(facts):
		return ClosedRequires, time.Time{}
	}
	return "", time.Time{}
}
