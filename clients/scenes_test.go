package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// scenes are the examples of scenes, over each transport of a client.
var scenes = []player{
	{"js-http", node, []string{"js/scene.mjs", "http"}},
	{"js-socket", node, []string{"js/scene.mjs", "socket"}},
	{"python-http", python, []string{"python/scene.py", "http"}},
	{"python-aio", python, []string{"python/scene.py", "aio"}},
	{"python-socket", python, []string{"python/scene.py", "socket"}},
}

// A line of an example says who is there, or what one NPC said.
type staged struct {
	ID      string   `json:"id"`
	NPCs    []string `json:"npcs"`
	Players []string `json:"players"`
	NPC     string   `json:"npc"`
	Text    string   `json:"text"`
	Reply   string   `json:"reply"`
}

// Each client has NPCs and a player enter a scene, hears each NPC once where the connection breaks
// too, and has the player leave.
func TestEachClientPlaysAScene(t *testing.T) {
	script := &transcript{}
	must(t, json.Unmarshal([]byte(`{"steps":[{"turns":[{"turn_id":"js-http"}],"cuts":[2,4]},
		{"turns":[{"turn_id":"js-socket"}],"cuts":[2,4]},{"turns":[{"turn_id":"python-http"}],"cuts":[2,4]},
		{"turns":[{"turn_id":"python-aio"}],"cuts":[2,4]},{"turns":[{"turn_id":"python-socket"}],"cuts":[2,4]}]}`), script))
	s := open(t, script)
	for _, p := range scenes {
		t.Run(p.name, func(t *testing.T) {
			command := append(p.command(t), p.args...)
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			run := exec.CommandContext(ctx, command[0], command[1:]...)
			run.Env = append(os.Environ(), "FORSOOTH_URL="+s.url, "FORSOOTH_KEY="+s.key, "FORSOOTH_SCENE="+p.name)
			out, err := run.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var there []string
			texts, replies, spoke := map[string]string{}, map[string]string{}, []string{}
			for line := range bytes.Lines(out) {
				var said staged
				must(t, json.Unmarshal(line, &said))
				switch {
				case said.NPC == "":
					there = append(there, strings.Join(append(said.NPCs, said.Players...), " "))
				case said.Text != "":
					texts[said.NPC] = strings.TrimSpace(texts[said.NPC] + " " + said.Text)
				default:
					spoke, replies[said.NPC] = append(spoke, said.NPC), said.Reply
				}
			}
			if strings.Join(there, "|") != "mira osric ansel|mira osric|mira osric" || strings.Join(spoke, " ") != "osric mira" {
				t.Errorf("there were %q, %q spoke", there, spoke)
			}
			for npc, reply := range replies {
				if reply == "" || texts[npc] != reply {
					t.Errorf("%s said %q sentence by sentence, and %q in all", npc, texts[npc], reply)
				}
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
	}
}
