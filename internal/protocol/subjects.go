package protocol

import (
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Prefix is the root of every subject of the mesh.
const Prefix = "forsooth.v1."

// Passes are the passes that have a subject and a consumer.
var Passes = []schema.Pass{schema.PassRetrieve, schema.PassThink, schema.PassReviewThought, schema.PassDecide,
	schema.PassSpeak, schema.PassReviewSpeech, schema.PassAct}

// SubjectTurn is the queue of a conversation. In the comments of this file <c>
// stands for a conversation.
func SubjectTurn(c schema.ConversationID) string { return Prefix + "turn." + c.String() }

// SubjectPass is where a turn waits for a pass.
func SubjectPass(p schema.Pass, c schema.ConversationID, turn string) string {
	return fmt.Sprintf("%spass.%s.%s.%s", Prefix, p, c, turn)
}

// SubjectSaid carries what a backend may show while a turn runs.
func SubjectSaid(c schema.ConversationID, turn string) string {
	return Prefix + "said." + c.String() + "." + turn
}

// SubjectReview carries the review record before each sentence.
func SubjectReview(c schema.ConversationID, turn string) string {
	return Prefix + "review." + c.String() + "." + turn
}

// SubjectReply carries the one reply of a turn.
func SubjectReply(c schema.ConversationID, turn string) string {
	return Prefix + "reply." + c.String() + "." + turn
}

// SubjectTrace carries every pass of a turn.
func SubjectTrace(c schema.ConversationID, turn string) string {
	return Prefix + "trace." + c.String() + "." + turn
}

// SubjectAction carries the i-th action of a turn to the game.
func SubjectAction(c schema.ConversationID, turn string, i int) string {
	return fmt.Sprintf("%saction.%s.%s.%d", Prefix, c, turn, i)
}

// SubjectActionResult carries the game's answer to an action.
func SubjectActionResult(c schema.ConversationID, turn string, i int) string {
	return fmt.Sprintf("%saction-result.%s.%s.%d", Prefix, c, turn, i)
}

// SubjectEvent carries what the game saw happen in a world.
func SubjectEvent(world string) string { return Prefix + "event." + world }

// SubjectMemory carries the log of memory events; an empty player is "_".
func SubjectMemory(c schema.ConversationID) string {
	if c.Player == "" {
		c.Player = "_"
	}
	return Prefix + "memory." + c.String()
}

// SubjectSaidHash carries what an NPC told a player in a model's words, as hashes.
func SubjectSaidHash(c schema.ConversationID) string { return Prefix + "said-hash." + c.String() }

// SubjectSaidAnew asks whoever knows what an NPC said to read it again: something of it
// was erased. It names no player.
func SubjectSaidAnew(world, npc string) string {
	return Prefix + "said-hash." + world + "." + npc + "._"
}

// SubjectTimer holds the schedule of a turn's deadline.
func SubjectTimer(turn string) string { return Prefix + "timer.turn." + turn }

// SubjectDue is where a turn's deadline fires.
func SubjectDue(c schema.ConversationID, turn string) string {
	return Prefix + "due.turn." + c.String() + "." + turn
}

// SubjectScan carries what each scan of a world's memories came to.
func SubjectScan(world string) string { return Prefix + "scan." + world }

// SubjectReport carries the weekly report of a world's guards.
func SubjectReport(world string) string { return Prefix + "report." + world }

// SubjectDead carries poison.
func SubjectDead(p schema.Pass, c schema.ConversationID, turn string) string {
	return fmt.Sprintf("%sdead.%s.%s.%s", Prefix, p, c, turn)
}

// SubjectCancel asks for a turn to be ended.
func SubjectCancel(c schema.ConversationID, turn string) string {
	return Prefix + "cancel." + c.String() + "." + turn
}

// SubjectTaken is where each intake tells the others whose turns it takes, and
// SubjectCrowded where the mesh says that it has too many.
const (
	SubjectTaken   = Prefix + "taken"
	SubjectCrowded = Prefix + "crowded"
)

// Subjects of the services that answer requests.
const (
	SubjectCheckGrounding = Prefix + "svc.check_grounding"
	SubjectTurnOutcome    = Prefix + "svc.turn"
)

// SubjectTurnOutcomeOf is SubjectTurnOutcome for turns of one world, so that who may
// ask about which world can be told by the subject.
func SubjectTurnOutcomeOf(world string) string { return SubjectTurnOutcome + "." + world }

// SubjectActions asks for the actions that a world's NPCs proposed.
func SubjectActions(world string) string { return Prefix + "svc.actions." + world }

// SubjectWorlds asks for all worlds that are served, and SubjectWorld for one of them.
const SubjectWorlds = Prefix + "svc.worlds"

// SubjectWorld asks for one world and its NPCs.
func SubjectWorld(world string) string { return Prefix + "svc.world." + world }

// SubjectConversation asks for a conversation of a world, or for its end.
func SubjectConversation(world string) string { return Prefix + "svc.conversation." + world }

// SubjectMemories asks for what the NPCs of a world remember.
func SubjectMemories(world string) string { return Prefix + "svc.memories." + world }

// SubjectKnowledge asks for what an NPC of a world may know about a question.
func SubjectKnowledge(world string) string { return Prefix + "svc.knowledge." + world }

// SubjectTraceOf asks for the passes of a turn of a world.
func SubjectTraceOf(world string) string { return Prefix + "svc.trace." + world }

// SubjectOutcomes asks for the replies of a world, in the order they were stored.
func SubjectOutcomes(world string) string { return Prefix + "svc.outcomes." + world }

// SubjectLetters asks for the dead letters of a world.
func SubjectLetters(world string) string { return Prefix + "svc.letters." + world }

// SubjectRetry asks the service of a consumer to try a dead letter of a world again.
func SubjectRetry(consumer, world string) string {
	return Prefix + "svc.retry." + consumer + "." + world
}

// SubjectResolve asks for the end of a contradiction between memories of a world.
func SubjectResolve(world string) string { return Prefix + "svc.resolve." + world }

// Subject is a parsed subject of a conversation.
type Subject struct {
	Kind         string      // turn, pass, said, review, reply, trace, action, due, dead, cancel, ...
	Pass         schema.Pass // of pass.* and dead.*
	Conversation schema.ConversationID
	Turn         string
	Index        string // of action.* and action-result.*
}

// ParseSubject reads a subject that names a conversation.
func ParseSubject(s string) (Subject, error) {
	rest, ok := strings.CutPrefix(s, Prefix)
	if !ok {
		return Subject{}, invalid("subject", "%q does not start with %s", s, Prefix)
	}
	kind, rest, _ := strings.Cut(rest, ".")
	out := Subject{Kind: kind}
	parts := strings.Split(rest, ".")
	switch kind {
	case "pass", "dead":
		out.Pass, parts = schema.Pass(parts[0]), parts[1:]
	case "due":
		if parts[0] != "turn" {
			return Subject{}, invalid("subject", "%q is not the deadline of a turn", s)
		}
		parts = parts[1:]
	}
	want := map[string]int{"turn": 3, "memory": 3, "said-hash": 3, "action": 5, "action-result": 5,
		"pass": 4, "dead": 4, "due": 4, "said": 4, "review": 4, "reply": 4, "trace": 4, "cancel": 4}[kind]
	if want == 0 || len(parts) != want {
		return Subject{}, invalid("subject", "%q is not a subject of a conversation", s)
	}
	out.Conversation = schema.ConversationID{World: parts[0], NPC: parts[1], Player: parts[2]}
	if want > 3 {
		out.Turn = parts[3]
	}
	if want > 4 {
		out.Index = parts[4]
	}
	return out, nil
}
