package access

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
)

func rolesOf(t *testing.T, worlds ...string) map[string]Role {
	t.Helper()
	all, err := Roles(worlds)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Role{}
	for _, r := range all {
		out[r.Name] = r
	}
	return out
}

// covers says whether a pattern takes every subject that another takes.
func covers(pattern, other string) bool {
	p, o := strings.Split(pattern, "."), strings.Split(other, ".")
	for i, token := range p {
		switch {
		case token == ">":
			return len(o) > i
		case i >= len(o) || o[i] == ">" || token != "*" && token != o[i]:
			return false
		}
	}
	return len(p) == len(o)
}

func may(grants []string, subject string) bool {
	return slices.ContainsFunc(grants, func(g string) bool { return covers(g, subject) })
}

// Who may write what everything rests on. Nobody else may.
func TestWhoMayWriteWhat(t *testing.T) {
	roles := rolesOf(t, "village", "elsewhere")
	convo := "village.mira.p1"
	for subject, want := range map[string][]string{
		"forsooth.v1.reply." + convo + ".t1":            {"actions", "retriever"},
		"forsooth.v1.review." + convo + ".t1":           {"reviewer"},
		"forsooth.v1.said." + convo + ".t1":             {"actions", "monologue", "retriever", "reviewer"},
		"forsooth.v1.memory." + convo:                   {"consistency", "memory", "operator"},
		"forsooth.v1.turn." + convo:                     {"actions", "backend-village", "gateway", "operator", "retriever"},
		"forsooth.v1.event.village":                     {"backend-village", "gateway", "operator"},
		"forsooth.v1.action." + convo + ".t1.0":         {"actions", "reviewer"},
		"forsooth.v1.action-result." + convo + ".t1.0":  {"backend-village", "gateway", "operator"},
		"forsooth.v1.pass.think." + convo + ".t1":       {"retriever", "reviewer"},
		"forsooth.v1.pass.act." + convo + ".t1":         {"actions", "monologue", "retriever", "reviewer", "speaker"},
		"forsooth.v1.timer.turn.t1":                     {"actions", "retriever"},
		"forsooth.v1.due.turn." + convo + ".t1":         {},
		"forsooth.v1.live.reply." + convo + ".t1":       {},
		"forsooth.v1.svc.turn.village":                  {"backend-village", "gateway", "operator"},
		"forsooth.v1.svc.memories.village":              {"backend-village", "gateway", "operator"},
		"forsooth.v1.svc.knowledge.village":             {"gateway", "operator"},
		"forsooth.v1.svc.trace.village":                 {"gateway", "operator"},
		"forsooth.v1.svc.outcomes.village":              {"gateway", "operator"},
		"forsooth.v1.svc.letters.village":               {"gateway", "operator"},
		"forsooth.v1.svc.retry.memory.village":          {"gateway", "operator"},
		"forsooth.v1.svc.resolve.village":               {"gateway", "operator"},
		"$JS.API.STREAM.MSG.DELETE.DEAD":                {"memory", "operator", "retriever"},
		"forsooth.v1.svc.world.elsewhere":               {"backend-elsewhere", "gateway", "operator"},
		"forsooth.v1.svc.worlds":                        {"gateway", "operator"},
		"forsooth.v1.svc.turn":                          {"operator"},
		"forsooth.v1.svc.settle":                        {"actions", "operator"},
		"forsooth.v1.svc.scrub":                         {"operator"},
		"$KV.conversations." + convo:                    {"actions", "operator"},
		"$KV.flags.llm":                                 {"operator"},
		"$KV.erased.key":                                {"operator"},
		"$JS.API.STREAM.DELETE.TURNS":                   {"operator"},
		"$JS.API.STREAM.MSG.DELETE.REPLIES":             {"operator"},
		"$JS.API.STREAM.MSG.DELETE.TURNS":               {"actions", "operator", "retriever"},
		"$JS.API.CONSUMER.CREATE.PASSES.mine":           {"operator"},
		"$JS.API.CONSUMER.MSG.NEXT.PASSES.pass-act":     {"actions", "operator"},
		"$JS.API.CONSUMER.MSG.NEXT.REPLIES.finisher":    {"actions", "operator"},
		"$JS.ACK.PASSES.pass-think.1.2.3.4.5":           {"monologue"},
		"$JS.ACK.hub.acc.PASSES.pass-think.1.2.3.4.5.6": {"monologue"},
		"_INBOX_actions.x.y":                            {},
	} {
		got := []string{}
		for name, r := range roles {
			if may(r.Publish, subject) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s may be written by %v, want %v", subject, got, want)
		}
	}
}

// No role has a grant so wide that what it covers is not told by reading it: its
// first two tokens are plain, and everything but the operator names streams and
// consumers.
func TestNoGrantIsWide(t *testing.T) {
	for name, r := range rolesOf(t, "village") {
		for _, g := range slices.Concat(r.Publish, r.Subscribe) {
			tokens := strings.Split(g, ".")
			if tokens[0] == ">" || tokens[0] == "*" || len(tokens) > 1 && tokens[1] == ">" && !strings.HasPrefix(g, "_INBOX_") {
				t.Errorf("%s is granted %s", name, g)
			}
			if name == "operator" {
				continue
			}
			if g == protocol.Prefix+">" || strings.HasPrefix(g, "$JS.API.>") || strings.HasPrefix(g, "$KV.>") ||
				strings.HasPrefix(g, "$JS.ACK.>") {
				t.Errorf("%s is granted %s", name, g)
			}
		}
		var own []string
		for _, g := range r.Subscribe {
			if strings.HasPrefix(g, "_INBOX") {
				own = append(own, g)
			}
		}
		if !slices.Equal(own, []string{"_INBOX_" + name + ".>"}) {
			t.Errorf("%s hears the answers of %v", name, own)
		}
	}
}

// What every world hears alike, that queues stand, has room for two numbers and for no
// name, text or id of any world.
func TestWhatEveryWorldHearsTellsOfNone(t *testing.T) {
	said := reflect.TypeFor[protocol.Crowded]()
	for i := range said.NumField() {
		if f := said.Field(i); f.Type.Kind() != reflect.Int || !strings.HasSuffix(f.Name, "MS") {
			t.Errorf("%s may hold what is of a world: %s", f.Name, f.Type)
		}
	}
	for _, r := range rolesOf(t, "village", "elsewhere") {
		for _, g := range r.Subscribe {
			if strings.HasPrefix(r.Name, "backend-") && covers(g, protocol.SubjectCrowded) && g != protocol.SubjectCrowded {
				t.Errorf("%s hears more than that: %s", r.Name, g)
			}
		}
	}
}

// A backend touches its own world and no other, and no stream.
func TestABackendIsKeptToItsWorld(t *testing.T) {
	r := rolesOf(t, "village", "elsewhere")["backend-village"]
	for _, g := range slices.Concat(r.Publish, r.Subscribe) {
		switch {
		case g == protocol.SubjectCheckGrounding, g == "_INBOX_backend-village.>":
		case g == protocol.SubjectCrowded && !slices.Contains(r.Publish, g): // that queues stand, of no world, to hear only
		case !strings.Contains(g, ".village") || strings.Contains(g, "JS.API"):
			t.Errorf("it is granted %s", g)
		}
	}
	for i, token := range []string{"*", ">"} {
		for _, g := range slices.Concat(r.Publish, r.Subscribe) {
			if at := strings.Index(g, token); at >= 0 && at < strings.Index(g, "village") {
				t.Errorf("%d: %s has a wildcard before its world", i, g)
			}
		}
	}
}

func TestWorldsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		worlds []string
		want   string
	}{{[]string{"a.b"}, "world"}, {[]string{">"}, "world"},
		{[]string{"old-mill", "old_mill"}, "NATS_PASSWORD_BACKEND_OLD_MILL"}} {
		if _, err := BrokerConfig(c.worlds); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.worlds, err)
		}
	}
}

// The same worlds give the same text, in whatever order, and no secret stands in it.
func TestTheConfigurationIsTheSameEachTime(t *testing.T) {
	one, err := BrokerConfig([]string{"village", "elsewhere", "village"})
	if err != nil {
		t.Fatal(err)
	}
	two, err := BrokerConfig([]string{"elsewhere", "village"})
	if err != nil || one != two {
		t.Errorf("%v; they differ: %v", err, one != two)
	}
	for line := range strings.Lines(one) {
		if key, value, is := strings.Cut(strings.TrimSpace(line), "password: "); is && key == "" &&
			!strings.HasPrefix(value, "$NATS_PASSWORD_") {
			t.Errorf("a password that is no variable: %s", line)
		}
	}
	if n := strings.Count(one, "password: $"); n != len(Services())+2+2 {
		t.Errorf("%d users", n)
	}
}
