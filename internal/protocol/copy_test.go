package protocol

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"pgregory.net/rapid"
)

// A copied turn is the turn that was encoded and decoded again, whatever it
// holds: the mesh hands copies on within a process and bytes between them, and a
// pass must not be able to tell.
func TestCopyIsWhatTheWireWouldGive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		turn := &Turn{}
		fill(rnd, reflect.ValueOf((*plainTurn)(turn)).Elem(), 0)
		if rnd.IntN(2) == 0 {
			turn.extra = extras{"later": json.RawMessage(`{"minor":[1,2]}`)}
		}
		data, err := EncodeTurn(turn)
		if err != nil {
			t.Skip("too large")
		}
		var want Turn
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		got := turn.Copy()
		got.parts, want.parts = parts{}, parts{} // no reader sees them
		if !reflect.DeepEqual(got, &want) {
			t.Fatalf("%s", difference("turn", reflect.ValueOf(*got), reflect.ValueOf(want)))
		}
	})
}

func TestCopySharesNothingThatCanChange(t *testing.T) {
	backing := []Evidence{{ID: "E1", AllowedFor: []string{"world"}}, {ID: "of another NPC"}}
	turn := &Turn{Evidence: backing[:1], Request: schema.Request{State: map[string]any{"a": []any{1.0}}}}
	got := turn.Copy()
	got.Evidence = append(got.Evidence, Evidence{ID: "E2"})
	got.Evidence[0].AllowedFor[0] = "self"
	got.State["a"].([]any)[0] = 2.0
	if backing[1].ID != "of another NPC" || backing[0].AllowedFor[0] != "world" || turn.State["a"].([]any)[0] != 1.0 {
		t.Errorf("the copy wrote into the turn: %+v", turn)
	}
}

// fill sets every field at random, with the values that JSON changes among them.
func fill(rnd *rand.Rand, v reflect.Value, depth int) {
	if v.Type() == timeType {
		times := []time.Time{{}, time.Unix(rnd.Int64N(1<<32), rnd.Int64N(1e9)).UTC(),
			time.Unix(1, 5).In(time.FixedZone("", 3600)), time.Now()}
		v.Set(reflect.ValueOf(times[rnd.IntN(len(times))]))
		return
	}
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		raws := []string{``, `{"type":"object"}`, `[1, 2]`, `"<a>"`}
		if s := raws[rnd.IntN(len(raws))]; s != "" {
			v.SetBytes([]byte(s))
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString([]string{"", "x", "Wer war's? <é>", "bad \xff\xfe bytes", "line\nbreak"}[rnd.IntN(5)])
	case reflect.Bool:
		v.SetBool(rnd.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(rnd.Int64N(1000) - 500)
	case reflect.Uint64:
		v.SetUint(rnd.Uint64())
	case reflect.Float64:
		v.SetFloat(rnd.Float64())
	case reflect.Pointer:
		if depth < 5 && rnd.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(rnd, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if n := rnd.IntN(4) - 1; n >= 0 && depth < 5 {
			v.Set(reflect.MakeSlice(v.Type(), n, n+2))
			for i := range n {
				fill(rnd, v.Index(i), depth+1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(rnd, v.Index(i), depth+1)
		}
	case reflect.Map:
		if n := rnd.IntN(4) - 1; n >= 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for i := range n {
				elem := reflect.New(v.Type().Elem()).Elem()
				fill(rnd, elem, depth+1)
				v.SetMapIndex(reflect.ValueOf(fmt.Sprint("k", i)).Convert(v.Type().Key()), elem)
			}
		}
	case reflect.Interface:
		anys := []any{nil, true, "x", 1, 2.5, int64(3), []string{"a"}, []any{1, nil},
			map[string]any{"n": 7, "m": map[string]any{}}}
		if a := anys[rnd.IntN(len(anys))]; a != nil {
			v.Set(reflect.ValueOf(a))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(rnd, v.Field(i), depth+1)
			}
		}
	}
}

// difference names the first place at which two values differ.
func difference(path string, a, b reflect.Value) string {
	if reflect.DeepEqual(a.Interface(), b.Interface()) {
		return ""
	}
	switch {
	case a.Kind() == reflect.Struct && a.Type() != timeType:
		for i := range a.NumField() {
			if f := a.Type().Field(i); f.IsExported() {
				if d := difference(path+"."+f.Name, a.Field(i), b.Field(i)); d != "" {
					return d
				}
			}
		}
	case a.Kind() == reflect.Slice && a.Len() == b.Len() && a.IsNil() == b.IsNil():
		for i := range a.Len() {
			if d := difference(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
	case a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil():
		return difference(path, a.Elem(), b.Elem())
	}
	return fmt.Sprintf("%s: copied %#v, by wire %#v", path, a.Interface(), b.Interface())
}

func BenchmarkHop(b *testing.B) {
	t := &Turn{Request: schema.Request{TurnID: "t", World: "w", NPC: "n", Player: "p", Message: "m"}}
	for range 25 {
		t.Evidence = append(t.Evidence, Evidence{ID: "E1", SourceID: "1", ChunkID: "lore/mill.md#1", Path: "lore/mill.md",
			Text:       "The mill by the ford burned in the spring, and the miller has not been seen since the night of it.",
			Provenance: Provenance{Source: schema.OriginCorpus}})
	}
	data, err := EncodeTurn(t)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			_, _ = EncodeTurn(t)
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			_, _ = DecodeTurn(data)
		}
	})
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			t.Copy()
		}
	})
}
