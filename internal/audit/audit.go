// Package audit holds stored replies against the rules by which they were released,
// and against the lore as it is now. It reads no broker: its caller gives it the
// replies in the order in which they were stored. What it keeps is bounded.
package audit

import (
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The checks of this package, beside the kinds of faults and the reasons of refusals
// that grounding names.
const (
	Unreadable = "unreadable"   // the message is no reply of its subject
	Joined     = "joined_text"  // the reply is not its sentences, joined
	Reentry    = "re_entry"     // what was said or remembered is cited as lore
	LoreGone   = "lore_gone"    // the cited document is not in the world
	LoreEdited = "lore_changed" // the document does not hold the cited words
	NoNPC      = "npc_gone"     // the world has no such NPC
)

// Stored is a reply where it stands. Bad says why it cannot be read; then Reply is nil.
type Stored struct {
	Conversation schema.ConversationID
	Turn         string
	At           time.Time
	Reply        *schema.Reply
	Bad          error
}

// Finding is a fault of one reply.
type Finding struct {
	Check  string    `json:"check"`
	World  string    `json:"world"`
	NPC    string    `json:"npc"`
	Turn   string    `json:"turn_id"`
	Seq    int       `json:"seq,omitempty"` // of the sentence
	At     time.Time `json:"at"`
	Detail string    `json:"detail"`
	// LoreMoved: the lore was edited after the reply, so the edit may explain the finding.
	LoreMoved bool `json:"lore_moved,omitempty"`
}

// Settings bound what an auditor keeps.
type Settings struct {
	Examples int // findings that are kept for each check
	Said     int // sentences that are remembered; older ones are forgotten
}

// DefaultSettings are those of the command. The memory of what was said takes 8 MB.
var DefaultSettings = Settings{Examples: 3, Said: 1 << 17}

// Auditor judges replies one after another.
type Auditor struct {
	settings Settings
	worlds   map[string]*shelf
	said     *said
	report   *Report
}

// New audits against worlds as they are now. Replies of other worlds are judged by
// themselves alone.
func New(worlds []*world.World, s Settings) *Auditor {
	a := &Auditor{settings: s, worlds: map[string]*shelf{}, said: newSaid(s.Said), report: newReport()}
	for _, w := range worlds {
		a.worlds[w.Name] = newShelf(w)
	}
	return a
}

// Report is what was found so far.
func (a *Auditor) Report() *Report { return a.report.settled(a.said.forgotten) }

// Heard takes note of what a reply says and does not judge it. nil is a reply that
// cannot be read.
func (a *Auditor) Heard(r *schema.Reply) {
	if r != nil {
		a.said.keep(r)
	}
}

// Take judges a reply.
func (a *Auditor) Take(s Stored) {
	r := a.report
	r.Replies++
	if s.Bad != nil {
		a.found(s, Finding{Check: Unreadable, Detail: s.Bad.Error()})
		return
	}
	r.count(s.Reply)
	joined := ""
	for i, sentence := range s.Reply.Sentences {
		if i > 0 {
			joined += " "
		}
		joined += sentence.Text
	}
	if joined != s.Reply.Text {
		a.found(s, Finding{Check: Joined, Detail: fmt.Sprintf("the reply is %q", s.Reply.Text)})
	}
	at := a.worlds[s.Conversation.World]
	uncited, refused := map[int]bool{}, map[int]bool{}
	for _, f := range grounding.Audit(s.Reply, at.context(s.Reply)) {
		if f.Kind == grounding.FaultUncited {
			uncited[f.Seq] = true
			continue
		}
		refused[f.Seq] = refused[f.Seq] || ungrounded[f.Kind]
		a.found(s, Finding{Check: f.Kind, Seq: f.Seq, Detail: f.Detail})
	}
	r.Uncited += len(uncited)
	if at == nil {
		r.Unchecked++
	}
	for _, sentence := range s.Reply.Sentences {
		for _, e := range sentence.Evidence {
			if a.cited(s, at, sentence.Seq, e) || refused[sentence.Seq] && e.Source != schema.OriginCorpus {
				r.ineligible++
			}
		}
	}
	a.Heard(s.Reply)
}

// ungrounded are the faults of a sentence whose evidence may not ground it.
var ungrounded = map[string]bool{grounding.RejectSource: true, grounding.FaultOrigin: true}

// cited judges one piece of evidence, and says whether it is what was said, and calls
// itself lore.
func (a *Auditor) cited(s Stored, at *shelf, seq int, e schema.EvidenceRef) (reentered bool) {
	if e.Source != schema.OriginCorpus {
		return false
	}
	if ofConversation(e) {
		a.found(s, Finding{Check: Reentry, Seq: seq, Detail: fmt.Sprintf("%s cites %s as lore", e.ID, e.ChunkID)})
		return true
	}
	text, reentered := a.said.before(s.Reply, e.Text)
	if reentered {
		a.found(s, Finding{Check: Reentry, Seq: seq,
			Detail: fmt.Sprintf("%s cites %s for %q, which an NPC said before the lore held it", e.ID, e.Path, text)})
	}
	if at == nil {
		return reentered
	}
	if check, detail := at.judge(s.Reply, e); check != "" {
		a.found(s, Finding{Check: check, Seq: seq, Detail: detail,
			LoreMoved: s.Reply.LoreVersion != at.lore.World.Version})
	}
	return reentered
}

func (a *Auditor) found(s Stored, f Finding) {
	f.World, f.NPC, f.Turn, f.At = s.Conversation.World, s.Conversation.NPC, s.Turn, s.At
	a.report.add(f, a.settings.Examples)
}

// context is what the claims of a reply are read by.
func (x *shelf) context(r *schema.Reply) grounding.Context {
	c := grounding.Context{NPCName: r.NPCName, NPCHandle: r.NPC, Player: r.PlayerName, Message: r.Message}
	if x == nil {
		return c
	}
	c.Names = x.lore.Names()
	if npc := x.lore.World.NPCs[r.NPC]; npc != nil {
		c.NPCName, c.NameOf = npc.Name, x.lore.Person(npc).NameOf
		c.Voice = grounding.Voice{Openers: npc.Voice.Openers, Hedges: npc.Voice.Hedges}
	}
	return c
}

// shelf is a world as it is now, by what replies cite.
type shelf struct {
	lore   *lore.Lore
	chunks map[string]protocol.Chunk // by id
	byPath map[string][]string       // ids
}

func newShelf(w *world.World) *shelf {
	x := &shelf{lore: &lore.Lore{World: w}, chunks: map[string]protocol.Chunk{}, byPath: map[string][]string{}}
	for _, c := range w.Chunks() {
		x.chunks[c.ID] = c
		x.byPath[c.Path] = append(x.byPath[c.Path], c.ID)
	}
	return x
}
