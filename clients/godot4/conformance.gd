extends Node
# Plays the transcript of examples/conformance: a line of JSON tells what was heard of each turn.

var script_world = ""
var steps = []
var at = -1
var heard = {} # by turn id
var order = []
var open_turns = 0
var player = null


func _ready():
	var transcript = JSON.parse_string(FileAccess.get_file_as_string(OS.get_environment("FORSOOTH_TRANSCRIPT")))
	script_world = transcript["world"]
	steps = transcript["steps"]
	player = preload("res://forsooth.gd").new()
	add_child(player)
	for client in [Forsooth, player]:
		client.url = OS.get_environment("FORSOOTH_URL")
		client.quiet = 2.0
		client.sentence.connect(_on_sentence)
		client.speech.connect(_on_speech)
		client.action.connect(_on_action)
		client.done.connect(_on_done)
		client.problem.connect(_on_problem)
		client.answered.connect(_on_answered)
	Forsooth.key = OS.get_environment("FORSOOTH_KEY")
	player.key = OS.get_environment("FORSOOTH_TOKEN")
	Forsooth.watch(script_world) # brings the same actions as the turns: each is shown once
	next()


func by():
	return player if steps[at].get("as", "") == "token" else Forsooth


func request(turn):
	var out = turn.duplicate()
	out["world"] = script_world
	for field in ["player", "turn_id"]:
		if out.has(field):
			out[field] = out[field] + "-" + OS.get_environment("FORSOOTH_WHO")
	return out


func next():
	at += 1
	heard = {}
	order = []
	if at == steps.size():
		Forsooth.close()
		player.close()
		get_tree().quit()
		return
	var turns = steps[at]["turns"]
	open_turns = turns.size()
	for turn in turns:
		var id = ""
		match steps[at].get("do", "say"):
			"say":
				id = by().say(request(turn))
			"cancel":
				id = request(turn)["turn_id"]
				by().cancel(request(turn))
			"ping":
				by().ping()
		order.append(id)
		heard[id] = {"step": steps[at]["name"], "sentences": [], "spoken": [], "actions": [], "request": request(turn)}


func end(_id):
	open_turns -= 1
	if open_turns > 0:
		return
	for i in order.size():
		var line = heard[order[i]]
		line["turn"] = i
		line.erase("request")
		print(JSON.stringify(line))
	next.call_deferred()


func _on_sentence(id, sentence):
	heard[id]["sentences"].append(sentence["text"])


func _on_speech(text, npc, language, index, id):
	heard[id]["spoken"].append({"text": text, "npc": npc, "language": language, "index": index})


func _on_action(id, action):
	heard[id]["actions"].append({"name": action["name"], "parameters": action.get("parameters", {}), "confirm": action["confirm"]})
	if steps[at].get("cancel", "") == "action":
		var turn = heard[id]["request"].duplicate()
		turn["turn_id"] = id
		by().cancel(turn)
	elif steps[at].has("answer"):
		var answer = steps[at]["answer"]
		by().answer(script_world, action, answer["accepted"], answer.get("reason", ""))


func _on_done(id, reply):
	heard[id]["status"] = reply["status"]
	heard[id]["reason"] = reply.get("reason", "")
	heard[id]["reply"] = reply["reply"]
	end(id)


func _on_problem(id, problem):
	if heard.has(id):
		heard[id]["problem"] = {"code": problem["code"], "field": problem.get("field", "")}
		end(id)


func _on_answered(id, what):
	if what == "ping":
		end(id)
