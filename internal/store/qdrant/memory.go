package qdrant

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The fields of a memory's payload: the record itself, and what filters name.
const (
	fieldMemory    = "memory" // the record as JSON
	fieldModel     = "model"
	fieldAccessed  = "accessed"
	fieldLastUsed  = "last_used"
	fieldID        = "id"
	fieldWorld     = "world"
	fieldNPC       = "npc"
	fieldPlayer    = "player" // "" where there is none
	fieldKind      = "kind"
	fieldStatus    = "status"
	fieldSource    = "source"
	fieldSubject   = "subject"
	fieldPredicate = "predicate"
	fieldObject    = "object"
	fieldTurn      = "turn_id"
	fieldHeardFrom = "heard_from"
	fieldTag       = "tags"
	fieldMentions  = "mentions"
	fieldEventTime = "event_time"
	fieldValidFrom = "valid_from"
	fieldValidTo   = "valid_to"
)

// memoryIndexes are the indexed fields of the session. World and NPC are its
// tenants: the server lays the points of each near one another.
func memoryIndexes() map[string]index {
	out := map[string]index{
		fieldWorld: tenant, fieldNPC: tenant,
		fieldEventTime: datetime, fieldValidFrom: datetime, fieldValidTo: datetime,
	}
	for _, f := range []string{
		fieldID, fieldModel, fieldPlayer, fieldKind, fieldStatus, fieldSource, fieldSubject, fieldPredicate,
		fieldObject, fieldTurn, fieldHeardFrom, fieldTag, fieldMentions,
	} {
		out[f] = keyword
	}
	for level := range orderLevels {
		out[orderField(level)] = integer
	}
	return out
}

func memoryID(world, id string) *qd.PointId { return pointID("memory", world, id) }

// encode is a memory as a point.
func encode(p *store.MemoryPoint) (*qd.PointStruct, error) {
	m := inUTC(p.Memory)
	record, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("memory %s: encode: %w", m.ID, err)
	}
	fields := payload{
		fieldMemory:   qd.NewValueString(string(record)),
		fieldAccessed: qd.NewValueInt(int64(p.Accessed)),
		fieldTag:      list(m.Tags),
		fieldMentions: list(store.Mentioned(&m)),
	}
	for name, value := range map[string]string{
		fieldID: m.ID, fieldWorld: m.World, fieldNPC: m.NPC, fieldPlayer: m.Player, fieldKind: string(m.Kind),
		fieldStatus: string(m.Status), fieldSource: string(m.Source), fieldSubject: m.Subject, fieldPredicate: m.Pred,
		fieldObject: m.Object, fieldTurn: m.TurnID, fieldHeardFrom: m.HeardFrom, fieldModel: p.Model,
	} {
		fields[name] = qd.NewValueString(valid(value))
	}
	for name, t := range map[string]time.Time{
		fieldEventTime: m.EventTime, fieldValidFrom: m.ValidFrom, fieldValidTo: m.ValidTo, fieldLastUsed: p.LastUsed,
	} {
		if !t.IsZero() {
			fields[name] = timeValue(t)
		}
	}
	for level := range orderLevels {
		fields[orderField(level)] = qd.NewValueInt(orderKey(m.ID, level))
	}
	point := &qd.PointStruct{Id: memoryID(m.World, m.ID), Payload: fields, Vectors: noVectors()}
	if len(p.Vector) > 0 {
		unit, err := store.Unit(p.Vector)
		if err != nil {
			return nil, fmt.Errorf("memory %s: %w", m.ID, err)
		}
		point.Vectors = vectorsOf(unit)
	}
	return point, nil
}

// decode is a point as a memory.
func decode(fields payload, vectors *qd.VectorsOutput) (store.MemoryPoint, error) {
	out := store.MemoryPoint{
		Vector: vectorOf(vectors), Model: fields[fieldModel].GetStringValue(),
		Accessed: int(fields[fieldAccessed].GetIntegerValue()),
	}
	if err := json.Unmarshal([]byte(fields[fieldMemory].GetStringValue()), &out.Memory); err != nil {
		return out, fmt.Errorf("memory %.100q of world %.100q: %w: %w",
			fields[fieldID].GetStringValue(), fields[fieldWorld].GetStringValue(), store.ErrCorrupt, err)
	}
	var err error
	out.LastUsed, err = lastUsed(fields)
	return out, err
}

func lastUsed(fields payload) (time.Time, error) {
	s := fields[fieldLastUsed].GetStringValue()
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return t, fmt.Errorf("%s of a memory: %w: %w", fieldLastUsed, store.ErrCorrupt, err)
	}
	return t, nil
}

func timeValue(t time.Time) *qd.Value { return qd.NewValueString(t.UTC().Format(time.RFC3339Nano)) }

func list(words []string) *qd.Value {
	values := make([]*qd.Value, len(words))
	for i, w := range words {
		values[i] = qd.NewValueString(valid(w))
	}
	return qd.NewValueFromList(values...)
}

// inUTC is a memory with its times in UTC, so that it comes back the same
// wherever it was written.
func inUTC(m schema.Memory) schema.Memory {
	for _, t := range []*time.Time{&m.CreatedAt, &m.EventTime, &m.ValidFrom, &m.ValidTo} {
		*t = t.UTC()
	}
	spans := make([]schema.MemorySpan, len(m.Spans))
	for i, s := range m.Spans {
		s.At = s.At.UTC()
		spans[i] = s
	}
	m.Spans = spans
	return m
}

// The server orders by numbers and not by texts. So an id lies there as numbers
// too, each of so many of its characters in turn as a float64 holds exactly,
// which is what the server compares with; an order by them is one by bytes.
const (
	orderLevels = 3
	orderChars  = 8
	alphabet    = "-.0123456789:ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
)

func orderField(level int) string { return "order" + strconv.Itoa(level) }

// orderKey is the number of the characters of an id at one level. Of a text that
// is no id it is still at most that of any id after it.
func orderKey(id string, level int) int64 {
	var key int64
	for i := level * orderChars; i < (level+1)*orderChars; i++ {
		key *= int64(len(alphabet) + 1)
		if i < len(id) {
			key += rank(id[i])
		}
	}
	return key
}

// rank is how many characters of the alphabet are at most this one.
func rank(c byte) int64 {
	n := 0
	for n < len(alphabet) && alphabet[n] <= c {
		n++
	}
	return int64(n)
}
