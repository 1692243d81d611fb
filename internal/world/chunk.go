package world

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// typeBackstory and typeSecret are the types of what npc.yaml gives the corpus, beside schema.TypePersonality and
// schema.TypeGoal.
const (
	typeBackstory = "backstory"
	typeSecret    = "secret"
)

// alwaysPast is when a backstory was written: before any game time.
var alwaysPast = time.Date(1, time.January, 2, 0, 0, 0, 0, time.UTC)

// Chunks are all passages of all citable documents, in a fixed order, with ids
// that stay the same as long as the files do: "path#n" from 1, and
// "npcs/x/npc.yaml#backstory", "…#backstory-2". A secret that has a condition is
// among them as "npcs/x/npc.yaml#secret-1" under that condition; one without is
// not. IndexedAt is left to whoever indexes them.
func (w *World) Chunks() []protocol.Chunk {
	var out []protocol.Chunk
	for _, d := range w.Documents {
		out = append(out, w.chunksOf(d)...)
	}
	for _, handle := range w.Handles() {
		for _, d := range w.NPCs[handle].secretDocuments() {
			out = append(out, w.chunksOf(d)...)
		}
	}
	return out
}

func (w *World) chunksOf(d *Document) []protocol.Chunk {
	out := make([]protocol.Chunk, 0, len(d.Passages))
	for i, p := range d.Passages {
		c := protocol.Chunk{
			ID: chunkID(d, i+1), Source: schema.OriginCorpus,
			CreatedAt: d.CreatedAt, ValidFrom: d.ValidFrom, ValidTo: d.ValidTo,
			World: w.Name, NPC: d.NPC, Path: d.Path, Page: d.pageOf(p), Type: d.Type,
			Text: p.Text, Author: d.Author, Speaker: p.Speaker, At: p.At, Summary: d.Summary,
			Keywords: d.Keywords, AllowedFor: d.AllowedFor, KnownBy: d.KnownBy,
			Requires: d.Requires, Belief: d.Belief, Language: d.Language,
		}
		if p.Heading != "" && !slices.Contains(c.Keywords, p.Heading) {
			c.Keywords = append(slices.Clone(d.Keywords), p.Heading)
		}
		c.Hash = hashChunk(c)
		out = append(out, c)
	}
	return out
}

// pageOf is the page of a passage, where its document has several.
func (d *Document) pageOf(p Passage) int {
	if d.Passages[len(d.Passages)-1].Page < 2 {
		return 0
	}
	return p.Page
}

func chunkID(d *Document, n int) string {
	switch {
	case d.Fragment == "":
		return fmt.Sprintf("%s#%d", d.Path, n)
	case n == 1:
		return d.ID()
	}
	return fmt.Sprintf("%s-%d", d.ID(), n)
}

// hashChunk covers the text and all metadata, so that a change of either is
// indexed again.
func hashChunk(c protocol.Chunk) string {
	c.Hash, c.IndexedAt = "", time.Time{}
	data, err := json.Marshal(c)
	if err != nil { // a time outside the years that load lets through
		data = fmt.Appendf(nil, "%+v", c)
	}
	return protocol.HashText(string(data))
}

// ownDocuments are what an NPC's file says of it, as ordinary documents of that NPC: a player asks for its goals
// and its personality as for its past.
func (n *NPC) ownDocuments() []*Document {
	own := func(fragment, kind, summary string, passages []Passage) *Document {
		hash := ""
		for _, p := range passages {
			hash += p.Text + "\n"
		}
		return &Document{
			Path: n.Path, Fragment: fragment, NPC: n.Handle, Type: kind, Author: n.Name, Summary: summary,
			CreatedAt: alwaysPast, Language: n.language, Passages: passages, Hash: protocol.HashText(hash),
		}
	}
	var goals []Passage
	for _, g := range n.Goals {
		goals = append(goals, cutText(g, n.lineOf["goals"])...)
	}
	docs := []*Document{
		own("backstory", typeBackstory, "who "+n.Name+" is", cutText(n.Backstory, n.lineOf["backstory"])),
		own("personality", protocol.TypePersonality, "what "+n.Name+" is like",
			cutText(n.Personality, n.lineOf["personality"])),
		own("goals", protocol.TypeGoal, "what "+n.Name+" wants", goals),
	}
	return slices.DeleteFunc(docs, func(d *Document) bool { return len(d.Passages) == 0 && d.Type != typeBackstory })
}

func (n *NPC) secretDocuments() []*Document {
	var out []*Document
	for i, s := range n.Secrets {
		if s.Requires == "" {
			continue
		}
		out = append(out, &Document{
			Path: n.Path, Fragment: fmt.Sprintf("%s-%d", typeSecret, i+1), NPC: n.Handle, Type: typeSecret,
			Author: n.Name, CreatedAt: alwaysPast, Language: n.language, Requires: s.Requires,
			Condition: s.Condition, Passages: cutText(s.Text, s.Line), Hash: protocol.HashText(s.Text),
		})
	}
	return out
}
