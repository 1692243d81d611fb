package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// A turn is written and read as encoding/json does it, whatever it holds: services of
// another build do, and so do games and tools that read traces.
func TestTheWireIsThatOfEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		turn := &Turn{}
		fill(rnd, reflect.ValueOf((*plainTurn)(turn)).Elem(), 0)
		if rnd.IntN(2) == 0 {
			turn.extra = extras{"later": jsontext.Value(`{"minor":[1,2]}`)}
		}
		data, err := EncodeTurn(turn)
		if err != nil {
			t.Skip("too large")
		}
		written, err := json.Marshal((*plainTurn)(turn))
		if err != nil {
			t.Fatal(err)
		}
		var got, want plainTurn
		var all map[string]json.RawMessage
		if err := errors.Join(json.Unmarshal(data, &got), json.Unmarshal(written, &want),
			json.Unmarshal(data, &all)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("written: %s", difference("turn", reflect.ValueOf(got), reflect.ValueOf(want)))
		}
		if later := string(all["later"]); later != string(turn.extra["later"]) {
			t.Fatalf("later is %s", later)
		}
		again := *read(t, data)
		if !reflect.DeepEqual(again.extra, turn.extra) {
			t.Fatalf("unknown: %s", again.extra)
		}
		again.extra, again.lists = nil, Lists{} // no reader sees them
		if !reflect.DeepEqual(plainTurn(again), want) {
			t.Fatalf("read: %s", difference("turn", reflect.ValueOf(plainTurn(again)), reflect.ValueOf(want)))
		}
	})
}

// Two readers of a turn share nothing, though the process keeps lists that it has read.
func TestReadersShareNothingThatCanChange(t *testing.T) {
	data := []byte(`{"evidence":[{"id":"E1","allowed_for":["world"],"heard":["a"],"provenance":{"known_by":["a"]}}],` +
		`"sources":[{"source_id":"1","keywords":["a"],"allowed_for":["world"],"provenance":{"known_by":["a"]}}],` +
		`"state":{"a":[1]}}`)
	var before, changed, after Turn
	if err := errors.Join(json.Unmarshal(data, &before), json.Unmarshal(data, &changed)); err != nil {
		t.Fatal(err)
	}
	e, s := &changed.Evidence[0], &changed.Sources[0]
	for _, list := range [][]string{e.AllowedFor, e.Heard, e.Provenance.KnownBy, s.Keywords, s.AllowedFor,
		s.Provenance.KnownBy} {
		list[0] = "changed"
	}
	e.ID, s.ID, changed.State["a"].([]any)[0] = "changed", "changed", "changed"
	err := json.Unmarshal(data, &after)
	for _, turn := range []*Turn{&before, &after} {
		turn.lists = Lists{} // what is written is what the turn holds
		got, failed := json.Marshal(turn)
		if err != nil || failed != nil || strings.Contains(string(got), "changed") {
			t.Errorf("%s, %v, %v", got, err, failed)
		}
	}
}

// fill sets every field at random, with the values that JSON changes among them.
func fill(rnd *rand.Rand, v reflect.Value, depth int) {
	if v.Type() == reflect.TypeFor[time.Time]() {
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
	case a.Kind() == reflect.Struct && a.Type() != reflect.TypeFor[time.Time]():
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
	return fmt.Sprintf("%s: %#v, want %#v", path, a.Interface(), b.Interface())
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
}
