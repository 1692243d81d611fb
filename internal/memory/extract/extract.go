// Package extract finds what is worth remembering in a released reply or in what
// the game saw: candidates, by rules over words alone, or from a model's answer
// whose spans stand verbatim in the words. A candidate says what was said, and by
// whom; whether it is stored is for the guard in internal/memory/write. Nothing
// here looks at lore, and nothing that a player says becomes more than "the player
// told me so".
package extract

import (
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Speakers of words.
const (
	SpeakerPlayer = "player"
	SpeakerNPC    = "npc"
	SpeakerGame   = "game"
)

// Utterance is words with who said them: what a candidate is checked against.
type Utterance struct {
	TurnID  string    `json:"turn_id,omitempty"`
	EventID string    `json:"event_id,omitempty"`
	Speaker string    `json:"speaker"`
	Text    string    `json:"text"`
	At      time.Time `json:"at,omitzero"`
	Scene   string    `json:"scene,omitempty"` // in whose queue the turn stands
}

// Names resolves what is called by several names to one id. The zero value
// resolves nothing.
type Names struct {
	ids   map[string]string
	shown map[string]string
}

// NewNames makes a table of aliases: name → id, such as "Bram Dunnock" → "npc:bram"
// and "Ansel" → "player:p42". Case and articles do not matter.
func NewNames(aliases map[string]string) Names {
	n := Names{ids: map[string]string{}, shown: map[string]string{}}
	for alias, id := range aliases {
		folded := text.WithoutArticle(text.Fold(alias))
		n.ids[folded] = id
		if len(alias) > len(n.shown[id]) || len(alias) == len(n.shown[id]) && alias < n.shown[id] {
			n.shown[id] = alias
		}
	}
	return n
}

// Resolve gives the id of a name.
func (n Names) Resolve(name string) (string, bool) {
	id, ok := n.ids[text.WithoutArticle(text.Fold(text.Bare(name)))]
	return id, ok
}

// Shown is the longest name of an id, or the id itself.
func (n Names) Shown(id string) string {
	if name := n.shown[id]; name != "" {
		return name
	}
	return id
}

// Context is what the words stand in.
type Context struct {
	NPCName    string
	PlayerName string // as the NPC knows the player; empty: "The traveller"
	Names      Names
	Predicates *memory.PredicateTable // nil: the shipped ones
	Wall       time.Time              // created_at of the candidates
	// Previous is the player's message before this one, where the caller has it: a
	// correction ("no, I meant Oakham") needs what it corrects.
	Previous *Utterance
	// Results are the game's answers to the actions of the reply, by their place.
	Results map[int]schema.ActionResult
	// Unremembered are actions of the engine itself, such as the one by which trust
	// moves: nobody saw them.
	Unremembered []string
}

// Candidate is a memory proposed, without an id or a verdict.
type Candidate struct {
	schema.Memory
	// Claim is what the spans are to prove, in the speaker's own person: "I come
	// from the coast". Guard 1 holds it against the words.
	Claim string
}

// Tags of candidates.
const (
	TagCorrection = "correction" // the player took back what was said before
	TagWithdrawal = "withdrawal" // and with it all that the first of its words say
	TagDictated   = "dictated"   // the player asked for it to be remembered
	TagHeard      = "reported"   // the player has it from others
	TagBelief     = "belief"     // the player is not sure
	TagOffered    = "offered"    // an action that the game did not do
)

// FromReply gives the candidates of a released reply: what the player said, what
// the NPC said, and what the game did.
func FromReply(r *schema.Reply, c Context) []Candidate {
	c = c.withDefaults()
	f := frame{context: c, world: r.World, npc: r.NPC, player: r.Player, turn: r.TurnID, at: r.AcceptedAt,
		scene: r.SceneID()}
	if r.GameTime != nil && !r.GameTime.IsZero() {
		f.at = *r.GameTime
	}
	var out []Candidate
	if r.Status != schema.StatusAborted {
		out = f.fromPlayer(r.Message)
	}
	out = append(out, f.fromNPC(r)...)
	return distinct(append(out, f.fromActions(r)...))
}

// Words are what the candidates of a reply are checked against.
func Words(r *schema.Reply, c Context) []Utterance {
	at := r.AcceptedAt
	if r.GameTime != nil && !r.GameTime.IsZero() {
		at = *r.GameTime
	}
	var out []Utterance
	if c.Previous != nil {
		out = append(out, *c.Previous)
	}
	if strings.TrimSpace(r.Message) != "" {
		out = append(out, Utterance{TurnID: r.TurnID, Speaker: SpeakerPlayer, Text: r.Message, At: at, Scene: r.SceneID()})
	}
	for _, s := range r.Sentences {
		out = append(out, Utterance{TurnID: r.TurnID, Speaker: SpeakerNPC, Text: s.Text, At: at, Scene: r.SceneID()})
	}
	for i, a := range r.Actions {
		out = append(out, Utterance{TurnID: r.TurnID, Speaker: SpeakerGame, Text: actionWords(a, c.outcome(i, a)), At: at,
			Scene: r.SceneID()})
	}
	return out
}

func (c Context) withDefaults() Context {
	if c.Predicates == nil {
		c.Predicates = shippedPredicates
	}
	if c.PlayerName == "" {
		c.PlayerName = nameless
	}
	return c
}

// nameless is what a player is called whose name the NPC does not know.
const nameless = "The traveller"

// whom is the player's name within a sentence.
func (c Context) whom() string {
	if c.PlayerName == nameless {
		return "the traveller"
	}
	return c.PlayerName
}

var shippedPredicates = memory.DefaultPredicates()

// frame is a turn or an event that is being read.
type frame struct {
	context            Context
	world, npc, player string
	turn, event, scene string
	at                 time.Time // game time

	said     message     // the player's message that is being read
	entities []entity    // whom and what this message and the one before speak of
	touched  []text.Span // of the message: what the rules have read, whether or not they keep it
}

// candidate fills in what all candidates of a frame share.
func (f *frame) candidate(
	kind schema.MemoryKind, subject, pred, object, content string, spans ...schema.MemorySpan,
) Candidate {
	m := schema.Memory{
		World: f.world, NPC: f.npc, Player: f.player, Kind: kind, Subject: subject, Pred: pred, Object: object,
		Content: content,
		Spans:   spans, Count: 1, TurnID: f.turn, CreatedAt: f.context.Wall, EventTime: f.at, ValidFrom: f.at,
		Status: schema.MemoryPending,
	}
	return Candidate{Memory: m}
}

func (f *frame) span(speaker, words string) schema.MemorySpan {
	return schema.MemorySpan{TurnID: f.turn, EventID: f.event, Speaker: speaker, Text: words, At: f.at,
		Scene: f.scene}
}

// distinct drops candidates that say the same of the same words.
func distinct(list []Candidate) []Candidate {
	seen := map[string]bool{}
	var out []Candidate
	for _, c := range list {
		if key := memory.Key(&c.Memory); !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	return out
}

// Known says whether something is an id of the table.
func (n Names) Known(id string) bool { return n.shown[id] != "" }

// Named says whether one of an id's names stands in a text.
func (n Names) Named(id, in string) bool {
	if n.shown[id] == "" {
		return false
	}
	words := " " + strings.Join(text.Words(strings.NewReplacer("'s", "", "\u2019s", "").Replace(in)), " ") + " "
	for alias, of := range n.ids {
		if of == id && strings.Contains(words, " "+strings.Join(text.Words(alias), " ")+" ") {
			return true
		}
	}
	return false
}
