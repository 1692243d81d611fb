package main

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// channel is one subject of the mesh.
type channel struct {
	name    string
	subject string // what of internal/protocol builds it; empty: the broker's own or the mesh's
	address string
	stream  string // empty: not stored
	mesh    string // what the mesh does: receive, send, or both
	about   string
	payload
	answer *payload // of a request
}

// payload is what a message holds.
type payload struct {
	document string  // the name of its schema; empty: see words
	words    *string // it is text, described here; nil and no document: an object without a schema
	headers  []header
	example  any
}

type header struct{ name, about, example string }

// parameters are the parts of addresses.
var parameters = map[string]string{
	"world": "Id of a world.", "npc": "Handle of an NPC.", "player": "Id of a player; in the log of memories _ " +
		"where there is none.",
	"turn": "Id of the turn.", "pass": "A pass of a turn: retrieve, think, review-thought, decide, speak, " +
		"review-speech or act; of a dead letter also the consumer that could not take it.",
	"index": "Place of the action in its turn, from 0.",
}

func parametersOf() yaml.MapSlice {
	var out yaml.MapSlice
	for _, name := range []string{"world", "npc", "player", "turn", "pass", "index"} {
		item := yaml.MapSlice{{Key: "description", Value: parameters[name]}}
		out = append(out, yaml.MapItem{Key: name, Value: item})
	}
	return out
}

// The parts of every address, as the document writes them.
var convo = schema.ConversationID{World: "{world}", NPC: "{npc}", Player: "{player}"}

const (
	turnPart  = "{turn}"
	passPart  = schema.Pass("{pass}")
	indexPart = "{index}"
)

// place is the address of an action, whose function wants a number.
func place(subject func(schema.ConversationID, string, int) string) string {
	const zero = "0"
	s := subject(convo, turnPart, 0)
	return s[:len(s)-len(zero)] + indexPart
}

func text(s string) *string { return &s }

func idHeader(about, example string) header { return header{"Nats-Msg-Id", about, example} }

func expects(about string) header {
	return header{"Nats-Expected-Last-Subject-Sequence", about, "0"}
}

// traced are the headers by which a turn is a part of its backend's trace. Where traces
// are kept, the mesh sets them on every message of the turn.
var traced = []header{
	{"traceparent", "Optional: W3C's Trace Context, of the backend's span.",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
	{"tracestate", "Optional: what its vendors add.", "game=7"},
}

// channels are all subjects, those of a backend first.
var channels = []channel{
	{name: "turn", subject: "SubjectTurn", address: protocol.SubjectTurn(convo), stream: "TURNS", mesh: "receive",
		about: "What a player says. The broker's acknowledgement is acceptance; a refusal says whether the " +
			"conversation is busy (per subject) or the mesh is full.",
		payload: payload{document: "turn-request", example: request, headers: append([]header{idHeader("The turn's id.",
			turnID)}, traced...)}},
	{name: "said", subject: "SubjectSaid", address: protocol.SubjectSaid(convo, turnPart), stream: "SAID", mesh: "send",
		about: "What may be shown while a turn runs, sentence by sentence. To watch, listen on the live subject: it " +
			"repeats what was stored, and nothing that was refused.",
		payload: payload{document: "said", example: schema.Said{Kind: schema.SaidSentence, TurnID: turnID,
			Sentence: &sentence}, headers: []header{
			expects("One more than this, and the sentence is stored once."),
			{"Forsooth-Reason", "On the event closed of a turn that was sent away unheard: why.",
				schema.ReasonOverload},
			{"Forsooth-Retry-After", "Beside it: when to say the like again, in milliseconds.", "1500"},
		}}},
	{name: "live-said", address: "forsooth.v1.live.said." + convo.String() + "." + turnPart, mesh: "send",
		about: "The broker's repetition of what was stored on said, with its headers Nats-Sequence and " +
			"Nats-Last-Sequence.",
		payload: payload{document: "said", example: schema.Said{Kind: schema.SaidAccepted, TurnID: turnID}}},
	{name: "reply", subject: "SubjectReply", address: protocol.SubjectReply(convo, turnPart), stream: "REPLIES",
		mesh:    "send receive",
		about:   "The one reply of a turn, and its only commit.",
		payload: payload{document: "reply", example: reply}},
	{name: "live-reply", address: "forsooth.v1.live.reply." + convo.String() + "." + turnPart, mesh: "send",
		about:   "The broker's repetition of a stored reply.",
		payload: payload{document: "reply", example: reply}},
	{name: "action", subject: "SubjectAction", address: place(protocol.SubjectAction), stream: "ACTIONS", mesh: "send",
		about: "An action that the game is asked to carry out.",
		payload: payload{document: "action", example: schema.Action{Name: "give_item",
			Parameters: map[string]any{"item": "lantern"}, Confirm: true, Checked: true}}},
	{name: "action-result", subject: "SubjectActionResult", address: place(protocol.SubjectActionResult),
		stream: "ACTIONS", mesh: "receive",
		about:   "The game's answer. An action with confirm waits 1.5 s for it.",
		payload: payload{document: "action-result", example: schema.ActionResult{Reason: "the pack is full"}}},
	{name: "event", subject: "SubjectEvent", address: protocol.SubjectEvent("{world}"), stream: "EVENTS", mesh: "receive",
		about: "Something that the game saw happen; the NPCs among its witnesses remember it.",
		payload: payload{document: "occurrence", headers: []header{idHeader("The event's id.", "e17"),
			{"Forsooth-Shared", "Set by an erasure that took a witness out: nobody speaks first upon the event.", "1"}},
			example: schema.Occurrence{ID: "e17", World: "hollowmere", GameTime: noon,
				Subject: "player:p42", Predicate: "gave", Object: "a lantern", Text: "Ansel gave Mira a lantern.",
				Player: "p42", Witnesses: []string{"mira", "p42"}}}},
	{name: "cancel", subject: "SubjectCancel", address: protocol.SubjectCancel(convo, turnPart), mesh: "receive",
		about: "Asks for a turn to be ended. A lost one leaves the deadline.",
		payload: payload{words: text("Nothing."), headers: []header{
			{"Forsooth-Reason", "SUPERSEDED where a newer message takes this one's place; otherwise CANCELLED.",
				schema.ReasonCancelled}}, example: ""},
		answer: &payload{words: text("ok, unknown where the turn does not wait, or what went wrong; only to whoever " +
			"named an inbox."), example: "ok"}},
	{name: "check-grounding", subject: "SubjectCheckGrounding", address: protocol.SubjectCheckGrounding, mesh: "receive",
		about: "Says which claims of a text its sources support. A refusal is in the headers Nats-Service-Error and " +
			"Nats-Service-Error-Code.",
		payload: payload{document: "check-query", example: schema.CheckQuery{Text: "The mill burned in spring.",
			Sources: []schema.CheckSource{{ChunkID: "mill#1", Content: "In spring the mill burned down."}}}},
		answer: &payload{document: "check-result", example: schema.CheckResult{Grounded: true, Total: 1, Supported: 1,
			Summary: "1 of 1 claims supported",
			Claims: []schema.CheckedClaim{{Claim: "The mill burned in spring.", Verdict: schema.Supported,
				Confidence: 0.97, Tier: "rules",
				Best: &schema.BestSource{ChunkID: "mill#1", Content: "In spring the mill burned down.",
					Score: 0.97}}}}}},
	{name: "turn-outcome", subject: "SubjectTurnOutcome", address: protocol.SubjectTurnOutcome, mesh: "receive",
		about: "Says what became of a turn.",
		payload: payload{document: "turn-query", example: protocol.TurnQuery{World: "hollowmere", NPC: "mira",
			Player: "p42", TurnID: turnID}},
		answer: &payload{document: "turn-outcome", example: schema.TurnOutcome{State: schema.TurnEnded, Reply: &reply,
			RepliedAt: noon}}},
	{name: "turn-outcome-of", subject: "SubjectTurnOutcomeOf", address: protocol.SubjectTurnOutcomeOf("{world}"),
		mesh: "receive",
		about: "The same for turns of one world, and their events where the query says behind which: what a " +
			"backend asks that has no right to the streams.",
		payload: payload{document: "turn-query", example: protocol.TurnQuery{World: "hollowmere", NPC: "mira",
			Player: "p42", TurnID: turnID, After: new(uint64)}},
		answer: &payload{document: "turn-outcome", example: schema.TurnOutcome{State: schema.TurnWaiting,
			Events: []schema.StoredSaid{{Sequence: 7, At: noon, Event: schema.Said{Kind: schema.SaidAccepted,
				TurnID: turnID}}}}}},
	{name: "actions", subject: "SubjectActions", address: protocol.SubjectActions("{world}"), mesh: "receive",
		about:   "Gives the actions that a world's NPCs proposed, those behind a place or since a time.",
		payload: payload{document: "actions-query", example: protocol.ActionsQuery{Since: noon}},
		answer: &payload{document: "actions-found", example: protocol.ActionsFound{Last: 12,
			Actions: []protocol.StoredAction{{Sequence: 12, At: noon, NPC: "mira", Player: "p42", TurnID: turnID,
				Action: schema.Action{Name: "give_item", Parameters: map[string]any{"item": "lantern"}, Confirm: true,
					Checked: true}}}}}},
	{name: "worlds", subject: "SubjectWorlds", address: protocol.SubjectWorlds, mesh: "receive",
		about: "Lists the worlds that are served, with their NPCs. A question that cannot be answered has an " +
			"object with error and code for its answer; so have those below.",
		payload: payload{words: text("Nothing, or an empty object."), example: "{}"},
		answer:  &payload{document: "worlds-found", example: protocol.WorldsFound{Worlds: []schema.WorldInfo{served}}}},
	{name: "world", subject: "SubjectWorld", address: protocol.SubjectWorld("{world}"), mesh: "receive",
		about:   "The same of one world.",
		payload: payload{words: text("Nothing, or an empty object."), example: "{}"},
		answer:  &payload{document: "worlds-found", example: protocol.WorldsFound{Worlds: []schema.WorldInfo{served}}}},
	{name: "conversation-query", subject: "SubjectConversation", address: protocol.SubjectConversation("{world}"),
		mesh:    "receive",
		about:   "Reads a conversation, or has the NPC forget it.",
		payload: payload{document: "conversation-query", example: protocol.ConversationQuery{NPC: "mira", Player: "p42"}},
		answer: &payload{document: "conversation", example: schema.Conversation{World: "hollowmere", NPC: "mira",
			Player: "p42", Trust: 10, Turns: 1}}},
	{name: "memories", subject: "SubjectMemories", address: protocol.SubjectMemories("{world}"), mesh: "receive",
		about:   "Lists what the NPCs of a world remember, or shows one memory with its history.",
		payload: payload{document: "memories-query", example: schema.MemoriesQuery{NPC: "mira", Player: "p42"}},
		answer:  &payload{document: "memories-found", example: schema.MemoriesFound{Memories: []schema.Memory{}}}},
	{name: "knowledge", subject: "SubjectKnowledge", address: protocol.SubjectKnowledge("{world}"), mesh: "receive",
		about:   "Searches for what an NPC may know about a question. Nobody says anything.",
		payload: payload{document: "knowledge-query", example: schema.KnowledgeQuery{NPC: "mira", Question: "the ferry"}},
		answer: &payload{document: "knowledge-found", example: schema.KnowledgeFound{NPC: "mira",
			Zone:     string(protocol.ZoneExtractive),
			Passages: []schema.Knowledge{{Path: "lore/ferry.txt", Text: "Teague owns the ferry.", Score: 0.9}}}}},
	{name: "trace-of", subject: "SubjectTraceOf", address: protocol.SubjectTraceOf("{world}"), mesh: "receive",
		about: "Gives the passes of a turn, those behind a place.",
		payload: payload{document: "turn-query", example: protocol.TurnQuery{World: "hollowmere", NPC: "mira",
			Player: "p42", TurnID: turnID}},
		answer: &payload{document: "trace-found", example: protocol.TraceFound{Last: 9, Passes: []protocol.Trace{{
			TurnID: turnID, Record: schema.PassRecord{Pass: schema.PassRetrieve}, Next: schema.PassThink,
			Turn: &protocol.Turn{Request: request, Hop: 1, Pass: schema.PassThink}}}}}},
	{name: "outcomes", subject: "SubjectOutcomes", address: protocol.SubjectOutcomes("{world}"), mesh: "receive",
		about:   "Gives the replies of a world in the order they were stored, those behind a place or since a time.",
		payload: payload{document: "outcomes-query", example: schema.OutcomesQuery{Since: noon}},
		answer: &payload{document: "outcomes-found", example: schema.OutcomesFound{Last: 12,
			Outcomes: []schema.StoredOutcome{{Sequence: 12, At: noon, Reply: reply}}}}},
	{name: "letters", subject: "SubjectLetters", address: protocol.SubjectLetters("{world}"), mesh: "receive",
		about:   "Lists the dead letters of a world, those behind a place.",
		payload: payload{document: "letters-query", example: schema.LettersQuery{}},
		answer: &payload{document: "letters-found", example: schema.LettersFound{Last: 3,
			Letters: []schema.StoredLetter{{Number: 3, NPC: "mira", Player: "p42",
				Letter: schema.DeadLetter{Pass: schema.PassThink, TurnID: turnID, Reason: "the turn is not JSON",
					Stream: "PASSES", Sequence: 12, Attempt: 5, At: noon}}}}}},
	{name: "retry", subject: "SubjectRetry", address: protocol.SubjectRetry("{pass}", "{world}"), mesh: "receive",
		about: "Has a consumer, such as memory, try the message of a dead letter again. The letter goes where that " +
			"succeeds.",
		payload: payload{document: "retry-query", example: schema.RetryQuery{Number: 3}},
		answer:  &payload{document: "retried", example: schema.Retried{Number: 3}}},
	{name: "resolve", subject: "SubjectResolve", address: protocol.SubjectResolve("{world}"), mesh: "receive",
		about: "Settles a contradiction between memories: one holds, or both do.",
		payload: payload{document: "resolve-query", example: schema.ResolveQuery{Memory: "m1", Keep: "m2",
			By: "ada", Why: "the player said so"}},
		answer: &payload{document: "memory-event", example: schema.MemoryEvent{ID: "e1",
			Type: schema.MemoryResolved, World: "hollowmere", NPC: "mira", Player: "p42", At: noon,
			By: "operator:ada", Target: "m1", Others: []string{"m2"}, Keep: "m2"}}},
	{name: "live-action", address: "forsooth.v1.live.action." + convo.String() + "." + turnPart + "." + indexPart,
		mesh:  "send",
		about: "The broker's repetition of a stored action.",
		payload: payload{document: "action", example: schema.Action{Name: "give_item",
			Parameters: map[string]any{"item": "lantern"}, Confirm: true, Checked: true}}},

	{name: "pass", subject: "SubjectPass", address: protocol.SubjectPass(passPart, convo, turnPart), stream: "PASSES",
		mesh:  "send receive",
		about: "A turn that waits for a pass.",
		payload: payload{document: "turn", example: protocol.Turn{Request: request, Hop: 1, Pass: schema.PassThink},
			headers: []header{idHeader("The turn and its hop: two workers that decide differently meet in one id.",
				turnID+"/1")}}},
	{name: "review", subject: "SubjectReview", address: protocol.SubjectReview(convo, turnPart), stream: "SAID",
		mesh:  "send",
		about: "The review of a sentence, stored before the sentence is released.",
		payload: payload{document: "review-record", example: protocol.ReviewRecord{TurnID: turnID, Seq: 1,
			Hash: sentence.Hash, Evidence: []string{"mill#1"}},
			headers: []header{expects("One more than this, and the record is stored once.")}}},
	{name: "trace", subject: "SubjectTrace", address: protocol.SubjectTrace(convo, turnPart), stream: "TRACES",
		mesh:  "send",
		about: "Every pass of a turn, as it left the turn.",
		payload: payload{document: "trace", example: protocol.Trace{TurnID: turnID,
			Record: schema.PassRecord{Pass: schema.PassRetrieve, Hop: 1, Attempt: 1, TookMS: 4.2},
			Next:   schema.PassThink, Turn: &protocol.Turn{Request: request, Hop: 1, Pass: schema.PassThink}}}},
	{name: "memory", subject: "SubjectMemory", address: protocol.SubjectMemory(convo), stream: "MEMORY",
		mesh:  "send receive",
		about: "The log of what NPCs remember: the truth, of which every store is an index.",
		payload: payload{document: "memory-event", headers: []header{idHeader("The event's id.", "m1"),
			expects("The last entry that the writer knew.")}, example: schema.MemoryEvent{
			ID: "m1", Type: schema.MemoryWritten, World: "hollowmere", NPC: "mira", Player: "p42", At: noon,
			By: "guard1", TurnID: turnID,
			Memory: &schema.Memory{ID: "m1", World: "hollowmere", NPC: "mira", Player: "p42", Kind: schema.MemoryFact,
				Subject: "player:p42", Pred: "comes_from", Object: "the coast",
				Content: "Ansel said that he comes from the coast.", Confidence: 0.9, Source: schema.OriginUser,
				CreatedAt: noon, Status: schema.MemoryActive, Count: 1,
				Spans: []schema.MemorySpan{{TurnID: turnID, Speaker: "player", Text: "I come from the coast."}}}}}},
	{name: "crowded", subject: "SubjectCrowded", address: protocol.SubjectCrowded, mesh: "send",
		about: "Turns wait longer than they can be answered in time: a client publishes none while this holds. It " +
			"is not kept.",
		payload: payload{document: "crowded", example: protocol.Crowded{ForMS: 500, RetryAfterMS: 2000}}},
	{name: "taken", subject: "SubjectTaken", address: protocol.SubjectTaken, mesh: "send receive",
		about: "Each intake tells the others whose turns it takes, so that together they keep to the limits of " +
			"players and worlds. It is not kept.",
		payload: payload{document: "taken", example: protocol.Taken{By: "_INBOX.x7", World: "hollowmere", Player: "p42",
			At: noon}}},
	{name: "timer", subject: "SubjectTimer", address: protocol.SubjectTimer(turnPart), stream: "TIMERS", mesh: "send",
		about: "The schedule of a turn's deadline, which the broker keeps.",
		payload: payload{document: "due", example: due, headers: []header{
			{"Nats-Schedule", "When.", "@at 2026-05-03T18:00:06.8Z"}, {"Nats-Schedule-Target", "Where it fires.",
				"forsooth.v1.due.turn.hollowmere.mira.p42." + turnID}}}},
	{name: "timer-end", subject: "SubjectTimer", address: protocol.SubjectTimer(turnPart), stream: "TIMERS", mesh: "send",
		about: "Takes the schedule of a turn that has ended away; the message removes itself.",
		payload: payload{words: text("Nothing."), example: "", headers: []header{
			{"Nats-Rollup", "Replaces the schedule.", "sub"}, {"Nats-TTL", "How long this message stays.", "1s"}}}},
	{name: "due", subject: "SubjectDue", address: protocol.SubjectDue(convo, turnPart), stream: "TIMERS", mesh: "receive",
		about:   "A turn's deadline fires.",
		payload: payload{document: "due", example: due}},
	{name: "scan-timer", address: "forsooth.v1.timer.scan.{world}", stream: "TIMERS", mesh: "send",
		about: "The schedule of a world's nightly scan, which the broker keeps.",
		payload: payload{words: text("Nothing."), example: "", headers: []header{
			{"Nats-Schedule", "Six fields of cron.", "12 3 3 * * *"}, {"Nats-Schedule-Time-Zone", "In which time zone.",
				"UTC"},
			{"Nats-Schedule-Target", "Where it fires.", "forsooth.v1.due.scan.hollowmere"}}}},
	{name: "scan-due", address: "forsooth.v1.due.scan.{world}", stream: "TIMERS", mesh: "receive",
		about: "The nightly scan of a world is due.", payload: payload{words: text("Nothing."), example: ""}},
	{name: "scan", subject: "SubjectScan", address: protocol.SubjectScan("{world}"), stream: "SCANS", mesh: "send",
		about:   "What a scan came to: counts alone.",
		payload: payload{headers: []header{idHeader("The occasion.", "due-812")}, example: map[string]any{}}},
	{name: "report-timer", address: "forsooth.v1.timer.report.{world}", stream: "TIMERS", mesh: "send",
		about: "The schedule of a world's weekly report, which the broker keeps.",
		payload: payload{words: text("Nothing."), example: "", headers: []header{
			{"Nats-Schedule", "Six fields of cron.", "12 3 6 * * 1"}, {"Nats-Schedule-Time-Zone", "In which time zone.",
				"Europe/Vienna"},
			{"Nats-Schedule-Target", "Where it fires.", "forsooth.v1.due.report.hollowmere"}}}},
	{name: "report-due", address: "forsooth.v1.due.report.{world}", stream: "TIMERS", mesh: "receive",
		about: "The weekly report of a world is due.", payload: payload{words: text("Nothing."), example: ""}},
	{name: "report", subject: "SubjectReport", address: protocol.SubjectReport("{world}"), stream: "REPORTS",
		mesh: "send",
		about: "The weekly report of a world's guards of memory, as `forsooth memory report --json` prints it, with " +
			"the world's id as world_name.",
		payload: payload{headers: []header{idHeader("The occasion.", "due-812")},
			example: map[string]any{"world_name": "hollowmere", "risk": "LOW"}}},
	{name: "said-hash", subject: "SubjectSaidHash", address: protocol.SubjectSaidHash(convo), stream: "SAID_HASHES",
		mesh: "send receive",
		about: "Hashes of the sentences that an NPC told a player in a model's words. A text that repeats one later is " +
			"no evidence.",
		payload: payload{headers: []header{idHeader("The turn.", turnID+"/said-hash")},
			example: map[string]any{"at": noon, "hashes": []string{"9f86d081884c7d65"}}}},
	{name: "said-anew", subject: "SubjectSaidAnew", address: protocol.SubjectSaidAnew("{world}", "{npc}"),
		stream: "SAID_HASHES", mesh: "send receive",
		about:   "Something that an NPC said was erased: what it said is to be read again.",
		payload: payload{example: map[string]any{}}},
	{name: "dead", subject: "SubjectDead", address: protocol.SubjectDead(passPart, convo, turnPart), stream: "DEAD",
		mesh:  "send",
		about: "A message that nobody could handle, with the reason.",
		payload: payload{document: "dead-letter", headers: []header{idHeader("Who buries it, the stream and the "+
			"sequence there.", "think/PASSES/812")}, example: schema.DeadLetter{Pass: schema.PassThink, TurnID: turnID,
			Reason: "the turn is not JSON", Stream: "PASSES", Sequence: 812, Attempt: 1, At: noon, Body: []byte("{")}}},
	{name: "conversation", address: "$KV.conversations." + convo.String(), stream: "KV_conversations",
		mesh:  "send receive",
		about: "The key-value bucket of conversations: what an NPC keeps in mind of a player.",
		payload: payload{document: "conversation", headers: []header{expects("The revision that the writer has read.")},
			example: schema.Conversation{World: "hollowmere", NPC: "mira", Player: "p42", Trust: 10, Turns: 1,
				Applied: []schema.Applied{{TurnID: turnID, Sequence: 7}}}}},
}

// What the examples are of.
const turnID = "01JZ0000000000000000000001"

var (
	noon  = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	trust = 10

	request = schema.Request{TurnID: turnID, World: "hollowmere", NPC: "mira", Player: "p42", PlayerName: "Ansel",
		Message: "Who burned the mill?", Trust: &trust,
		State: map[string]any{"player.level": 7}, Flags: []string{"quest.mill.started"}, Witnesses: []string{"p42"},
		DeadlineMS: schema.DefaultDeadline, Locale: "en",
		AllowedActions: []schema.ActionSpec{{Name: "give_item", Parameters: json.RawMessage(`{"type":"object"}`),
			Requires: "trust >= 20", Confirm: true}}}

	sentence = schema.Sentence{Seq: 1, Text: "The mill burned down in spring.", Hash: "5d0f",
		Evidence: []schema.EvidenceRef{{ID: "E1", Path: "lore/mill.txt", Text: "In spring the mill burned down.",
			Source: schema.OriginCorpus, ChunkID: "mill#1"}}}

	reply = schema.Reply{SchemaVersion: schema.Version, TurnID: turnID, World: "hollowmere", NPC: "mira", Player: "p42",
		Message: request.Message, Text: sentence.Text,
		Status: schema.StatusExtractive, Audit: schema.FullyCited, Sentences: []schema.Sentence{sentence},
		SourceCounts: map[schema.Origin]int{schema.OriginCorpus: 1},
		AcceptedAt:   noon, Passes: []schema.PassRecord{{Pass: schema.PassRetrieve, Hop: 1, Attempt: 1, TookMS: 4.2}}}

	served = schema.WorldInfo{Name: "hollowmere", Title: "Hollowmere", Language: "en", Version: "9f2c",
		NPCs: []schema.NPCInfo{{Handle: "mira", Name: "Mira"}}}

	due = protocol.Due{World: "hollowmere", NPC: "mira", Player: "p42", TurnID: turnID, Sequence: 7}
)

// named are the channels that internal/protocol builds with a function or constant.
func named(subject string) bool {
	return slices.ContainsFunc(channels, func(c channel) bool { return c.subject == subject })
}
