package qdrant

import (
	"strings"
	"time"

	qd "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// conditions are what a filter says, in the server's words. It must not name
// none: of an empty list the server has no notion.
func conditions(f *store.MemoryFilter) *qd.Filter {
	b := &builder{}
	b.is(fieldWorld, f.World)
	for field, value := range map[string]string{
		fieldNPC: f.NPC, fieldSubject: f.Subject, fieldPredicate: f.Predicate, fieldObject: f.Object,
		fieldTurn: f.TurnID, fieldHeardFrom: f.HeardFrom, fieldTag: f.Tag, fieldMentions: f.Mentions,
	} {
		if value != "" {
			b.is(field, value)
		}
	}
	switch {
	case f.NoPlayer && f.Player != "":
		b.must = append(b.must, qd.NewMatchKeywords(fieldPlayer, "", valid(f.Player)))
	case f.NoPlayer || f.Player != "":
		b.is(fieldPlayer, f.Player)
	}
	among(b, fieldID, f.IDs)
	among(b, fieldKind, f.Kinds)
	among(b, fieldStatus, f.Statuses)
	among(b, fieldSource, f.Sources)
	b.within(fieldEventTime, f.EventFrom, f.EventTo)
	b.validAt(f.ValidAt)
	return &qd.Filter{Must: b.must}
}

type builder struct{ must []*qd.Condition }

func (b *builder) is(field, value string) {
	b.must = append(b.must, qd.NewMatchKeyword(field, valid(value)))
}

func among[T ~string](b *builder, field string, values []T) {
	if len(values) == 0 {
		return
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = valid(string(v))
	}
	b.must = append(b.must, qd.NewMatchKeywords(field, words...))
}

// within wants a time in [from, to).
func (b *builder) within(field string, from, to time.Time) {
	if from.IsZero() && to.IsZero() {
		return
	}
	b.must = append(b.must, qd.NewDatetimeRange(field, &qd.DatetimeRange{Gte: stamp(from), Lt: stamp(to)}))
}

func (b *builder) validAt(t time.Time) {
	if t.IsZero() {
		return
	}
	b.must = append(b.must,
		either(qd.NewIsEmpty(fieldValidFrom), qd.NewDatetimeRange(fieldValidFrom, &qd.DatetimeRange{Lte: stamp(t)})),
		either(qd.NewIsEmpty(fieldValidTo), qd.NewDatetimeRange(fieldValidTo, &qd.DatetimeRange{Gt: stamp(t)})))
}

func either(of ...*qd.Condition) *qd.Condition {
	return qd.NewFilterAsCondition(&qd.Filter{Should: of})
}

// precision is how finely the server compares times.
const precision = time.Microsecond

func stamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t.Truncate(precision))
}

// valid is a text as JSON and protobuf carry it.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// known names the passages that an NPC may ever know: its own, those of nobody that
// are not kept for some, and those that are kept for it among others.
func known(s store.Scope) *qd.Condition {
	words := make([]string, len(s.KnownBy))
	for i, w := range s.KnownBy {
		words[i] = valid(w)
	}
	ways := []*qd.Condition{
		all(qd.NewMatchKeyword(fieldNPC, ""), qd.NewIsEmpty(fieldKnownBy)),
		qd.NewMatchKeyword(fieldNPC, valid(s.NPC)),
	}
	if len(words) > 0 {
		ways = append(ways, qd.NewMatchKeywords(fieldKnownBy, words...))
	}
	return either(ways...)
}

func all(of ...*qd.Condition) *qd.Condition {
	return qd.NewFilterAsCondition(&qd.Filter{Must: of})
}

// refusals are the provenance contract as conditions, in the order in which a passage
// is refused: each is what a passage must be, and why it is refused else.
type refusal struct {
	reason string
	must   *qd.Condition
}

func refusals(s store.Scope) []refusal {
	at, started := stamp(atLeast(s.At)), stamp(atLeast(s.Started))
	until := func(field string) *qd.Condition {
		return qd.NewDatetimeRange(field, &qd.DatetimeRange{Lte: at})
	}
	met := []*qd.Condition{qd.NewIsEmpty(fieldRequires)}
	if len(s.Met) > 0 {
		met = append(met, qd.NewMatchKeywords(fieldRequires, words(s.Met)...))
	}
	return []refusal{
		{"source_not_corpus", qd.NewMatchKeyword(fieldSource, string(schema.OriginCorpus))},
		{"no_indexed_at", no(qd.NewIsEmpty(fieldIndexedAt))},
		{"no_created_at", no(qd.NewIsEmpty(fieldCreatedAt))},
		{"indexed_after_turn", qd.NewDatetimeRange(fieldIndexedAt, &qd.DatetimeRange{Lte: started})},
		{"generated_marker", qd.NewIsEmpty(fieldSignature)},
		{"requires_not_met", either(met...)},
		{"created_in_future", until(fieldCreatedAt)},
		{"not_yet_valid", either(qd.NewIsEmpty(fieldValidFrom), until(fieldValidFrom))},
		{"no_longer_valid", either(
			qd.NewIsEmpty(fieldValidTo), qd.NewDatetimeRange(fieldValidTo, &qd.DatetimeRange{Gte: at}),
		)},
	}
}

// contradicted is why a passage is refused whose payload, by which it was found, says
// other than the passage itself; "" where both say the same.
func contradicted(world string, c *protocol.Chunk, p payload) (reason string, err error) {
	own, err := provenance(c)
	if err != nil {
		return "", err
	}
	own[fieldWorld] = qd.NewValueString(valid(world))
	if c.World != world {
		return "other_world", nil
	}
	for _, f := range []struct{ field, reason string }{
		{fieldSource, "source_not_corpus"}, {fieldWorld, "other_world"},
		{fieldNPC, "out_of_scope"}, {fieldKnownBy, "out_of_scope"},
		{fieldIndexedAt, "no_indexed_at"}, {fieldCreatedAt, "created_in_future"}, {fieldValidFrom, "not_yet_valid"},
		{fieldValidTo, "no_longer_valid"}, {fieldRequires, "requires_not_met"}, {fieldID, "reserved_id"},
	} {
		if !proto.Equal(own[f.field], p[f.field]) {
			return f.reason, nil
		}
	}
	return "", nil
}

// atLeast is a time that a filter can name: before the first that can be, nothing was.
func atLeast(t time.Time) time.Time {
	if t.IsZero() {
		return time.Unix(0, 0).UTC().AddDate(-1969, 0, 0)
	}
	return t
}

func no(c *qd.Condition) *qd.Condition {
	return qd.NewFilterAsCondition(&qd.Filter{MustNot: []*qd.Condition{c}})
}

func words(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = valid(v)
	}
	return out
}

// inWorld names the passages of a world that the manifest of a generation can name.
func inWorld(world, model string, generation int64) *qd.Filter {
	f := passages(world, model)
	f.Must = append(f.Must, qd.NewRange(fieldGeneration, &qd.Range{Lte: qd.PtrOf(float64(generation))}))
	return f
}

// allowed names what is in scope.
func allowed(s store.Scope, model string, generation int64) *qd.Filter {
	f := inWorld(s.World, model, generation)
	f.Must = append(f.Must, known(s))
	for _, r := range refusals(s) {
		f.Must = append(f.Must, r.must)
	}
	if len(s.Without) > 0 {
		f.MustNot = append(f.MustNot, qd.NewMatchKeywords(fieldID, words(s.Without)...))
	}
	return f
}

// with is a filter with more conditions.
func with(f *qd.Filter, more ...*qd.Condition) *qd.Filter {
	must := append(append([]*qd.Condition(nil), f.Must...), more...)
	return &qd.Filter{Must: must, MustNot: f.MustNot, Should: f.Should}
}
