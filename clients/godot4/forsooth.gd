extends Node
# The client of a Forsooth gateway for Godot 4. README.md shows its use: make it an autoload, say() something, and connect the signals.

signal sentence(turn_id, sentence) # released: sentence.text may be shown
signal action(turn_id, action) # proposed to the game; where action.confirm is set a sentence waits for answer(), 1.5 s at most
signal done(turn_id, reply) # the turn has ended: reply.status, reply.reason
signal problem(turn_id, problem) # problem.code, .detail, .field, .retry_after_ms; .ends says whether the turn ended with it
signal speech(text, npc, language, index, turn_id) # for a voice: each sentence once, in order
signal answered(turn_id, what) # a cancel or an answer was taken, or a ping came back
signal connection_lost()

const BUFFER_KB = 1024

@export var url: String = "http://127.0.0.1:8080" # of the gateway
@export var key: String = "" # of a backend, or a player's token
@export var language: String = "en" # for speech, where a turn has no locale
@export var retries: int = 5 # connections that fail, one after another, before turns do
@export var quiet: float = 40.0 # seconds of silence after which a connection is taken for dead

var _socket: WebSocketPeer = null
var _open: bool = false
var _wait: float = -1.0 # seconds before the next connection; below zero: none is wanted
var _failures: int = 0
var _refs: int = 0
var _silent: float = 0.0 # seconds since something came
var _turns: Dictionary = {} # by ref: request, seen, spoken, tries, again (seconds before it is sent anew; below zero: not)
var _calls: Dictionary = {} # by ref: the frame
var _watches: Dictionary = {} # by ref: world, since
var _shown: Dictionary = {} # actions that were shown: turn and index
var _refused = null # what the gateway said before it closed


# say says something to an NPC: {"world": …, "npc": …, "player": …, "message": …}. It returns the id of the turn.
func say(request: Dictionary) -> String:
	var turn = request.duplicate()
	if not turn.has("turn_id"):
		turn["turn_id"] = Crypto.new().generate_random_bytes(16).hex_encode()
	var ref = _ref("t")
	_turns[ref] = {"request": turn, "seen": 0, "spoken": 0, "tries": 0, "again": -1.0}
	_send_turn(ref)
	_want()
	return turn["turn_id"]


# cancel ends a turn with what was said so far: done follows, with the status "aborted".
func cancel(turn: Dictionary) -> void:
	_call({"type": "cancel", "world": turn["world"], "npc": turn["npc"], "player": turn.get("player", ""), "turn_id": turn["turn_id"]})


# answer is the game's answer to an action. A player's token may not give it: there the game's backend does.
func answer(world: String, proposed: Dictionary, accepted: bool, reason: String = "") -> void:
	var result = {"accepted": accepted}
	if reason != "":
		result["reason"] = reason
	_call({"type": "result", "world": world, "npc": proposed["npc"], "player": proposed["player"], "turn_id": proposed["turn_id"],
		"index": proposed["index"], "result": result})


# watch shows the actions that every NPC of a world proposes to any player.
func watch(world: String) -> void:
	var ref = _ref("a")
	_watches[ref] = {"world": world, "since": ""}
	_send_watch(ref)
	_want()


func ping() -> void:
	_call({"type": "ping"})


# close ends the connection. Turns go on in the mesh, and are shown here no more.
func close() -> void:
	_turns.clear()
	_calls.clear()
	_watches.clear()
	_wait = -1.0
	if _socket != null:
		_socket.close()
	_socket = null
	_open = false


func _ref(kind: String) -> String:
	_refs += 1
	return kind + str(_refs)


func _call(frame: Dictionary) -> void:
	var ref = _ref("c")
	frame["ref"] = ref
	_calls[ref] = frame
	_send(frame)
	_want()


# _want has _process connect, where there is no connection.
func _want() -> void:
	if _socket == null and _wait < 0.0:
		_wait = 0.0


func _process(delta: float) -> void:
	for ref in _turns.keys():
		if _turns.has(ref) and _turns[ref]["again"] >= 0.0:
			_turns[ref]["again"] -= delta
			if _turns[ref]["again"] < 0.0:
				_send_turn(ref)
	if _socket != null:
		_poll()
		_keep(minf(delta, 1.0))
	elif _wait >= 0.0:
		_wait -= delta
		if _wait < 0.0:
			_connect()


# _keep asks a silent connection whether it lives, and gives up one that does not answer.
func _keep(delta: float) -> void:
	if not _open:
		return
	var before = _silent
	_silent += delta
	if _silent >= quiet:
		_socket = null
		_on_lost()
	elif before < quiet / 2 and _silent >= quiet / 2:
		_send({"type": "ping"})


func _connect() -> void:
	_refused = null
	_socket = WebSocketPeer.new()
	_socket.inbound_buffer_size = BUFFER_KB * 1024
	_socket.outbound_buffer_size = BUFFER_KB * 1024
	_socket.max_queued_packets = 4096
	var protocols := PackedStringArray(["forsooth.v1"])
	if key != "":
		protocols.append("bearer." + key)
	_socket.supported_protocols = protocols
	if _socket.connect_to_url(url.replace("http", "ws") + "/v1/ws") != OK:
		_on_lost()


# _poll takes what has come. A peer emits no signals.
func _poll() -> void:
	_socket.poll()
	var state := _socket.get_ready_state()
	if state == WebSocketPeer.STATE_OPEN and not _open:
		_on_open()
	while _socket != null and _socket.get_available_packet_count() > 0:
		_on_data(_socket.get_packet().get_string_from_utf8())
	if _socket != null and state == WebSocketPeer.STATE_CLOSED:
		_on_lost()


func _on_open() -> void:
	_open = true
	_silent = 0.0
	for ref in _turns:
		_send_turn(ref)
	for ref in _calls:
		_send(_calls[ref])
	for ref in _watches:
		_send_watch(ref)


func _on_lost() -> void:
	var opened := _open
	_open = false
	_socket = null
	_wait = -1.0
	connection_lost.emit()
	for turn in _turns.values():
		turn["tries"] += 1
	if _refused != null:
		_fail_all(_refused)
		return
	if not opened:
		_ask_why()
	_again()


# _again waits longer for each connection that fails; after some of them the turns fail.
func _again() -> void:
	if _failures >= retries:
		_failures = 0
		_fail_all({"code": "UNREACHABLE", "detail": "the gateway at " + url + " cannot be reached", "status": 503})
		if _watches.is_empty():
			return
	_wait = minf(5.0, 0.2 * pow(2.0, _failures)) * randf_range(0.75, 1.25)
	_failures += 1


# _ask_why finds out by a request whether the key is refused: a socket does not tell.
func _ask_why() -> void:
	var ask = HTTPRequest.new()
	add_child(ask)
	ask.request_completed.connect(_on_why.bind(ask))
	var headers := PackedStringArray(["Authorization: Bearer " + key] if key != "" else [])
	if ask.request(url + "/v1/worlds", headers) != OK:
		ask.queue_free()


func _on_why(_result: int, status: int, _headers: PackedStringArray, body: PackedByteArray, ask: HTTPRequest) -> void:
	ask.queue_free()
	if status != 401 and status != 403 or _open:
		return
	var why = JSON.parse_string(body.get_string_from_utf8())
	if typeof(why) == TYPE_DICTIONARY:
		_wait = -1.0
		_fail_all(why)


func _fail_all(why: Dictionary) -> void:
	var all = _turns.values()
	var calls = _calls.values()
	_turns.clear()
	_calls.clear()
	for turn in all:
		_tell(turn["request"]["turn_id"], why, true)
	for frame in calls:
		_tell(frame.get("turn_id", ""), why, false)
	if all.is_empty() and calls.is_empty():
		_tell("", why, false)


func _tell(turn_id: String, why: Dictionary, ends: bool) -> void:
	var told = why.duplicate()
	told["ends"] = ends
	problem.emit(turn_id, told)


func _send(frame: Dictionary) -> void:
	if _open:
		_socket.send_text(JSON.stringify(_whole(frame)))


# _whole writes numbers that came from JSON without a fraction as they were.
func _whole(value: Variant) -> Variant:
	match typeof(value):
		TYPE_FLOAT:
			return int(value) if value == floorf(value) else value
		TYPE_DICTIONARY:
			var out = {}
			for field in value:
				out[field] = _whole(value[field])
			return out
		TYPE_ARRAY:
			var all = []
			for one in value:
				all.append(_whole(one))
			return all
	return value


# _send_turn says a turn, or goes on with it behind the last event that was seen.
func _send_turn(ref: String) -> void:
	var turn = _turns[ref]
	var request = turn["request"]
	turn["again"] = -1.0
	if turn["seen"] == 0:
		_send({"type": "say", "ref": ref, "say": request})
	else:
		_send({"type": "resume", "ref": ref, "world": request["world"], "npc": request["npc"], "player": request.get("player", ""),
			"turn_id": request["turn_id"], "after": turn["seen"]})


func _send_watch(ref: String) -> void:
	var frame = {"type": "actions", "ref": ref, "world": _watches[ref]["world"]}
	if _watches[ref]["since"] != "":
		frame["since"] = _watches[ref]["since"]
	_send(frame)


func _on_data(text: String) -> void:
	_failures = 0
	_silent = 0.0
	var event = JSON.parse_string(text)
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
			answered.emit(frame.get("turn_id", ""), frame["type"])
	elif event["type"] == "problem":
		_refused = event["problem"]


func _of_turn(ref: String, event: Dictionary) -> void:
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
			done.emit(id, event["reply"])
		"action":
			_of_action(event["action"])
		_:
			if event.get("n", 0) > turn["seen"]:
				turn["seen"] = event["n"]
				if event["type"] == "sentence":
					_of_sentence(turn, event["sentence"])


func _of_sentence(turn: Dictionary, said: Dictionary) -> void:
	var request = turn["request"]
	var index = turn["spoken"]
	turn["spoken"] += 1
	sentence.emit(request["turn_id"], said)
	speech.emit(said["text"], request["npc"], request.get("locale", language), index, request["turn_id"])


func _of_watch(ref: String, event: Dictionary) -> void:
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
func _of_action(proposed: Dictionary) -> void:
	var name_of = "%s %d" % [proposed["turn_id"], proposed["index"]]
	if _shown.has(name_of):
		return
	_shown[name_of] = true
	if _shown.size() > 10000:
		_shown.erase(_shown.keys()[0])
	action.emit(proposed["turn_id"], proposed)
