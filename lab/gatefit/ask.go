package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// ask is a question with what would answer it.
type ask struct {
	group   string // questions of one group stay on one side of a split
	kind    string
	npc     string
	message string
	context []string
	facts   world.Facts
	at      time.Time
	weight  float64
	right   []string // any of these files answers; none means that nothing does
	without []string // files that are kept from the NPC
}

// set is a world with questions about it.
type set struct {
	name    string
	index   *retrieval.Index
	world   *world.World
	asks    []ask
	judged  bool // made of judged blocks
	trained bool // which the trained judgement was trained on
}

// suite is the part of a suite's file that retrieval can be fitted on.
type suite struct {
	Cases []struct {
		Name    string         `yaml:"name"`
		Kind    string         `yaml:"kind"`
		NPC     string         `yaml:"npc"`
		Message string         `yaml:"player_message"`
		Time    string         `yaml:"game_time"`
		Trust   *int           `yaml:"trust"`
		Flags   []string       `yaml:"flags"`
		State   map[string]any `yaml:"state"`
		Expect  []string       `yaml:"expect_evidence"`
		Unsure  *bool          `yaml:"expect_uncertain"`
		History []struct {
			Player string `yaml:"player"`
			NPC    string `yaml:"npc"`
		} `yaml:"history"`
	} `yaml:"cases"`
}

// readSuite reads a suite's questions. Cases that ask for no facts are left out:
// they never reach the gate.
func readSuite(path string) ([]ask, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s suite
	if err := yaml.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out []ask
	for _, c := range s.Cases {
		a := ask{group: c.NPC, kind: c.Kind, npc: c.NPC, message: c.Message, right: c.Expect, weight: 1,
			facts: world.Facts{Flags: c.Flags, State: c.State}}
		if c.Trust != nil {
			a.facts.Trust = *c.Trust
		}
		if c.Time != "" {
			if a.at, err = time.Parse(time.RFC3339, c.Time); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, c.Name, err)
			}
		}
		for _, h := range c.History {
			a.context = append(a.context, h.Player, h.NPC)
		}
		if a.kind == "" {
			a.kind = "known"
			if c.Unsure != nil && *c.Unsure {
				a.kind = "unknown"
			}
		}
		if a.kind != "known" && c.Unsure != nil && *c.Unsure {
			a.right = nil
		}
		out = append(out, a)
	}
	return out, nil
}

// openSet indexes a world into a throw-away folder.
func openSet(ctx context.Context, name, dir, temp string, opts options) (*set, error) {
	w, _, err := world.LoadDir(dir)
	if err != nil {
		return nil, err
	}
	corpus, err := sqlite.OpenCorpus(ctx, filepath.Join(temp, name+".db"))
	if err != nil {
		return nil, err
	}
	defer corpus.Close() //nolint:errcheck // read into memory, thrown away
	x, err := retrieval.Open(ctx, corpus, opts.Words, w, opts.Options)
	if err != nil {
		return nil, err
	}
	if opts.Encoder != nil {
		if _, err := x.Deepen(ctx, corpus, opts.Encoder, opts.Answers, opts.Options); err != nil {
			return nil, err
		}
	}
	return &set{name: name, index: x, world: w}, nil
}

// query is the ask as a query of its NPC.
func (s *set) query(a ask) (retrieval.Query, error) {
	npc := s.world.NPCs[a.npc]
	if npc == nil {
		return retrieval.Query{}, fmt.Errorf("%s has no NPC %s", s.name, a.npc)
	}
	at := a.at
	if at.IsZero() {
		at = s.world.Now
	}
	if at.IsZero() {
		at = time.Now()
	}
	return retrieval.Query{NPC: npc, Message: a.message, Context: a.context, Facts: a.facts, Check: grounding.Check{
		World:   s.world.Name,
		InScope: func(c protocol.Chunk) bool { return world.ScopeOf(c, npc) && !names(a.without, c.Path) },
		Holds: func(requires string) bool {
			c, err := world.ParseCondition(requires)
			return err == nil && c.Holds(a.facts)
		},
		GameTime: at, TurnStart: time.Now(),
		ModelSaid: func(string) (time.Time, bool) { return time.Time{}, false },
	}}, nil
}

// answersRight says whether a file is among those that answer.
func (a ask) answersRight(path string) bool { return names(a.right, path) }

// names says whether a file is among those that some paths or patterns name.
func names(paths []string, path string) bool {
	for _, r := range paths {
		if r == path || strings.HasPrefix(r, path+"#") {
			return true
		}
		if ok, err := filepath.Match(r, path); err == nil && ok {
			return true
		}
	}
	return false
}
