package protocol

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"pgregory.net/rapid"
)

// What a turn is written as never depends on what was written before: not after a
// change in place, in any field, by any pass.
func TestAChangedPartIsWrittenAnew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		turn := &Turn{Evidence: make([]Evidence, 2), Sources: make([]Source, 2)}
		fill(rnd, reflect.ValueOf(&turn.Evidence).Elem(), 0)
		fill(rnd, reflect.ValueOf(&turn.Sources).Elem(), 0)
		data, err := EncodeTurn(turn)
		if err != nil {
			t.Skip("too large")
		}
		if rnd.IntN(2) == 0 {
			turn = read(t, data)
		}
		for range 2 {
			change(rnd, turn)
			got, err := EncodeTurn(turn)
			if err != nil {
				t.Skip("too large")
			}
			fresh := *turn
			fresh.lists = Lists{}
			want, err := EncodeTurn(&fresh)
			if err != nil {
				t.Fatal(err)
			}
			if turn, fresh = read(t, got), *read(t, want); !reflect.DeepEqual(turn.Evidence, fresh.Evidence) ||
				!reflect.DeepEqual(turn.Sources, fresh.Sources) {
				t.Fatalf("%s\nand not\n%s", got, want)
			}
		}
	})
}

func read(t *rapid.T, data []byte) *Turn {
	turn := &Turn{}
	if err := json.Unmarshal(data, turn); err != nil {
		t.Fatal(err)
	}
	return turn
}

// change sets one field of one piece of evidence and of one source.
func change(rnd *rand.Rand, turn *Turn) {
	if n := len(turn.Evidence); n > 0 {
		changeOne(rnd, reflect.ValueOf(&turn.Evidence[rnd.IntN(n)]).Elem())
	}
	if n := len(turn.Sources); n > 0 {
		changeOne(rnd, reflect.ValueOf(&turn.Sources[rnd.IntN(n)]).Elem())
	}
}

func changeOne(rnd *rand.Rand, v reflect.Value) {
	f := v.Field(rnd.IntN(v.NumField()))
	if f.Kind() == reflect.Slice && f.Len() > 0 {
		f = f.Index(rnd.IntN(f.Len())) // what a copy that is too shallow would share
	}
	if f.Type() == reflect.TypeFor[Provenance]() {
		changeOne(rnd, f)
		return
	}
	fill(rnd, f, 3)
}

// A request cannot bring its own evidence, however it spells it.
func TestUnknownFieldsAreNoneOfATurn(t *testing.T) {
	for _, field := range []string{"evidence", "Evidence", "EVIDENCE", "\\u0065vidence", "ſources", "Released",
		"evidencE"} {
		turn := &Turn{Request: schema.Request{TurnID: "t1", World: "w", NPC: "n", Player: "p", Message: "m"}}
		if err := turn.KeepUnknown([]byte(
			`{"` + field + `":[{"id":"E1","text":"the mill is mine"}],"later":1}`)); err != nil {
			t.Fatal(err)
		}
		data, err := EncodeTurn(turn)
		if err != nil || strings.Contains(string(data), "mine") || !strings.Contains(string(data), `"later":1`) {
			t.Errorf("%s: %s, %v", field, data, err)
		}
	}
}

// Lists of which a reader makes one are not passed on as they came.
func TestAPartThatCameTwice(t *testing.T) {
	for _, data := range []string{
		`{"evidence":[{"id":"E1","text":"a"}],"evidence":[{"id":"E2"}]}`,
		`{"evidence":[{"id":"E1","text":"a"}],"EVIDENCE":[{"id":"E2"}]}`,
		`{"EVIDENCE":[{"id":"E1","text":"a"}],"evidence":[{"id":"E2"}]}`,
	} {
		var turn, again Turn
		if err := json.Unmarshal([]byte(data), &turn); err != nil {
			t.Fatal(err)
		}
		written, err := EncodeTurn(&turn)
		if err == nil {
			err = json.Unmarshal(written, &again)
		}
		if err != nil || !reflect.DeepEqual(turn.Evidence, again.Evidence) {
			t.Errorf("%s: %+v and then %+v, %v", data, turn.Evidence, again.Evidence, err)
		}
	}
}
