package protocol

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestUnknownFieldsAreFoundWhereverTheyStand(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"none", `{"turn_id":"a","hop":1}`, ``},
		{"first, middle and last", `{"x":1,"turn_id":"a","y":{"b":[1,"}",{"c":"\"]"}]},"hop":2,"z":null}`,
			`x=1 y={"b":[1,"}",{"c":"\"]"}]} z=null`},
		{"white space", "{ \"x\" : [ 1 , 2 ] ,\n\"hop\":1 }", `x=[ 1 , 2 ]`},
		{"an escaped name", `{"\u0078":true}`, `x=true`},
		{"a known name, escaped", `{"\u0068op":1}`, ``},
		{"only inside", `{"state":{"x":1}}`, ``},
		{"empty", `{}`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := unknownFields([]byte(c.data))
			if err != nil {
				t.Fatal(err)
			}
			var parts []string
			for _, name := range slices.Sorted(maps.Keys(got)) {
				parts = append(parts, name+"="+string(got[name]))
			}
			if s := strings.Join(parts, " "); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
		})
	}
}

// isTurnField says whether a reader takes a name for a field of a turn.
func isTurnField(name string) bool {
	return slices.ContainsFunc(reflect.VisibleFields(reflect.TypeFor[Turn]()), func(f reflect.StructField) bool {
		field, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return field != "" && field != "-" && strings.EqualFold(field, name)
	})
}

// FuzzUnknownFields holds what is unknown against the names of a turn's fields: of every
// JSON object, all other names with the same values.
func FuzzUnknownFields(f *testing.F) {
	for _, seed := range []string{`{}`, `{"x":1,"hop":{"y":2}}`, `{"a":"\\","b":[{"c":"]"}]}`, `null`, `[1]`,
		`{"x":-1.5e3,"y":"\u00e9"}`, `{"`, `{"a"`, `{"a":`, `{"a":1`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := unknownFields(data)
		var all map[string]json.RawMessage
		if json.Unmarshal(data, &all) != nil {
			return // it must not panic
		}
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		for name, want := range all {
			value, there := got[name]
			if isTurnField(name) {
				if there {
					t.Errorf("%q: %q is known", data, name)
				}
			} else if string(value) != string(want) {
				t.Errorf("%q: %q is %q, want %q", data, name, value, want)
			}
		}
		if len(got) > len(all) {
			t.Errorf("%q: %d names of %d", data, len(got), len(all))
		}
	})
}
