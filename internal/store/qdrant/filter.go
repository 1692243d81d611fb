package qdrant

import (
	"strings"
	"time"

	qd "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/forsooth-npc/forsooth/internal/store"
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
