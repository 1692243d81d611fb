package replay

// This file holds stored replies against the rules by which they were released, and against the
// lore as it is now. It reads no broker: its caller gives it the replies in the order in which
// they were stored. What it keeps is bounded.

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
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

// StoredReply is a reply where it stands. Bad says why it cannot be read; then Reply is nil.
type StoredReply struct {
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

// AuditSettings bound what an auditor keeps.
type AuditSettings struct {
	Examples int // findings that are kept for each check
	Said     int // sentences that are remembered; older ones are forgotten
}

// DefaultAudit are those of the command. The memory of what was said takes 8 MB.
var DefaultAudit = AuditSettings{Examples: 3, Said: 1 << 17}

// Auditor judges replies one after another.
type Auditor struct {
	settings AuditSettings
	worlds   map[string]*shelf
	said     *said
	report   *AuditReport
}

// NewAuditor audits against worlds as they are now. Replies of other worlds are judged by
// themselves alone.
func NewAuditor(worlds []*world.World, s AuditSettings) *Auditor {
	a := &Auditor{settings: s, worlds: map[string]*shelf{}, said: newSaid(s.Said), report: newReport()}
	for _, w := range worlds {
		a.worlds[w.Name] = newShelf(w)
	}
	return a
}

// Report is what was found so far.
func (a *Auditor) Report() *AuditReport { return a.report.settled(a.said.forgotten) }

// Heard takes note of what a reply says and does not judge it. nil is a reply that
// cannot be read.
func (a *Auditor) Heard(r *schema.Reply) {
	if r != nil {
		a.said.keep(r)
	}
}

// Take judges a reply.
func (a *Auditor) Take(s StoredReply) {
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
func (a *Auditor) cited(s StoredReply, at *shelf, seq int, e schema.EvidenceRef) (reentered bool) {
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

func (a *Auditor) found(s StoredReply, f Finding) {
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

// judge holds a citation of lore against the world as it is now: the document, the
// words in it, and the provenance contract for this NPC at the game time of the reply.
// A condition of trust or flags is not judged, since a reply does not keep them.
func (x *shelf) judge(r *schema.Reply, e schema.EvidenceRef) (fault, detail string) {
	npc := x.lore.World.NPCs[r.NPC]
	if npc == nil {
		return NoNPC, fmt.Sprintf("the world has no NPC %s", r.NPC)
	}
	ids := x.byPath[e.Path]
	if len(ids) == 0 {
		return LoreGone, fmt.Sprintf("%s cites %s, which is not in the world", e.ID, e.Path)
	}
	c, ok := x.passage(e, ids)
	if !ok {
		return LoreEdited, fmt.Sprintf("%s cites %s, which does not hold %q", e.ID, e.Path, e.Text)
	}
	turn := r.AcceptedAt
	if turn.IsZero() {
		turn = time.Unix(0, 0)
	}
	c.IndexedAt = turn // the index of the turn held it; when it came there is not known here
	check := x.lore.Contract(npc)
	check.InScope, check.Holds = func(c protocol.Chunk) bool { return world.ScopeOf(c, npc) },
		func(string) bool { return true }
	check.TurnStart, check.GameTime = turn, x.gameTime(r)
	reason, ok := grounding.Eligible(c, check)
	if ok {
		return "", ""
	}
	return reason, fmt.Sprintf("%s cites %s, which %s may not cite in this turn", e.ID, c.ID, r.NPC)
}

// passage is the passage that holds the cited words, or the first of several that hold
// them together: an NPC's own file is cited whole.
func (x *shelf) passage(e schema.EvidenceRef, ids []string) (protocol.Chunk, bool) {
	if c, ok := x.chunks[e.ChunkID]; ok && holds(c.Text, e.Text) {
		return c, true
	}
	var whole strings.Builder
	for _, id := range ids {
		c := x.chunks[id]
		if holds(c.Text, e.Text) {
			return c, true
		}
		whole.WriteString(c.Text + "\n")
	}
	if !holds(whole.String(), e.Text) {
		return protocol.Chunk{}, false
	}
	for _, id := range ids {
		if c := x.chunks[id]; holds(e.Text, c.Text) {
			return c, true
		}
	}
	return x.chunks[ids[0]], true
}

func (x *shelf) gameTime(r *schema.Reply) time.Time {
	return x.lore.GameTime(&schema.Request{GameTime: r.GameTime}, r.AcceptedAt)
}

// holds says whether a passage holds the words, white space and the forms of quotes aside.
func holds(passage, words string) bool {
	flat := func(s string) string { return strings.Join(strings.Fields(text.Plain(s)), " ") }
	return strings.TrimSpace(words) != "" && strings.Contains(flat(passage), flat(words))
}

// conversational are the ids of what was said, remembered or sent by the game.
var conversational = []string{"session:", "memory:", "state:", "event:"}

func ofConversation(e schema.EvidenceRef) bool {
	for _, p := range conversational {
		if strings.HasPrefix(e.ChunkID, p) || strings.HasPrefix(e.Path, p) {
			return true
		}
	}
	return false
}

// minSaid is how many words a sentence has at least before its likeness to a passage
// is no chance; the provenance contract has the same bound.
const minSaid = 4

// said remembers, by hashes, the sentences that NPCs put in their own words, and the
// version of the lore at that time. It keeps a fixed number; the oldest go first.
type said struct {
	versions  map[uint64]uint64 // hash of the sentence to hash of the version
	ring      []uint64
	next      int
	forgotten int
}

func newSaid(size int) *said {
	return &said{versions: map[uint64]uint64{}, ring: make([]uint64, 0, max(size, 1))}
}

func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p + "\x00")) // it never fails
	}
	return h.Sum64()
}

// keep remembers the sentences of a reply that stand in no evidence of theirs.
func (s *said) keep(r *schema.Reply) {
	if r.LoreVersion == "" {
		return
	}
	for _, sentence := range r.Sentences {
		folded := text.Fold(sentence.Text)
		if sentence.Authored || len(text.WordSpans(folded)) < minSaid || quoted(folded, sentence.Evidence) {
			continue
		}
		s.add(hashOf(r.World, folded), hashOf(r.LoreVersion))
	}
}

func quoted(folded string, evidence []schema.EvidenceRef) bool {
	for _, e := range evidence {
		if strings.Contains(text.Fold(e.Text), folded) {
			return true
		}
	}
	return false
}

func (s *said) add(sentence, version uint64) {
	if _, known := s.versions[sentence]; known {
		return
	}
	if len(s.ring) < cap(s.ring) {
		s.ring = append(s.ring, sentence)
	} else {
		delete(s.versions, s.ring[s.next])
		s.ring[s.next] = sentence
		s.next = (s.next + 1) % len(s.ring)
		s.forgotten++
	}
	s.versions[sentence] = version
}

// before finds a sentence of cited lore that an NPC said while the lore had another
// version. Said under the same version, the sentence stood in the lore already.
func (s *said) before(r *schema.Reply, cited string) (sentence string, ok bool) {
	for _, sentence := range text.Sentences(cited) {
		version, known := s.versions[hashOf(r.World, text.Fold(sentence))]
		if known && version != hashOf(r.LoreVersion) {
			return sentence, true
		}
	}
	return "", false
}
