package play

import (
	"bufio"
	_ "embed"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// game is the authority on what is so: where players are, what they own, how far
// they are trusted. NPCs propose; the game decides.
type game struct {
	world string
	start time.Time // of the run, for the game's clock
	now   func() time.Time

	mu      sync.Mutex
	players map[string]*sheet
	stock   map[string]int                 // what NPCs have to give, by item
	settled map[string]schema.ActionResult // answers given, so that an action that comes twice is done once
}

// sheet is what the game knows of a player.
type sheet struct {
	id, name string
	place    string
	level    int
	coins    int
	pelts    int
	items    []string
	flags    []string
	trust    map[string]int // by NPC
}

// dusk is when every run begins in the world.
var dusk = time.Date(1402, 5, 3, 18, 0, 0, 0, time.UTC)

// carried is how many things a player can carry.
const carried = 6

func newGame(world string, now func() time.Time) *game {
	return &game{world: world, now: now, start: now(), players: map[string]*sheet{},
		settled: map[string]schema.ActionResult{},
		stock:   map[string]int{"boot_knife": 3, "blue_bead": 5, "ale": 40, "salve": 8}}
}

func (g *game) join(s *sheet) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.players[s.id] = s
}

// move takes a player along a road, and says what there was to see.
func (g *game) move(player, to string, wolf bool) *schema.Occurrence {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.players[player]
	s.place = to
	if to != "fells" || !wolf {
		return nil
	}
	s.pelts++
	return g.saw(s, fmt.Sprintf("%s killed a wolf on the fell road.", s.name))
}

func (g *game) placeOf(player string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.players[player].place
}

// request is what the mesh needs to know when a player speaks: the facts of this
// moment, and what this NPC may do in it.
func (g *game) request(player, npc, line string, deadline time.Duration) schema.Request {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.players[player]
	at, trust := g.clock(), s.trust[npc]
	return schema.Request{
		World: g.world, NPC: npc, Player: s.id, PlayerName: s.name, Message: line, DeadlineMS: int(deadline.Milliseconds()),
		GameTime: &at, Trust: &trust, Flags: slices.Clone(s.flags), Witnesses: g.present(s.place),
		State:          map[string]any{"player.level": s.level, "player.coins": s.coins, "player.wolf_pelts": s.pelts},
		AllowedActions: allowed(npc),
	}
}

func (g *game) clock() time.Time { return dusk.Add(g.now().Sub(g.start)) }

// present are the players at a place; its NPCs are there anyway.
func (g *game) present(where string) []string {
	var out []string
	for id, s := range g.players {
		if s.place == where {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), 16)]
}

// deeds are what the NPCs of this game may do, besides trusting a player more or
// less. Confirm: the NPC says so only after the game has agreed.
var deeds = map[string]schema.ActionSpec{
	"mira":   give("boot_knife", "trust >= 0", "Here, take this knife."),
	"wren":   give("blue_bead", "trust >= 0", "You can take the bead."),
	"petra":  give("ale", "trust >= -10", "There, take this ale."),
	"sennet": give("salve", "trust >= 0", "Take this salve, and keep it clean."),
	"caddoc": {Name: "give_quest", Confirm: true, Requires: "not flags.quest.bell.started",
		SpeechActs: []string{"Then bring me the clapper.", "Bring back the clapper."},
		Parameters: []byte(`{"type":"object","properties":{"quest":{"const":"bell"}},"required":["quest"]}`)},
	"teague": {Name: "ferry_passage", Confirm: true,
		SpeechActs: []string{"Hop in, I'll take you across.", "I'll take you across."},
		Parameters: []byte(`{"type":"object","properties":{"to":{"const":"isle"}},"required":["to"]}`)},
	"osric": {Name: "pay_bounty", Confirm: true, Requires: "state.player.wolf_pelts >= 1",
		SpeechActs: []string{"Here is your bounty.", "I'll pay you the bounty."},
		Parameters: []byte(`{"type":"object","properties":{"pelts":{"const":1}},"required":["pelts"]}`)},
}

func give(item, requires, phrase string) schema.ActionSpec {
	return schema.ActionSpec{Name: "give_item", Confirm: true, Requires: requires, SpeechActs: []string{phrase},
		Parameters: fmt.Appendf(nil, `{"type":"object","properties":{"item":{"const":%q}},"required":["item"]}`, item)}
}

func allowed(npc string) []schema.ActionSpec {
	out := []schema.ActionSpec{{Name: "update_trust", Parameters: []byte(`{"type":"object"` +
		`,"properties":{"delta":{"type":"number"}},"required":["delta"]}`)}}
	if d, ok := deeds[npc]; ok {
		out = append(out, d)
	}
	return out
}

// do carries out an action if it can be carried out, once, and says what was to be
// seen of it.
func (g *game) do(p client.Proposal) (schema.ActionResult, *schema.Occurrence) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := fmt.Sprintf("%s/%s/%d", p.Conversation, p.Turn, p.Index)
	if r, done := g.settled[key]; done {
		return r, nil
	}
	seen, why := "", "there is no such player"
	if s := g.players[p.Conversation.Player]; s != nil {
		seen, why = g.act(s, p)
	}
	r := schema.ActionResult{Accepted: why == "", Reason: why}
	g.settled[key] = r
	if seen == "" {
		return r, nil
	}
	return r, g.saw(g.players[p.Conversation.Player], seen)
}

// act changes the state, or says why not.
func (g *game) act(s *sheet, p client.Proposal) (seen, refused string) {
	npc := p.Conversation.NPC
	text := func(key string) string { v, _ := p.Action.Parameters[key].(string); return v }
	switch p.Action.Name {
	case "update_trust":
		delta, _ := p.Action.Parameters["delta"].(float64)
		s.trust[npc] = max(schema.MinTrust, min(schema.MaxTrust, s.trust[npc]+int(delta)))
		return "", ""
	case "give_item":
		item := text("item")
		switch {
		case g.stock[item] == 0:
			return "", "none is left"
		case len(s.items) >= carried:
			return "", "the player can carry no more"
		}
		g.stock[item]--
		s.items = append(s.items, item)
		return fmt.Sprintf("%s gave %s a %s.", title(npc), s.name, strings.ReplaceAll(item, "_", " ")), ""
	case "give_quest":
		flag := "quest." + text("quest") + ".started"
		if slices.Contains(s.flags, flag) {
			return "", "that quest is under way"
		}
		s.flags = append(s.flags, flag)
		return "", ""
	case "ferry_passage":
		const fare = 2
		if s.place != "quay" || s.coins < fare {
			return "", "the player is not at the quay, or cannot pay"
		}
		s.coins, s.place = s.coins-fare, "isle"
		return fmt.Sprintf("%s rowed %s across to Bell Isle.", title(npc), s.name), ""
	case "pay_bounty":
		if s.pelts == 0 {
			return "", "the player has no pelt"
		}
		s.pelts, s.coins = s.pelts-1, s.coins+8
		return fmt.Sprintf("%s paid %s the bounty for a wolf.", title(npc), s.name), ""
	}
	return "", "this game knows no " + p.Action.Name
}

// saw is an event at a player's place: those who were there remember it.
func (g *game) saw(s *sheet, text string) *schema.Occurrence {
	return &schema.Occurrence{World: g.world, GameTime: g.clock(), Text: text, Player: s.id,
		Witnesses: append(slices.Clone(places[s.place].npcs), g.present(s.place)...)}
}

func title(handle string) string { return strings.ToUpper(handle[:1]) + handle[1:] }

// place is somewhere to be: who stands there, and where its roads lead.
type place struct {
	npcs  []string
	roads []string
}

// places are the parts of Hollowmere that this game knows.
var places = map[string]place{
	"square": {npcs: []string{"aldith", "caddoc"}, roads: []string{"forge", "inn", "gate", "quay"}},
	"forge":  {npcs: []string{"mira", "wren"}, roads: []string{"square", "mill"}},
	"mill":   {npcs: []string{"bram"}, roads: []string{"forge", "quay"}},
	"inn":    {npcs: []string{"petra", "vey"}, roads: []string{"square", "healer"}},
	"healer": {npcs: []string{"sennet"}, roads: []string{"inn", "gate"}},
	"gate":   {npcs: []string{"osric"}, roads: []string{"square", "healer", "fells"}},
	"fells":  {npcs: []string{"yrsa"}, roads: []string{"gate"}},
	"quay":   {npcs: []string{"teague"}, roads: []string{"square", "mill"}},
	"isle":   {npcs: []string{"teague"}, roads: []string{"quay"}}, // only the ferry leads here
}

// placeNames are those where a player may begin, in an order that a seed can rest on.
var placeNames = slices.DeleteFunc(slices.Sorted(maps.Keys(places)), func(name string) bool {
	return len(places[name].npcs) == 0 || name == "isle"
})

//go:embed lines.txt
var linesFile string

// script is what players say: to anybody, and to one NPC.
type script struct {
	any []string
	to  map[string][]string
}

// readScript reads the file of lines.
func readScript(text string) (*script, error) {
	s := &script{to: map[string][]string{}}
	in := bufio.NewScanner(strings.NewReader(text))
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		who, said, ok := strings.Cut(line, "|")
		who, said = strings.TrimSpace(who), strings.TrimSpace(said)
		if !ok || who == "" || said == "" {
			return nil, fmt.Errorf("lines.txt:%d: %q; write who is asked, a bar and the line", n, line)
		}
		said = strings.TrimSpace(strings.TrimPrefix(said, "+"))
		if who == "*" {
			s.any = append(s.any, said)
		} else {
			s.to[who] = append(s.to[who], said)
		}
	}
	return s, nil
}

// pick chooses a line for an NPC: its own three times of four.
func (s *script) pick(r *rand.Rand, npc string) string {
	own := s.to[npc]
	if len(own) == 0 || r.IntN(4) == 0 {
		own = s.any
	}
	return own[r.IntN(len(own))]
}
