package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/worlds"
)

// consoles are the blocks of a page that show a console, without their fences.
func consoles(t *testing.T, page string) (out []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range strings.Split(string(data), "```") {
		if i%2 == 1 && strings.HasPrefix(strings.TrimSpace(block), "$ forsooth ") {
			out = append(out, strings.TrimSpace(block))
		}
	}
	return out
}

// What a page shows of `forsooth verify` and `forsooth check` is what the binary prints.
func TestPagesShowWhatVerifyPrints(t *testing.T) {
	s := newSite(t)
	if err := os.Symlink(binary, s.path("forsooth")); err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, block := range consoles(t, "docs/grounding.md") {
		for _, example := range strings.Split("\n"+block, "\n$ ")[1:] {
			line, want, _ := strings.Cut(example, "\n")
			if !strings.HasPrefix(line, "forsooth verify ") && !strings.HasPrefix(line, "forsooth check ") {
				continue
			}
			shown++
			cmd := exec.Command("sh", "-c", "./"+line)
			cmd.Dir, cmd.Env = s.dir, s.command().Env
			got, _ := cmd.Output() // its exit code tells the verdict
			if strings.TrimSpace(string(got)) != strings.TrimSpace(want) {
				t.Errorf("$ %s\nprints\n%s\nthe page shows\n%s", line, got, want)
			}
		}
	}
	if shown == 0 {
		t.Error("docs/grounding.md shows no example of verify")
	}
}

// The dialogue that README shows comes out in the first second of a process on an empty data folder, and again
// when everything is warm. Openers and the choice of an authored line hang on the turn's id.
func TestREADMEsDialogueIsSaidColdAndWarm(t *testing.T) {
	w, _, err := world.Load(worlds.FS, "hollowmere")
	if err != nil {
		t.Fatal(err)
	}
	mira := w.NPCs["mira"]
	authored := slices.Concat(mira.Line(world.LineRefuse, "en"), mira.Line(world.LineUnknown, "en"))
	asked, want := dialogue(consoles(t, "README.md")[0], mira.Name)
	if len(asked) < 4 || len(asked) != len(want) {
		t.Fatalf("README shows %d questions and %d replies", len(asked), len(want))
	}
	s := newSite(t)
	for _, age := range []string{"cold", "warm"} {
		_, got := dialogue(s.runWith(strings.Join(asked, "\n")+"\n", "chat").out, mira.Name)
		if len(got) != len(want) {
			t.Fatalf("%s: %d replies to %d questions: %q", age, len(got), len(want), got)
		}
		for i := range want {
			switch {
			case slices.Contains(authored, want[i]):
				if !slices.Contains(authored, got[i]) {
					t.Errorf("%s: %q was answered %q, not by a line that owns to nothing", age, asked[i], got[i])
				}
			case !strings.HasSuffix(strings.ToLower(got[i]), strings.ToLower(want[i])):
				t.Errorf("%s: %q was answered %q, README shows %q", age, asked[i], got[i], want[i])
			}
		}
	}
}

// The exchanges of docs/models.md, of models whose speech was written down and of one that
// lies, come out in a new process on an empty data folder, and again when all is warm.
func TestModelsExchangesAreSaidColdAndWarm(t *testing.T) {
	rows, err := llmtest.ReadSpeechFile(filepath.Join("..", "..", "examples", "recorded", "talk.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "models.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for i, block := range strings.Split(string(page), "```") {
		if i%2 == 1 && strings.HasPrefix(strings.TrimSpace(block), "> ") {
			blocks = append(blocks, strings.TrimSpace(block))
		}
	}
	models := []llmtest.Options{{Persona: "recorded", Rows: rows}, {Persona: "recorded", Rows: rows},
		{Persona: "invent-detail", Judge: llmtest.JudgeHonest}}
	if len(blocks) != len(models) {
		t.Fatalf("the page shows %d exchanges, not %d", len(blocks), len(models))
	}
	for i, npc := range []string{"mira", "teague", "teague"} {
		server, err := llmtest.Start(models[i])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Close() })
		asked, want := exchange(blocks[i])
		s := newSite(t)
		for _, age := range []string{"cold", "warm"} {
			r := s.runWith(strings.Join(asked, "\n")+"\n", "chat", "--npc", npc, "--llm-url", server.URL(),
				"--llm-model", "scripted")
			if models[i].Judge != "" { // which lie is told hangs on what was found: the reply and its reason are held
				want = want[:3]
			}
			for _, line := range want {
				if !strings.Contains(masked(r.out), masked(line)) {
					t.Errorf("exchange %d, %s: the page shows\n%s\nwhich is not in\n%s", i+1, age, line, r.out)
				}
			}
		}
	}
}

// exchange reads what a block shows: the player's lines, and those that came back.
func exchange(block string) (asked, shown []string) {
	for _, line := range strings.Split(block, "\n") {
		if q, ok := strings.CutPrefix(line, "> "); ok {
			asked = append(asked, q)
		} else {
			shown = append(shown, strings.TrimSpace(line))
		}
	}
	return asked, shown
}

// masked leaves out figures and the numbers of blocks, which hang on what else was found.
func masked(s string) string { return figure.ReplaceAllString(s, "#") }

var figure = regexp.MustCompile(`\[?E?[0-9]+(\.[0-9]+)?\]?`)

// dialogue reads a chat: what was asked, commands aside, and what the NPC replied after its greeting.
func dialogue(console, name string) (asked, replies []string) {
	greeted, open := false, false
	for _, line := range strings.Split(console, "\n") {
		bare := strings.TrimPrefix(line, "> ")
		said, speaks := strings.CutPrefix(bare, name+": ")
		if bare != line && !speaks {
			open = false
		}
		switch {
		case speaks && !greeted:
			greeted, open = true, false
		case speaks:
			replies, open = append(replies, said), true
		case greeted && open && line != "" && strings.HasSuffix(line, ".") && !strings.HasPrefix(line, " "):
			replies[len(replies)-1] += " " + line // folded in the page
		}
	}
	for _, line := range strings.Split(console, "\n") {
		if q, ok := strings.CutPrefix(line, "> "); ok && !strings.HasPrefix(q, "/") &&
			!strings.HasPrefix(q, name+": ") {
			asked = append(asked, q)
		}
	}
	return asked, replies
}
