package play

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func proposal(npc, turn, name string, parameters map[string]any) client.Proposal {
	return client.Proposal{Conversation: schema.ConversationID{World: "w", NPC: npc, Player: "p"}, Turn: turn,
		Action: schema.Action{Name: name, Parameters: parameters}}
}

// The game's state decides, each action is carried out once, and who was there
// remembers it.
func TestTheGameDecides(t *testing.T) {
	at := func(where string) (*game, *sheet) {
		g := newGame("w", func() time.Time { return dusk })
		s := &sheet{id: "p", name: "Ansel", place: where, coins: 2, trust: map[string]int{}}
		g.join(s)
		return g, s
	}
	item := map[string]any{"item": "boot_knife"}
	t.Run("once", func(t *testing.T) {
		g, s := at("forge")
		for range 2 {
			if r, _ := g.do(proposal("mira", "t1", "give_item", item)); !r.Accepted {
				t.Errorf("refused: %+v", r)
			}
		}
		if len(s.items) != 1 || g.stock["boot_knife"] != 2 {
			t.Errorf("carried out twice: %v, %d left", s.items, g.stock["boot_knife"])
		}
	})
	t.Run("seen", func(t *testing.T) {
		g, _ := at("forge")
		_, seen := g.do(proposal("mira", "t1", "give_item", item))
		if seen == nil || seen.Text != "Mira gave Ansel a boot knife." ||
			!slices.Equal(seen.Witnesses, []string{"mira", "wren", "p"}) {
			t.Errorf("seen %+v", seen)
		}
		seen.ID = "e"
		if err := seen.Validate(); err != nil {
			t.Error(err)
		}
	})
	for name, c := range map[string]struct {
		where string
		p     client.Proposal
		with  func(*game, *sheet)
		want  string // of the refusal; empty: accepted
	}{
		"none left": {"forge", proposal("mira", "t", "give_item", item),
			func(g *game, _ *sheet) { g.stock["boot_knife"] = 0 }, "none is left"},
		"hands full": {"forge", proposal("mira", "t", "give_item", item),
			func(_ *game, s *sheet) { s.items = make([]string, carried) }, "can carry no more"},
		"ferry": {"quay", proposal("teague", "t", "ferry_passage", nil), nil, ""},
		"fare": {"quay", proposal("teague", "t", "ferry_passage", nil), func(_ *game, s *sheet) { s.coins = 1 },
			"cannot pay"},
		"not at quay": {"isle", proposal("teague", "t", "ferry_passage", nil), nil, "not at the quay"},
		"no pelt":     {"gate", proposal("osric", "t", "pay_bounty", nil), nil, "no pelt"},
		"quest twice": {"square", proposal("caddoc", "t", "give_quest", map[string]any{"quest": "bell"}),
			func(_ *game, s *sheet) { s.flags = []string{"quest.bell.started"} }, "under way"},
		"no such deed": {"inn", proposal("vey", "t", "make_offer", nil), nil, "knows no make_offer"},
	} {
		t.Run(name, func(t *testing.T) {
			g, s := at(c.where)
			if c.with != nil {
				c.with(g, s)
			}
			r, _ := g.do(c.p)
			if r.Accepted != (c.want == "") || !strings.Contains(r.Reason, c.want) {
				t.Errorf("%+v, want %q", r, c.want)
			}
		})
	}
}

func TestTheMapAndTheScriptFitTogether(t *testing.T) {
	s, err := readScript(linesFile)
	if err != nil {
		t.Fatal(err)
	}
	n, standing := len(s.any), map[string]bool{}
	for name, p := range places {
		for _, npc := range p.npcs {
			standing[npc] = true
		}
		for _, road := range p.roads {
			if _, ok := places[road]; !ok {
				t.Errorf("a road leads from %s to %q", name, road)
			}
		}
	}
	for npc, lines := range s.to {
		n += len(lines)
		if !standing[npc] {
			t.Errorf("nobody meets %s, who is asked %q", npc, lines[0])
		}
	}
	if n < 55 {
		t.Errorf("%d lines", n)
	}
	if _, err := readScript("mira: hello"); err == nil || !strings.Contains(err.Error(), "lines.txt:1") {
		t.Errorf("a line without a bar: %v", err)
	}
}

// What a player does follows from the seed alone.
func TestTheSeedDecidesWhatIsSaid(t *testing.T) {
	s, err := readScript(linesFile)
	if err != nil {
		t.Fatal(err)
	}
	said := func(seed uint64) (out []string) {
		r := rand.New(rand.NewPCG(seed, 0))
		for range 20 {
			out = append(out, s.pick(r, "mira"))
		}
		return out
	}
	if !slices.Equal(said(1), said(1)) || slices.Equal(said(1), said(2)) {
		t.Errorf("%q and %q", said(1), said(2))
	}
}

func TestSpread(t *testing.T) {
	var ds []time.Duration
	for i := range 100 {
		ds = append(ds, time.Duration(100-i)*time.Millisecond)
	}
	if got := spread(ds); got != (Spread{P50: 51, P95: 96, P99: 100}) {
		t.Errorf("%+v", got)
	}
	if got := spread(nil); got != (Spread{}) {
		t.Errorf("of nothing: %+v", got)
	}
}
