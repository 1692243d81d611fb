package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// fits holds an answer against the schema as it was asked for, by the library alone.
func fits(t interface{ Fatal(...any) }, answer []byte) error {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(speechSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema:test", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema:test")
	if err != nil {
		t.Fatal(err)
	}
	got, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
	if err != nil {
		return err
	}
	return s.Validate(got)
}

// torn is an answer with what models do to one.
func torn() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := rapid.SampledFrom([]string{good, `{"sentences":[]}`, `{"sentences":[{"text":"a \"quote\" and {a ` +
			`brace}","sure":1}]}`}).Draw(t, "answer")
		for range rapid.IntRange(0, 6).Draw(t, "harm") {
			at := rapid.IntRange(0, len(s)).Draw(t, "at")
			to := rapid.IntRange(at, len(s)).Draw(t, "to")
			put := rapid.SampledFrom([]string{"", "}", "{", "]", "[", `"`, `'`, ",", ":", "\\", "```", "null", "\n", "<think>",
				"</think>", "//", "\x00", "\xff", "…"}).Draw(t, "put")
			if rapid.Bool().Draw(t, "take away") {
				s = s[:at] + put + s[to:]
			} else {
				s = s[:at] + put + s[at:]
			}
		}
		return s
	})
}

// Whatever a model says: no panic, and what is accepted fits the schema.
func TestWhatIsAcceptedFits(t *testing.T) {
	m := &Models{}
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		out := spoken{text: rapid.OneOf(torn(), rapid.String()).Draw(t, "text"), cut: rapid.Bool().Draw(t, "cut")}
		answer, err := m.fit(Request{Name: "speech", Schema: json.RawMessage(speechSchema)}, out)
		if err != nil {
			return
		}
		accepted++
		if err := fits(t, answer); err != nil {
			t.Fatalf("%q was accepted as %s: %v", out.text, answer, err)
		}
	})
	if accepted == 0 {
		t.Error("nothing was accepted")
	}
}

// The library takes an apostrophe within single quotes for a quote: what it mends would
// be said as the crew"s programs, which no evidence holds.
func TestApostrophesSurviveMending(t *testing.T) {
	for said, want := range map[string]string{
		`{'text':'Alice writes the crew's programs.'}`:            "Alice writes the crew's programs.",
		`{'text':'It's o'clock, isn't it, at the smiths' hall?'}`: "It's o'clock, isn't it, at the smiths",
		`{'text':'rock'n'roll'}`:                                  "rock'n'roll",
		`{'text':'Ève's été's'}`:                                  "Ève's été's",
		`{text:"He wrote \"the crew's\" on it."}`:                 `He wrote "the crew's" on it.`,
		`{"text":"a\"b","more":1,}`:                               `a"b`, // a quote that was one stays one
	} {
		answer, err := parse(said, false)
		var got struct{ Text string }
		if err == nil {
			err = json.Unmarshal(answer, &got)
		}
		if err != nil || !strings.HasPrefix(got.Text, want) {
			t.Errorf("%s became %s (%v), want %s", said, answer, err, want)
		}
	}
}

// An answer that broke off is taken whole or not at all.
func TestACutAnswerIsNotMended(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, len(good)).Draw(t, "bytes")
		answer, err := parse(good[:n], true)
		if (err == nil) != (n == len(good)) {
			t.Fatalf("%q became %s, %v", good[:n], answer, err)
		}
	})
}

func FuzzFit(f *testing.F) {
	for _, s := range []string{good, "", "{", "}{", "```json\n" + good + "\n```", "<think>" + good,
		"{'sentences':[{text:'a'}],}", good[:50], "[" + good + "]", strings.Repeat("{", 100),
		`{"sentences":[{"text":"` + "\xff" + `"}]}`} {
		f.Add(s, false)
		f.Add(s, true)
	}
	m := &Models{}
	f.Fuzz(func(t *testing.T, text string, cut bool) {
		if answer, err := m.fit(Request{Name: "speech", Schema: json.RawMessage(speechSchema)},
			spoken{text: text, cut: cut}); err == nil {
			if err := fits(t, answer); err != nil {
				t.Errorf("%q was accepted as %s: %v", text, answer, err)
			}
		}
	})
}

// The library takes minutes for some kilobytes of quotes that end nowhere; they
// are not given to it.
func TestWildAnswersAreNotMended(t *testing.T) {
	for _, unit := range []string{"'a", "\"a\n", "\"http://a", `\'a"a` + "\n[", `"a": "b" c "`, "’‘",
		"[null’'a", `\`} {
		text := `{"sentences":[{"text":"b"}],` + strings.Repeat(unit, 4<<10/len(unit)) + "}"
		if !tangled(text) {
			t.Errorf("%q… is given to the library", unit)
		}
		if _, err := parse(text, false); !errors.Is(err, errTangled) {
			t.Errorf("%q…: %v", unit, err)
		}
	}
	if !tangled(`{"a":"` + strings.Repeat("b", maxMend) + `",}`) {
		t.Error("what is too long is given to the library")
	}
}

// What models really do wrong is mended, at the length of a real answer.
func TestRealFaultsAreMended(t *testing.T) {
	long := `{"sentences":[` + strings.TrimSuffix(strings.Repeat(`{"text":"The miller's wife said: \"It wasn't Ansel's `+
		`fire\", and that's what I heard."},`, 40), ",") + `]}`
	for name, spoil := range map[string]func(string) string{
		"a comma too many":    func(s string) string { return strings.Replace(s, "}]", "},]", 1) },
		"a comma missing":     func(s string) string { return strings.Replace(s, "},{", "} {", 3) },
		"keys without quotes": func(s string) string { return strings.ReplaceAll(s, `"text":`, "text:") },
		"a comment":           func(s string) string { return strings.Replace(s, "[", "[ // all of them\n", 1) },
		"never closed":        func(s string) string { return strings.TrimRight(s, "}]") + "}" },
		"curly quotes":        func(s string) string { return strings.Replace(s, `"sentences"`, "“sentences”", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			text := spoil(long)
			answer, err := parse(text, false)
			if err != nil || !sameJSON(t, answer, long) {
				t.Errorf("%.80s… became %.80s…, %v", text, answer, err)
			}
		})
	}
}
