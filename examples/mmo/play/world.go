package play

import (
	"bufio"
	_ "embed"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

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
