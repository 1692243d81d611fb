package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// judged is a line of answers.jsonl: does the block answer the question?
type judged struct {
	Question string `json:"question"`
	Block    string `json:"block"`
	Answers  string `json:"answers"`
	Kind     string `json:"kind"`
}

// crowd is how many NPCs share the blocks; each has its own part of them, from a
// few to many, as NPCs have.
const crowd = 48

// openBlocks lays the judged blocks out as a world of their own, so that a
// judgement is asked for as it is in use: of the best of what an NPC knows. Each
// question goes to one NPC that has its block, and each answered one also to one
// that has not.
func openBlocks(ctx context.Context, name, file, temp string, opts options) (*set, error) {
	rows, err := readJudged(file)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	blocks, number := []string{}, map[string]int{}
	for _, r := range rows {
		if _, ok := number[r.Block]; !ok {
			number[r.Block] = len(blocks)
			blocks = append(blocks, r.Block)
		}
	}
	dir := filepath.Join(temp, name)
	has, err := layOut(dir, blocks, rng)
	if err != nil {
		return nil, err
	}
	s, err := openSet(ctx, name, dir, temp, opts)
	if err != nil {
		return nil, err
	}
	s.judged = true
	for _, r := range rows {
		n := number[r.Block]
		holder, stranger := pick(rng, has, n, true), pick(rng, has, n, false)
		a := ask{group: fmt.Sprintf("%s/%d", name, n), kind: "block-" + r.Answers, npc: handle(holder), message: r.Question,
			weight: lesser}
		if r.Answers != "no" {
			a.kind = "known"
			a.right = []string{blockPath(n), homePath(holder, n)}
		}
		s.asks = append(s.asks, a)
		if r.Answers == "yes" {
			s.asks = append(s.asks, ask{group: a.group, kind: "private", npc: handle(stranger), message: r.Question,
				weight: lesser})
		}
	}
	return s, nil
}

func readJudged(path string) ([]judged, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	var out []judged
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var j judged
		if err := json.Unmarshal(sc.Bytes(), &j); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, j)
	}
	return out, nil
}

func handle(n int) string        { return fmt.Sprintf("npc-%02d", n) }
func blockPath(n int) string     { return fmt.Sprintf("lore/b%03d.txt", n) }
func homePath(npc, n int) string { return fmt.Sprintf("npcs/%s/home/b%03d.txt", handle(npc), n) }

// layOut writes the blocks: some as lore that several NPCs know, some into homes.
func layOut(dir string, blocks []string, rng *rand.Rand) ([]map[int]bool, error) {
	has := make([]map[int]bool, crowd)
	out := map[string]string{"world.yaml": "name: blocks\n"}
	known := make([][]string, len(blocks))
	for npc := range crowd {
		has[npc] = map[int]bool{}
		out[fmt.Sprintf("npcs/%s/npc.yaml", handle(npc))] = fmt.Sprintf(
			"handle: %s\nname: N%d\nbackstory: N%d keeps what is handed in.\npersonality: plain\n", handle(npc), npc, npc)
		want := 4 + rng.IntN(12)
		if npc%3 == 0 {
			want += rng.IntN(60)
		}
		for len(has[npc]) < want {
			has[npc][rng.IntN(len(blocks))] = true
		}
	}
	for npc := range crowd {
		for n := range blocks {
			if !has[npc][n] {
				continue
			}
			if (npc+n)%2 == 0 {
				put(out, homePath(npc, n), blocks[n], "")
				continue
			}
			known[n] = append(known[n], handle(npc))
		}
	}
	for n, who := range known {
		if len(who) > 0 {
			list, err := json.Marshal(who)
			if err != nil {
				return nil, err
			}
			put(out, blockPath(n), blocks[n], fmt.Sprintf("known_by: %s\n", list))
		}
	}
	return has, writeAll(dir, out)
}

func put(out map[string]string, path, block, more string) {
	out[path] = block
	out[path+".meta.yaml"] = "created_at: 946684800\n" +
		"author: unknown\ntype: note\nsummary: a note\nkeywords: [note]\n" + more
}

func writeAll(dir string, files map[string]string) error {
	for name, body := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// pick chooses an NPC that has the block, or one that has not.
func pick(rng *rand.Rand, has []map[int]bool, block int, holder bool) int {
	for range 1000 {
		if npc := rng.IntN(len(has)); has[npc][block] == holder {
			return npc
		}
	}
	return 0
}
