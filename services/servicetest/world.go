package servicetest

import "testing/fstest"

// Village is a small world for tests: a smith and a reeve, lore that both know,
// notes that one has, a rumour, a document of tomorrow, and a secret behind trust.
func Village() fstest.MapFS {
	files := fstest.MapFS{}
	add := func(path, body string) { files[path] = &fstest.MapFile{Data: []byte(body)} }
	document := func(path, body, meta string) {
		add(path, body)
		add(path+".meta.yaml", meta)
	}
	add("world.yaml", "name: village\ntitle: The Village\nlanguage: en\nlicense: Apache-2.0\nnow: "+
		"1402-05-03T18:00:00Z\ndefault_npc: mira\n")
	add("npcs/mira/npc.yaml", `handle: mira
name: Mira
backstory: "Mira is the smith of the village. She was born in Saltmere."
personality: "dry and patient"
greeting: "Mind the sparks."
lines:
  unknown: ["That I could not tell you."]
  refuse: ["That stays with me."]
  thanks: ["You are welcome."]
secrets:
  - text: "I hid the miller's ledger under the great anvil."
    requires: trust >= 40
actions:
  - name: give_quest
    parameters: {type: object, properties: {quest: {const: ledger}}}
    requires: trust >= 20
    speech_acts: ["I have work for you, if you can hold your tongue."]
  - name: update_trust
    parameters: {type: object, properties: {delta: {type: number}}}
`)
	add("npcs/osric/npc.yaml", `handle: osric
name: Osric
backstory: "Osric is the reeve of the village."
personality: "stiff"
lines:
  unknown: ["I have no record of it."]
`)
	document("lore/ferry.txt", "Teague owns the ferry. The ferry crosses the river at dawn and at dusk. A crossing "+
		"costs two bits.\n",
		"created_at: 1401-03-01\nauthor: council\ntype: notice\nsummary: The ferry\nkeywords: [ferry, river, crossing]\n")
	document("lore/mill.txt", "The mill burned on the twelfth of April 1402. Forty sacks of rye were lost in the fire.\n",
		"created_at: 1402-04-14\nauthor: osric\ntype: report\nsummary: The fire at the mill\nkeywords: [mill, fire, rye]\n")
	document("lore/lake.txt", "A drowned horse walks the lake at night.\n",
		"created_at: 1402-01-01\nauthor: council\ntype: note\nsummary: A tale of the lake\nkeywords: [lake, "+
			"horse]\nbelief: rumour\n")
	document("lore/verdict.txt", "The assize found the miller Bram guilty of arson.\n",
		"created_at: 1402-06-01\nauthor: osric\ntype: report\nsummary: The verdict of the assize\nkeywords: [verdict, "+
			"assize, arson]\n")
	document("npcs/mira/home/diary.txt", "I forged the hinges of the north gate in March. Osric still owes me nine "+
		"bits for them.\n",
		"created_at: 1402-03-20\nauthor: mira\ntype: diary\nsummary: The gate hinges\nkeywords: [hinges, gate, debt]\n")
	document("npcs/osric/home/suspects.txt", "I suspect the grain merchant Vey. His room at the inn was empty that "+
		"night.\n",
		"created_at: 1402-04-20\nauthor: osric\ntype: diary\nsummary: Suspects\nkeywords: [suspect, vey, inn]\n")
	return files
}
