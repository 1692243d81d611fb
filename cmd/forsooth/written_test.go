package main

import (
	"strings"
	"testing"
)

// What a turn writes is known to nobody until a person makes it lore.
func TestWhatATurnWroteIsUnknownUntilItIsPromoted(t *testing.T) {
	s := newSite(t)
	village := s.village()
	s.write("village/npcs/osric/npc.yaml", `handle: osric
name: Osric
backstory: "Osric is the reeve of the village."
personality: "stiff"
lines:
  unknown: ["I have no record of it."]
actions:
  - name: send_message
    parameters: {type: object, properties: {text: {const: "The silver lantern hangs beside the north gate."}}}
    speech_acts: ["I will send the notice about the lantern."]
`)
	ask := func(npc, message string) map[string]any {
		r := s.run("chat", "--world", village, "--npc", npc, "--once", message, "--json")
		r.wants(t, exitFine)
		return r.object(t)
	}
	o := ask("osric", "Please send the notice about the lantern to the gate.")
	actions := o["actions"].([]any)
	if len(actions) != 1 || actions[0].(map[string]any)["checked"] != true {
		t.Fatalf("actions %v", actions)
	}
	const where = "Where does the silver lantern hang?"
	for _, npc := range []string{"osric", "mira"} {
		if before := ask(npc, where); before["status"] != "unknown" {
			t.Errorf("%s knows it on the second day: %v", npc, before["reply"])
		}
	}
	id := "gen:" + o["turn_id"].(string) + "/1"
	s.run("lore", "promote", id+"0", "--author", "Ansel", "--world", village).wants(t, exitFailed, "1 action")
	s.run("lore", "promote", "gen:T1/1", "--author", "Ansel", "--world", village).wants(t, exitFailed, "T1", "--file")
	s.run("lore", "promote", id, "--author", "Ansel", "--world", village).wants(t, exitFine)
	if after := ask("mira", where); after["status"] != "extractive" ||
		!strings.Contains(after["reply"].(string), "north gate") {
		t.Errorf("%v: %v", after["status"], after["reply"])
	}
}
