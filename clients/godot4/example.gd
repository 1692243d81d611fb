extends Node
# Talks to Mira, and prints what is said. `forsooth dev` in one window, the scene in another.

var turn = {"world": "hollowmere", "npc": "mira", "player": "ansel", "message": "Will you give me a quest?", "trust": 50}


func _ready():
	Forsooth.sentence.connect(_on_sentence)
	Forsooth.action.connect(_on_action)
	Forsooth.done.connect(_on_done)
	Forsooth.problem.connect(_on_problem)
	Forsooth.speech.connect(_on_speech)
	if OS.get_environment("FORSOOTH_URL") != "":
		Forsooth.url = OS.get_environment("FORSOOTH_URL")
	Forsooth.key = OS.get_environment("FORSOOTH_KEY")
	Forsooth.say(turn)


func _on_sentence(_turn_id, sentence):
	print("Mira: ", sentence["text"])


func _on_action(_turn_id, action):
	print("(the game lets Mira do: ", action["name"], " ", action.get("parameters", {}), ")")
	Forsooth.answer("hollowmere", action, true)


func _on_speech(text, npc, language, index, _turn_id):
	print("(voice of ", npc, ", ", language, ", sentence ", index, ": ", text.length(), " characters)")


func _on_done(_turn_id, reply):
	print("(", reply["status"], ")")
	get_tree().quit()


func _on_problem(_turn_id, problem):
	print(problem["code"], ": ", problem["detail"])
	get_tree().quit(1)
