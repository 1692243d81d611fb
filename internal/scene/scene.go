// Package scene is the rules of scenes of several NPCs and players, pure: who is there,
// whose turn it is, what an NPC of the scene has heard, and who speaks next. It says
// nothing about what an NPC may claim: each turn of a scene is one of its own NPC.
package scene

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Limits of what a scene's document and one turn hold.
const (
	keptLines  = 40
	keptHeard  = 12
	keptOfPair = 16
)

// stateOf is who is in a scene; a scene that nobody has entered is empty.
func stateOf(doc *schema.Conversation) *schema.SceneState {
	if doc == nil || doc.Scene == nil {
		return &schema.SceneState{}
	}
	return doc.Scene
}

// Cast fills a request of a scene with the NPC whose turn it is and with who hears it, and
// gives the conversation as this NPC has heard it. The error says in one line why nobody
// can answer.
func Cast(w *world.World, req *schema.Request, doc *schema.Conversation) (*schema.Conversation, error) {
	s := stateOf(doc)
	field := func(name, format string, args ...any) error {
		return &schema.FieldError{Field: name, Reason: fmt.Sprintf(format, args...)}
	}
	if req.Scene.Moves() {
		after := moved(s, req.Scene)
		switch {
		case len(after.NPCs) > schema.MaxSceneNPCs:
			return doc, field("scene.enter", "makes %d NPCs; a scene holds %d at most", len(after.NPCs), schema.MaxSceneNPCs)
		case len(after.Players) > schema.MaxScenePlayers:
			return doc, field("scene.enter", "makes %d players; a scene holds %d at most", len(after.Players),
				schema.MaxScenePlayers)
		}
		return doc, nil
	}
	switch {
	case !slices.Contains(s.Players, req.Player):
		return doc, field("player", "%q is not in the scene %s; have it enter first", req.Player, req.Scene.ID)
	case len(s.NPCs) == 0:
		return doc, field("scene", "%s has no NPC that could answer; have one enter first", req.Scene.ID)
	case req.NPC != "" && !slices.Contains(s.NPCs, req.NPC):
		return doc, field("npc", "%q is not in the scene %s", req.NPC, req.Scene.ID)
	}
	if req.NPC == "" {
		if req.NPC = Addressed(w, req.Message, s.NPCs); req.NPC == "" {
			req.NPC = inTurn(s, nil)
		}
	}
	if req.Scene.Round == 0 {
		req.Message = withoutAddress(w, req.Message, req.NPC)
	}
	present := schema.Presence{NPCs: slices.Clone(s.NPCs), Players: slices.Clone(s.Players)}
	of := *req.Scene
	of.Present, req.Scene = &present, &of
	return View(doc, req.NPC, req.Player), nil
}

// inTurn is the NPC behind the one that spoke last, leaving some out; "" where none is left.
func inTurn(s *schema.SceneState, but []string) string {
	from := slices.Index(s.NPCs, s.Last) + 1
	for i := range s.NPCs {
		if npc := s.NPCs[(from+i)%len(s.NPCs)]; !slices.Contains(but, npc) {
			return npc
		}
	}
	return ""
}

// View is the conversation as one NPC of the scene has it in mind: what this player and it
// have said to each other, and beside that all else that it heard, also what it answered
// others itself. What was said while it was away is in neither.
func View(doc *schema.Conversation, npc, player string) *schema.Conversation {
	v := &schema.Conversation{World: doc.World, NPC: npc, Player: player, Scene: doc.Scene, Turns: doc.Turns}
	for _, l := range doc.Memory {
		l.Text = cut(l.Text) // an older version kept it whole
		switch {
		case !hears(l, npc):
		case l.By == npc && (l.To == player || l.To == ""), l.By == player && l.Speaker == "player":
			v.Memory = append(v.Memory, l)
		default:
			v.Heard = append(v.Heard, l)
		}
	}
	v.Memory = v.Memory[max(0, len(v.Memory)-keptOfPair):]
	v.Heard = v.Heard[max(0, len(v.Heard)-keptHeard):]
	return v
}

// Apply changes a scene's document by a stored reply.
func Apply(doc *schema.Conversation, r *schema.Reply) {
	doc.World, doc.NPC, doc.Player = r.World, schema.SceneNPC, r.Scene.ID
	s := *stateOf(doc)
	defer func() { doc.Scene = &s }()
	if r.Scene.Moves() {
		if r.Status != schema.StatusAborted { // its time was over before it came to the head
			s = moved(&s, r.Scene)
		}
		return
	}
	doc.Turns++
	heard := []string(nil)
	if r.Scene.Present != nil {
		heard = r.Scene.Present.NPCs
	}
	for _, line := range LinesOf(r) {
		line.Heard = heard
		line.To = r.Player
		if line.By, line.ByName = r.NPC, r.NPCName; line.Speaker == "player" {
			line.By, line.ByName = r.Player, r.PlayerName
		}
		doc.Memory = append(doc.Memory, line)
	}
	doc.Memory = slices.Clone(doc.Memory[max(0, len(doc.Memory)-keptLines):])
	if len(r.Sentences) > 0 {
		s.Last = r.NPC
	}
	if r.Scene.Round > 0 {
		if hour := r.AcceptedAt.Truncate(time.Hour); !hour.Equal(s.Hour) {
			s.Hour, s.Exchanged = hour, 0
		}
		s.Exchanged++
	}
}

// moved is a scene's state after somebody entered or left.
func moved(s *schema.SceneState, by *schema.Scene) schema.SceneState {
	out := *s
	change := func(of []string, in, away func(*schema.Presence) []string) []string {
		of = slices.Clone(of)
		if by.Enter != nil {
			for _, who := range in(by.Enter) {
				if !slices.Contains(of, who) {
					of = append(of, who)
				}
			}
		}
		if by.Leave != nil {
			of = slices.DeleteFunc(of, func(who string) bool { return slices.Contains(away(by.Leave), who) })
		}
		return of
	}
	npcs, players := func(p *schema.Presence) []string { return p.NPCs },
		func(p *schema.Presence) []string { return p.Players }
	out.NPCs, out.Players = change(s.NPCs, npcs, npcs), change(s.Players, players, players)
	return out
}

// Next is the turn of the NPC that speaks behind another upon a player's message; nil where
// the rounds, the scene's hour or the NPCs are used up. An NPC that the last one addressed
// with a question goes first, else they speak in turn.
func Next(w *world.World, doc *schema.Conversation, r *schema.Reply) *schema.Request {
	s := stateOf(doc)
	hourly := s.Exchanged
	if !r.AcceptedAt.Truncate(time.Hour).Equal(s.Hour) {
		hourly = 0
	}
	if r.Scene.Moves() || r.NPC == "" || r.Scene.Round >= r.Scene.Rounds || hourly >= schema.MaxSceneHourly ||
		r.Status == schema.StatusAborted && r.Scene.Round == 0 {
		return nil
	}
	spoke := append(slices.Clone(r.Scene.Spoke), r.NPC)
	message, of := r.Scene.Message, r.Scene.Of
	if r.Scene.Round == 0 {
		message, of = r.Message, r.TurnID
	}
	npc := ""
	for _, said := range r.Sentences {
		if to := asked(w, said.Text, s.NPCs); to != "" && to != r.NPC {
			npc, message = to, said.Text
		}
	}
	if npc == "" {
		npc = inTurn(&schema.SceneState{Presence: s.Presence, Last: r.NPC}, spoke)
	}
	if npc == "" || message == "" || !slices.Contains(s.Players, r.Player) {
		return nil
	}
	round := r.Scene.Round + 1
	return &schema.Request{TurnID: schema.SceneRound(of, round), World: r.World, NPC: npc, Player: r.Player,
		PlayerName: r.PlayerName, Message: message, GameTime: r.GameTime,
		Scene: &schema.Scene{ID: r.Scene.ID, Rounds: r.Scene.Rounds, Round: round, Of: of, Spoke: spoke, Message: message}}
}

// lineBytes is how much of a player's message a line keeps: a turn carries many lines.
const lineBytes = 2 << 10

// LinesOf is what a reply leaves in the working memory of a conversation, of one player or of
// a scene: what the player said, and what was released. A turn that was aborted unheard leaves
// only what the player did hear.
func LinesOf(r *schema.Reply) []schema.Line {
	var out []schema.Line
	if r.Message != "" {
		out = append(out, schema.Line{Speaker: "player", Text: cut(r.Message), TurnID: r.TurnID, At: r.AcceptedAt,
			Source: schema.OriginUser})
	}
	for _, s := range r.Sentences {
		out = append(out, schema.Line{Speaker: "npc", Text: s.Text, TurnID: r.TurnID, At: r.AcceptedAt,
			Source: schema.OriginSystem, Verbatim: IsVerbatim(s)})
	}
	return out
}

// IsVerbatim says whether no model worded a sentence: an author wrote it, or it repeats its
// evidence word for word.
func IsVerbatim(s schema.Sentence) bool {
	if s.Authored {
		return true
	}
	for _, e := range s.Evidence {
		if voice.Quotes(s.Text, e.Text) {
			return true
		}
	}
	return false
}

// cut is a message as a line keeps it.
func cut(s string) string {
	const more = "…"
	if len(s) <= lineBytes {
		return s
	}
	end := lineBytes - len(more)
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + more
}
