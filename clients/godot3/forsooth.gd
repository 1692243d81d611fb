extends Node
# The client of a Forsooth gateway for Godot 3. README.md shows its use: make it an autoload, say() something, and connect the signals.

signal sentence(turn_id, sentence) # released: sentence.text may be shown
signal action(turn_id, action) # proposed to the game; where action.confirm is set a sentence waits for answer(), 1.5 s at most
signal done(turn_id, reply) # the turn has ended: reply.status, reply.reason
signal problem(turn_id, problem) # problem.code, .detail, .field, .retry_after_ms; .ends says whether the turn ended with it
signal speech(text, npc, language, index, turn_id) # for a voice: each sentence once, in order
signal answered(turn_id, what) # a cancel or an answer was taken, or a ping came back
signal connection_lost()

const BUFFER_KB = 1024

export var url = "http://127.0.0.1:8080" # of the gateway
export var key = "" # of a backend, or a player's token
export var language = "en" # for speech, where a turn has no locale
export var retries = 5 # connections that fail, one after another, before turns do
export var quiet = 40.0 # seconds of silence after which a connection is taken for dead

var _socket = null
var _ended = null # the one before, kept while it emits its last signal
var _open = false
var _wait = 0.0 # seconds before the next connection; below zero: none is wanted
var _failures = 0
var _refs = 0
var _silent = 0.0 # seconds since something came
var _turns = {} # by ref: request, seen, spoken, tries, again (seconds before it is sent anew; below zero: not)
var _calls = {} # by ref: the frame
var _watches = {} # by ref: world, since
var _shown = {} # actions that were shown: turn and index
var _refused = null # what the gateway said before it closed


# say says something to an NPC: {"world": …, "npc": …, "player": …, "message": …}. It returns the id of the turn.
func say(request):
	var turn = request.duplicate()
	if not turn.has("turn_id"):
		turn["turn_id"] = Crypto.new().generate_random_bytes(16).hex_encode()
	var ref = _ref("t")
	_turns[ref] = {"request": turn, "seen": 0, "spoken": 0, "tries": 0, "again": -1.0}
	_send_turn(ref)
	_want()
	return turn["turn_id"]


# cancel ends a turn with what was said so far: done follows, with the status "aborted".
func cancel(turn):
	_call({"type": "cancel", "world": turn["world"], "npc": turn["npc"], "player": turn.get("player", ""), "turn_id": turn["turn_id"]})


# answer is the game's answer to an action. A player's token may not give it: there the game's backend does.
func answer(world, action, accepted, reason = ""):
	var result = {"accepted": accepted}
	if reason != "":
		result["reason"] = reason
	_call({"type": "result", "world": world, "npc": action["npc"], "player": action["player"], "turn_id": action["turn_id"],
		"index": action["index"], "result": result})


# watch shows the actions that every NPC of a world proposes to any player.
func watch(world):
	var ref = _ref("a")
	_watches[ref] = {"world": world, "since": ""}
	_send_watch(ref)
	_want()


func ping():
	_call({"type": "ping"})


# close ends the connection. Turns go on in the mesh, and are shown here no more.
func close():
	_turns.clear()
	_calls.clear()
	_watches.clear()
	_wait = -1.0
	if _socket != null:
		_socket.disconnect_from_host()
	_socket = null
	_open = false


func _ref(kind):
	_refs += 1
	return kind + str(_refs)


func _call(frame):
	var ref = _ref("c")
	frame["ref"] = ref
	_calls[ref] = frame
	_send(frame)
	_want()


# _want has _process connect, where there is no connection.
func _want():
	if _socket == null and _wait < 0.0:
		_wait = 0.0


func _init():
	_wait = -1.0


func _process(delta):
	for ref in _turns.keys():
		if _turns.has(ref) and _turns[ref]["again"] >= 0.0:
			_turns[ref]["again"] -= delta
			if _turns[ref]["again"] < 0.0:
				_send_turn(ref)
	if _socket != null:
		_socket.poll()
		_keep(min(delta, 1.0))
	elif _wait >= 0.0:
		_wait -= delta
		if _wait < 0.0:
			_connect()


# _keep asks a silent connection whether it lives, and gives up one that does not answer.
func _keep(delta):
	if not _open:
		return
	var before = _silent
	_silent += delta
	if _silent >= quiet:
		_socket = null
		_on_lost(false)
	elif before < quiet / 2 and _silent >= quiet / 2:
		_send({"type": "ping"})


func _connect():
	_refused = null
	_socket = WebSocketClient.new()
	_socket.set_buffers(BUFFER_KB, 4096, BUFFER_KB, 1024)
	_socket.connect("connection_established", self, "_on_open")
	_socket.connect("connection_closed", self, "_on_lost")
	_socket.connect("connection_error", self, "_on_lost", [false])
	_socket.connect("data_received", self, "_on_data")
	var protocols = PoolStringArray(["forsooth.v1"])
	if key != "":
		protocols.append("bearer." + key)
	if _socket.connect_to_url(url.replace("http", "ws") + "/v1/ws", protocols) != OK:
		_on_lost(false)


func _on_open(_protocol):
	_open = true
	_silent = 0.0
	_socket.get_peer(1).set_write_mode(WebSocketPeer.WRITE_MODE_TEXT)
	for ref in _turns:
		_send_turn(ref)
	for ref in _calls:
		_send(_calls[ref])
	for ref in _watches:
		_send_watch(ref)


func _on_lost(_clean):
	var opened = _open
	_open = false
	_ended = _socket
	_socket = null
	_wait = -1.0
	emit_signal("connection_lost")
	for turn in _turns.values():
		turn["tries"] += 1
	if _refused != null:
		_fail_all(_refused)
		return
	if not opened:
		_ask_why()
	_again()


# _again waits longer for each connection that fails; after some of them the turns fail.
func _again():
	if _failures >= retries:
		_failures = 0
		_fail_all({"code": "UNREACHABLE", "detail": "the gateway at " + url + " cannot be reached", "status": 503})
		if _watches.empty():
			return
	_wait = min(5.0, 0.2 * pow(2, _failures)) * rand_range(0.75, 1.25)
	_failures += 1


# _ask_why finds out by a request whether the key is refused: a socket does not tell.
func _ask_why():
	var ask = HTTPRequest.new()
	add_child(ask)
	ask.connect("request_completed", self, "_on_why", [ask])
	var headers = PoolStringArray(["Authorization: Bearer " + key] if key != "" else [])
	if ask.request(url + "/v1/worlds", headers) != OK:
		ask.queue_free()


func _on_why(_result, status, _headers, body, ask):
	ask.queue_free()
	if status != 401 and status != 403 or _open:
		return
	var why = parse_json(body.get_string_from_utf8())
	if typeof(why) == TYPE_DICTIONARY:
		_wait = -1.0
		_fail_all(why)


func _fail_all(why):
	var all = _turns.values()
	var calls = _calls.values()
	_turns.clear()
	_calls.clear()
	for turn in all:
		_tell(turn["request"]["turn_id"], why, true)
	for frame in calls:
		_tell(frame.get("turn_id", ""), why, false)
	if all.empty() and calls.empty():
		_tell("", why, false)


func _tell(turn_id, why, ends):
	var told = why.duplicate()
	told["ends"] = ends
	emit_signal("problem", turn_id, told)


func _send(frame):
	if _open:
		_socket.get_peer(1).put_packet(to_json(_whole(frame)).to_utf8())


# _whole writes numbers that came from JSON without a fraction as they were.
func _whole(value):
	match typeof(value):
		TYPE_REAL:
			return int(value) if value == floor(value) else value
		TYPE_DICTIONARY:
			var out = {}
			for name in value:
				out[name] = _whole(value[name])
			return out
		TYPE_ARRAY:
			var all = []
			for one in value:
				all.append(_whole(one))
			return all
	return value


# _send_turn says a turn, or goes on with it behind the last event that was seen.
func _send_turn(ref):
	var turn = _turns[ref]
	var request = turn["request"]
	turn["again"] = -1.0
	if turn["seen"] == 0:
		_send({"type": "say", "ref": ref, "say": request})
	else:
		_send({"type": "resume", "ref": ref, "world": request["world"], "npc": request["npc"], "player": request.get("player", ""),
			"turn_id": request["turn_id"], "after": turn["seen"]})


func _send_watch(ref):
	var frame = {"type": "actions", "ref": ref, "world": _watches[ref]["world"]}
	if _watches[ref]["since"] != "":
		frame["since"] = _watches[ref]["since"]
	_send(frame)


func _on_data():
	_failures = 0
	_silent = 0.0
	var event = parse_json(_socket.get_peer(1).get_packet().get_string_from_utf8())
	if typeof(event) != TYPE_DICTIONARY:
		return
	var ref = event.get("ref", "")
	if _turns.has(ref):
		_of_turn(ref, event)
	elif _watches.has(ref):
		_of_watch(ref, event)
	elif _calls.has(ref):
		var frame = _calls[ref]
		_calls.erase(ref)
		if event["type"] == "problem":
			_tell(frame.get("turn_id", ""), event["problem"], false)
		else:
			emit_signal("answered", frame.get("turn_id", ""), frame["type"])
	elif event["type"] == "problem":
		_refused = event["problem"]


func _of_turn(ref, event):
	var turn = _turns[ref]
	var id = turn["request"]["turn_id"]
	match event["type"]:
		"problem":
			var again = event["problem"].get("retry_after_ms", 0) / 1000.0
			if turn["tries"] > 0 and turn["tries"] <= retries and again > 0:
				turn["tries"] += 1
				turn["again"] = again
				return
			_turns.erase(ref)
			_tell(id, event["problem"], true)
		"done":
			_turns.erase(ref)
			emit_signal("done", id, event["reply"])
		"action":
			_of_action(event["action"])
		_:
			if event.get("n", 0) > turn["seen"]:
				turn["seen"] = event["n"]
				if event["type"] == "sentence":
					_of_sentence(turn, event["sentence"])


func _of_sentence(turn, said):
	var request = turn["request"]
	var index = turn["spoken"]
	turn["spoken"] += 1
	emit_signal("sentence", request["turn_id"], said)
	emit_signal("speech", said["text"], request["npc"], request.get("locale", language), index, request["turn_id"])


func _of_watch(ref, event):
	var watched = _watches[ref]
	if event["type"] == "problem":
		_tell("", event["problem"], false)
	if event["type"] == "ok" and watched["since"] == "":
		watched["since"] = event["at"]
	if event["type"] != "action":
		return
	if event["action"].get("at", "") > watched["since"]:
		watched["since"] = event["action"]["at"]
	_of_action(event["action"])


# _of_action shows an action once: a turn and a watch may both bring it, and each again after a break.
func _of_action(proposed):
	var name_of = "%s %d" % [proposed["turn_id"], proposed["index"]]
	if _shown.has(name_of):
		return
	_shown[name_of] = true
	if _shown.size() > 10000:
		_shown.erase(_shown.keys()[0])
	emit_signal("action", proposed["turn_id"], proposed)
