package access

// This file is the table of the broker's users, written as a configuration of nats-server. It
// knows the subjects, streams and consumers of the mesh. It holds no secret: each password is a
// variable of the server's environment.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Roles are all users of a mesh that serves these worlds.
func Roles(worlds []string) ([]Role, error) {
	worlds = slices.Clone(worlds)
	slices.Sort(worlds)
	worlds = slices.Compact(worlds)
	out := append(Services(), Gateway(), Operator())
	named := map[string]string{}
	for _, w := range worlds {
		if err := schema.CheckToken("world", w); err != nil {
			return nil, err
		}
		r := Backend(w)
		if other := named[r.Variable()]; other != "" {
			return nil, fmt.Errorf("the worlds %s and %s would have their password in one variable, %s; rename one of them",
				other, w, r.Variable())
		}
		named[r.Variable()] = w
		out = append(out, r)
	}
	return out, nil
}

// Variable is the environment variable of the server that holds the role's password,
// plain or as bcrypt has it.
func (r Role) Variable() string {
	return "NATS_PASSWORD_" + strings.ToUpper(strings.ReplaceAll(r.Name, "-", "_"))
}

// account is that of the mesh, which alone holds streams.
const account = "FORSOOTH"

// BrokerConfig is the part of a nats-server's configuration that knows these roles and
// nobody else. The same worlds give the same text.
//
// The game servers of a world have an account of their own, into which the mesh's
// lends them the subjects of their world. A permission alone would not keep them
// there: a broker writes its acknowledgement of a message to whatever subject the
// message names, and only another account's subjects are out of its reach.
func BrokerConfig(worlds []string) (string, error) {
	roles, err := Roles(worlds)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString(`# Made by "forsooth nats-accounts"; do not edit. To be included in the configuration
# of nats-server: include nats-accounts.conf
#
# Who may do what. Whoever is not named here may not connect. A password is a variable
# of the server's environment: letters and digits beginning with a letter, or a
# bcrypt hash of "nats server passwd".
accounts {
`)
	fmt.Fprintf(&out, "  %s {\n    jetstream: enabled\n    exports: [\n", account)
	for _, r := range roles {
		each(r, func(kind, subject string) {
			fmt.Fprintf(&out, "      { %s: %q, accounts: [%q] }\n", kind, subject, r.Account)
		})
	}
	out.WriteString("    ]\n    users: [\n")
	for _, r := range roles {
		if r.Account == account {
			user(&out, r)
		}
	}
	out.WriteString("    ]\n  }\n")
	for _, r := range roles {
		if r.Account == account {
			continue
		}
		fmt.Fprintf(&out, "  %q {\n    imports: [\n", r.Account)
		each(r, func(kind, subject string) {
			fmt.Fprintf(&out, "      { %s: { account: %s, subject: %q } }\n", kind, account, subject)
		})
		out.WriteString("    ]\n    users: [\n")
		user(&out, r)
		out.WriteString("    ]\n  }\n")
	}
	out.WriteString("}\n")
	return out.String(), nil
}

// each gives what an account of its own is lent: what its user may ask and hear, but
// for the answers.
func each(r Role, f func(kind, subject string)) {
	if r.Account == account {
		return
	}
	for _, s := range r.Publish {
		f("service", s)
	}
	for _, s := range r.Subscribe {
		if !strings.HasPrefix(s, "_INBOX_") {
			f("stream", s)
		}
	}
}

func user(out *strings.Builder, r Role) {
	fmt.Fprintf(out, "      { # %s\n        user: %q\n        password: $%s\n        permissions {\n", r.About, r.Name,
		r.Variable())
	list(out, "publish", r.Publish)
	list(out, "subscribe", r.Subscribe)
	if r.Answers {
		// One answer; a cancel is heard twice in one process, and the broker counts the
		// second hearing.
		out.WriteString("          allow_responses { max: 2, expires: \"1m\" }\n")
	}
	out.WriteString("        }\n      }\n")
}

func list(out *strings.Builder, what string, subjects []string) {
	fmt.Fprintf(out, "          %s {\n            allow: [\n", what)
	for _, s := range subjects {
		fmt.Fprintf(out, "              %q\n", s)
	}
	out.WriteString("            ]\n          }\n")
}

// Role is a user of the broker, and all that it may do there.
type Role struct {
	Name      string   `json:"name"`
	Account   string   `json:"account"`
	About     string   `json:"about"`
	Publish   []string `json:"publish"`
	Subscribe []string `json:"subscribe"`
	Answers   bool     `json:"answers"` // it may answer whoever asked it
}

// The subjects of a conversation, and of one of its turns, behind what they are for.
const (
	ofConvo = ".*.*.*"
	ofTurn  = ".*.*.*.*"
)

// own are subjects of the mesh.
func own(subjects ...string) []string {
	out := make([]string, len(subjects))
	for i, s := range subjects {
		out[i] = protocol.Prefix + s
	}
	return out
}

// reads are the questions for what a stream holds.
func reads(streams ...string) (out []string) {
	for _, s := range streams {
		out = append(out, "$JS.API.DIRECT.GET."+s, "$JS.API.DIRECT.GET."+s+".>", "$JS.API.STREAM.MSG.GET."+s)
	}
	return out
}

// removes are the requests to delete a message of a stream.
func removes(streams ...string) (out []string) {
	for _, s := range streams {
		out = append(out, "$JS.API.STREAM.MSG.DELETE."+s)
	}
	return out
}

// works is what the worker of a consumer says, with the two forms of an ack: the
// broker's present one, and the one that names domain and account.
func works(stream, consumer string) []string {
	at := stream + "." + consumer
	return []string{"$JS.API.CONSUMER.INFO." + at, "$JS.API.CONSUMER.MSG.NEXT." + at, "$JS.ACK." + at + ".>",
		"$JS.ACK.*.*." + at + ".>"}
}

// passes is the work on passes: to take their turns, to keep a trace, to bury what
// is poison, and to send the turn on to these.
func passes(worked []schema.Pass, next ...schema.Pass) []string {
	var out []string
	for _, p := range worked {
		out = append(out, works("PASSES", "pass-"+string(p))...)
		out = append(out, own("dead."+string(p)+ofTurn)...)
	}
	for _, p := range append(next, schema.PassAct) { // from every pass a turn may be aborted
		out = append(out, own("pass."+string(p)+ofTurn)...)
	}
	return append(append(out, own("trace"+ofTurn)...), reads("SAID")...)
}

// buried are the dead letters of consumers that are no pass.
func buried(consumers ...string) (out []string) {
	for _, c := range consumers {
		out = append(out, own("dead."+c+ofTurn)...)
	}
	return out
}

// spends is the account of what models cost.
func spends() []string { return append(own("counter.>"), reads("COUNTERS")...) }

func joined(parts ...[]string) []string { return slices.Concat(parts...) }

// Services are the roles of the services. What they have in common: they look whether
// the streams are fit, know the operators' switches, and hear cancels.
func Services() []Role {
	roles := []Role{
		retrieverRights(), monologueRights(), reviewerRights(), speakerRights(), actionsRights(), memoryRights(),
		consistencyRights(),
	}
	for i := range roles {
		r := &roles[i]
		r.Publish = joined([]string{"$JS.API.INFO", "$JS.API.STREAM.INFO.*"}, reads("KV_flags"), r.Publish)
		r.Subscribe = joined(own("live.flag.>", "cancel"+ofTurn), r.Subscribe)
	}
	return finished(roles)
}

func retrieverRights() Role {
	return Role{
		Name: "retriever", About: "takes requests, starts turns, and searches",
		Publish: joined(
			works("TURNS", "intake"), works("EVENTS", "begin"), passes([]schema.Pass{schema.PassRetrieve}, schema.PassRetrieve,
				schema.PassThink, schema.PassSpeak),
			// An NPC speaks first, by a turn of its own. A turn begins: its deadline, its first event,
			// an older one that it supersedes, or its refusal.
			own("timer.turn.*", "said"+ofTurn, "cancel"+ofTurn, "reply"+ofTurn, "taken", "crowded",
				"turn"+ofConvo),
			buried("intake", "begin"),
			reads("TURNS", "REPLIES", "EVENTS", "DEAD", "KV_conversations", "KV_erased", "SAID_HASHES"),
			follows("SAID_HASHES"), removes("TURNS", "DEAD"), spends()),
		Subscribe: own("taken", "svc.worlds", "svc.world.*", "svc.knowledge.*", "svc.retry.begin.*"),
		Answers:   true,
	}
}

func monologueRights() Role {
	return Role{
		Name: "monologue", About: "thinks, and says that it does",
		Publish: joined(passes([]schema.Pass{schema.PassThink}, schema.PassReviewThought), own("said"+ofTurn),
			spends()),
	}
}

func reviewerRights() Role {
	return Role{
		Name: "reviewer", About: "releases sentences, asks the game about actions, and checks texts",
		Publish: joined(
			passes([]schema.Pass{schema.PassReviewThought, schema.PassReviewSpeech}, schema.PassRetrieve,
				schema.PassThink, schema.PassDecide, schema.PassSpeak),
			own("said"+ofTurn, "review"+ofTurn, "action"+ofTurn+".*", "crowded"), reads("ACTIONS", "SAID_HASHES"),
			follows("SAID_HASHES"), spends()),
		Subscribe: joined(own("live.action-result"+ofTurn+".*", "svc.check_grounding"),
			micro("forsooth-check-grounding")),
		Answers: true,
	}
}

func speakerRights() Role {
	return Role{
		Name: "speaker", About: "decides and speaks; nothing of it reaches a player",
		Publish: joined(passes([]schema.Pass{schema.PassDecide, schema.PassSpeak}, schema.PassSpeak,
			schema.PassReviewSpeech), spends()),
	}
}

func actionsRights() Role {
	return Role{
		Name: "actions", About: "ends turns: the one reply, deadlines, cancels, conversations, actions; and " +
			"tells what became of a turn",
		Publish: joined(
			passes([]schema.Pass{schema.PassAct}, schema.PassRetrieve), works("TIMERS", "deadline"),
			works("REPLIES", "finisher"),
			// The finisher has the next NPC of a scene speak.
			own("turn"+ofConvo, "reply"+ofTurn, "said"+ofTurn, "said-hash"+ofConvo, "action"+ofTurn+".*", "timer.turn.*",
				"svc.settle"),
			[]string{"$KV.conversations" + ofConvo},
			buried("deadline", "finisher"),
			reads("TURNS", "REPLIES", "ACTIONS", "TRACES", "DEAD", "KV_conversations", "KV_erased"),
			removes("TURNS", "TIMERS"), spends()),
		Subscribe: own("svc.turn", "svc.turn.*", "svc.actions.*", "svc.conversation.*", "svc.trace.*",
			"svc.outcomes.*", "svc.letters.*"),
		Answers: true,
	}
}

func memoryRights() Role {
	return Role{
		Name: "memory", About: "writes what NPCs remember",
		Publish: joined(
			works("REPLIES", "memory"), works("EVENTS", "memory-events"), works("ACTIONS", "memory-results"),
			follows("MEMORY"), own("memory"+ofConvo), buried("memory", "memory-events", "memory-results"),
			reads("MEMORY", "REPLIES", "EVENTS", "ACTIONS", "DEAD", "KV_erased"), removes("DEAD"), spends()),
		Subscribe: own("svc.settle", "svc.memories.*", "svc.resolve.*", "svc.retry.memory.*",
			"svc.retry.memory-events.*", "svc.retry.memory-results.*"),
		Answers: true,
	}
}

func consistencyRights() Role {
	return Role{
		Name: "consistency", About: "reads memories again at night, and reports once a week",
		Publish: joined(
			works("TIMERS", "scan"), works("TIMERS", "report"), buried("scan", "report"),
			own("timer.scan.*", "scan.*", "timer.report.*", "report.*", "memory"+ofConvo),
			removes("TIMERS"),
			reads("TIMERS", "MEMORY", "REPLIES", "EVENTS", "SCANS", "REPORTS", "KV_erased"), spends()),
	}
}

// micro is what a NATS micro service listens on besides its own subject.
func micro(name string) (out []string) {
	for _, verb := range []string{"PING", "INFO", "STATS"} {
		out = append(out, "$SRV."+verb, "$SRV."+verb+"."+name, "$SRV."+verb+"."+name+".*")
	}
	return out
}

// follows is reading a stream as it grows, by consumers that last as long as their
// reader. No durable one stands on such a stream.
func follows(stream string) (out []string) {
	for _, verb := range []string{"CREATE", "INFO", "MSG.NEXT", "DELETE"} {
		out = append(out, "$JS.API.CONSUMER."+verb+"."+stream+".*")
	}
	return out
}

// Backend is the role of the game servers of one world. It has no right to any
// stream: what it would look for there it asks the services for, on subjects of its
// world.
func Backend(world string) Role {
	return finished([]Role{{
		Name: "backend-" + world, Account: "WORLD-" + world, About: "the game servers of " + world,
		Publish: own("turn."+world+".*.*", "event."+world, "cancel."+world+".*.*.*", "action-result."+world+".*.*.*.*",
			"svc.turn."+world, "svc.actions."+world, "svc.world."+world, "svc.conversation."+world,
			"svc.memories."+world, "svc.check_grounding"),
		Subscribe: own("live.said."+world+".*.*.*", "live.reply."+world+".*.*.*", "live.action."+world+".*.*.*.*",
			"crowded"),
	}})[0]
}

// Gateway is the role of the door for HTTP: what the game servers of every world may, and
// what an operator's window asks. Its keys say who may do which of that.
func Gateway() Role {
	return finished([]Role{{
		Name: "gateway", About: "the door for HTTP: what the game servers of every world may, and the inspector",
		Publish: own("turn"+ofConvo, "event.*", "cancel"+ofTurn, "action-result"+ofTurn+".*",
			"svc.turn.*", "svc.actions.*", "svc.worlds", "svc.world.*", "svc.conversation.*", "svc.memories.*",
			"svc.check_grounding", "svc.knowledge.*", "svc.trace.*", "svc.outcomes.*", "svc.letters.*", "svc.retry.*.*",
			"svc.resolve.*"),
		Subscribe: own("live.said"+ofTurn, "live.reply"+ofTurn, "live.action"+ofTurn+".*", "crowded"),
	}})[0]
}

// Operator is the role of commands: migrate, doctor, chat, trace, memory, erase.
func Operator() Role {
	return finished([]Role{{
		Name:  "operator",
		About: "commands: migrate, doctor, chat, trace, memory and its erasure. Administers every stream",
		Publish: joined([]string{"$JS.API.>", "$JS.SNAPSHOT.ACK.>", "$JS.SNAPSHOT.RESTORE.>", "$KV.flags.*",
			"$KV.erased.>", "$KV.conversations" + ofConvo},
			own("turn"+ofConvo, "event.*", "cancel"+ofTurn, "action-result"+ofTurn+".*", "memory"+ofConvo, "said-hash.*.*._",
				"scan.*", "counter.>", "svc.>")),
		Subscribe: own("live.>", "crowded"),
	}})[0]
}

// finished adds each role's own inbox, and puts its rights in order.
func finished(roles []Role) []Role {
	for i := range roles {
		r := &roles[i]
		r.Account = cmp.Or(r.Account, account)
		r.Subscribe = append(r.Subscribe, "_INBOX_"+r.Name+".>")
		for _, list := range []*[]string{&r.Publish, &r.Subscribe} {
			slices.Sort(*list)
			*list = slices.Compact(*list)
		}
	}
	return roles
}
