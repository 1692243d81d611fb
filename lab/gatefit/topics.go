package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
)

var topicForms = []string{"Tell me about %s.", "What do you know about %s?", "What is %s?",
	"what can you tell me about %s"}

// perNPC bounds the topics asked of one NPC, known and unknown each.
const perNPC = 12

// topics asks every NPC for keywords of documents in its scope, and for keywords
// that stand in no document of its scope at all.
func topics(w *world.World) []ask {
	byKey := map[string][]*world.Document{}
	var keys []string
	for _, d := range w.Documents {
		for _, k := range d.Keywords {
			k = strings.ToLower(k)
			if len(byKey[k]) == 0 {
				keys = append(keys, k)
			}
			byKey[k] = append(byKey[k], d)
		}
	}
	slices.Sort(keys)
	var out []ask
	for n, h := range w.Handles() {
		out = append(out, topicsOf(w, w.NPCs[h], keys, byKey, n)...)
	}
	return out
}

func topicsOf(w *world.World, npc *world.NPC, keys []string, byKey map[string][]*world.Document, n int) []ask {
	heard := heardOf(w, npc)
	var known, unknown []ask
	for i, k := range keys {
		form := topicForms[(i+n)%len(topicForms)]
		a := ask{group: npc.Handle, npc: npc.Handle, weight: lesser, message: fmt.Sprintf(form, titled(k, i%2 == 0))}
		for _, d := range byKey[k] {
			if w.InScope(d, npc) && d.Condition.IsZero() && inTime(d, w) {
				a.right = append(a.right, d.Path)
			}
		}
		words := text.ContentWords(k)
		switch {
		case len(a.right) > 0:
			a.kind = "known"
			known = append(known, a)
		case len(words) > 0 && !slices.ContainsFunc(words, func(s string) bool { return heard[s] }):
			a.kind = "unknown"
			unknown = append(unknown, a)
		}
	}
	return append(spreadOut(known, perNPC, n), spreadOut(unknown, perNPC, n)...)
}

func inTime(d *world.Document, w *world.World) bool {
	return w.Now.IsZero() || !d.CreatedAt.After(w.Now) && (d.ValidFrom.IsZero() || !d.ValidFrom.After(w.Now)) &&
		(d.ValidTo.IsZero() || !d.ValidTo.Before(w.Now))
}

// heardOf are the stems of everything in an NPC's scope.
func heardOf(w *world.World, npc *world.NPC) map[string]bool {
	heard := map[string]bool{}
	for _, c := range w.Chunks() {
		if world.ScopeOf(c, npc) {
			add(heard, c)
		}
	}
	return heard
}

func add(heard map[string]bool, c protocol.Chunk) {
	for _, s := range append([]string{c.Text, c.Summary, c.Path}, c.Keywords...) {
		for _, w := range text.ContentWords(s) {
			heard[w] = true
		}
	}
}

func titled(s string, yes bool) string {
	if !yes {
		return s
	}
	ws := strings.Fields(s)
	for i, w := range ws {
		ws[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(ws, " ")
}

// spreadOut takes at most n of a list, evenly, starting somewhere else for each.
func spreadOut(as []ask, n, offset int) []ask {
	if len(as) <= n {
		return as
	}
	var out []ask
	for i := range n {
		out = append(out, as[(offset*7+i*len(as)/n)%len(as)])
	}
	return out
}
