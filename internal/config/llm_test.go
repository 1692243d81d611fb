package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
)

const key = "sk-a-key-that-nobody-may-see"

func TestTheModelsSettingsAreReadWhole(t *testing.T) {
	path := file(t, `llm:
  url: http://localhost:1/v1/
  model: big
  price_in: 1.5
  price_out: 6
  temperature: 0
  rerank: true
  compact: true
  source_tokens: 3000
  compacted_tokens: 500
  secondary: {url: "https://other.example/v1", model: small, key_env: OTHER_KEY}
  calls:
    speech: {model: fine, timeout_ms: 4000, max_tokens: 600}
`)
	t.Setenv("FORSOOTH_LLM_CALLS_CITATION_QUERY_TIMEOUT_MS", "700")
	t.Setenv("FORSOOTH_LLM_SECONDARY_PRICE_OUT", "0.25")
	s, err := config.Load(path, map[string]any{"llm.model": "bigger"})
	if err != nil {
		t.Fatal(err)
	}
	l := s.LLM
	if !l.Configured() || l.URL != "http://localhost:1/v1" || l.Model != "bigger" || l.PriceIn != 1.5 || l.PriceOut != 6 ||
		l.Temperature != 0 {
		t.Errorf("first provider: %+v", l.Provider)
	}
	if !l.Rerank || !l.Compact || l.CitationQuery {
		t.Error("only rerank and compact are switched on")
	}
	if l.SourceTokens != 3000 || l.CompactedTokens != 500 {
		t.Errorf("sources of %d tokens, shortened to %d", l.SourceTokens, l.CompactedTokens)
	}
	if l.Secondary.URL != "https://other.example/v1" || l.Secondary.Model != "small" ||
		l.Secondary.KeyEnv != "OTHER_KEY" || l.Secondary.PriceOut != 0.25 {
		t.Errorf("second provider: %+v", l.Secondary)
	}
	if c := l.Calls["speech"]; c != (config.Call{Model: "fine", TimeoutMS: 4000, MaxTokens: 600}) ||
		c.Timeout().Seconds() != 4 {
		t.Errorf("speech: %+v", c)
	}
	if c := l.Calls["citation_query"]; c != (config.Call{TimeoutMS: 700}) {
		t.Errorf("citation_query: %+v", c)
	}
}

func TestWithoutAURLThereIsNoModel(t *testing.T) {
	s, err := config.Load("", nil)
	if err != nil || s.LLM.Configured() || s.LLM.Rerank || s.LLM.CitationQuery || s.LLM.Compact ||
		s.LLM.SourceTokens != 4000 || s.LLM.CompactedTokens != 2000 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestEveryCallThatHasAPromptCanBeSet(t *testing.T) {
	a, b := slices.Sorted(slices.Values(prompt.Names)), slices.Sorted(slices.Values(protocol.Calls))
	if !slices.Equal(a, b) {
		t.Errorf("prompts are %v, calls that can be set %v", a, b)
	}
}

func TestWhatIsWrongWithTheModelsSettingsIsNamed(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"a key in the file", "llm:\n  key: " + key + "\n", "forsooth.yaml:2: llm.key is no setting: a key does not " +
			"belong in a settings file; put it in a file and name that in llm.key_file, or export FORSOOTH_LLM_KEY"},
		{"a key by another name", "llm:\n  api_key: " + key + "\n",
			"forsooth.yaml:2: llm.api_key is no setting: a key does not belong in a settings file; put it in a file and " +
				"name that in llm.key_file, or export FORSOOTH_LLM_KEY"},
		{"a second key in the file", "llm:\n  secondary:\n    key: " + key + "\n",
			"forsooth.yaml:3: llm.secondary.key is no setting: a key does not belong in a settings file; put it in a file " +
				"and name that in llm.secondary.key_file, or export FORSOOTH_LLM_SECONDARY_KEY"},
		{"a key for the section", "llm: " + key + "\n", "forsooth.yaml:1: is no mapping"},
		{"a key for the name of a variable", "llm:\n  key_env: " + key + "\n",
			"llm.key_env: is no name of a variable; write a name such as FORSOOTH_LLM_KEY, not the key"},
		{"two places for a key", "llm: {key_env: A, key_file: b}\n", "keep one"},
		{"a call that is none", "llm:\n  calls:\n    speach: {model: x}\n", `forsooth.yaml:3: there is no setting ` +
			`"llm.calls.speach"`},
		{"a key that a call has not", "llm:\n  calls:\n    speech: {timeout: 5}\n", `"llm.calls.speech.timeout"; did you ` +
			`mean llm.calls.speech.`},
		{"no address", "llm: {url: localhost:11434}\n", "write one such as http://localhost:11434/v1"},
		{"a password in the address", "llm: {url: \"https://me:" + key + "@host/v1\"}\n",
			"llm.url: holds a name or password; take it out, and name the key in llm.key_file"},
		{"a query in the address", "llm: {url: \"https://host/v1?key=" + key + "\"}\n", "write the address alone"},
		{"too long an address", "llm: {url: \"https://host/v1/chat/completions\"}\n", "take that off"},
		{"a second without a first", "llm:\n  secondary: {url: \"http://host\"}\n", "write llm.url"},
		{"a price below nothing", "llm: {price_in: -1}\n", "write numbers from 0 up"},
		{"a word for a price", "llm: {price_out: dear}\n", `llm.price_out is "dear"; write a number`},
		{"no number", "llm: {temperature: .nan}\n", "write a number"},
		{"too hot", "llm: {temperature: 3}\n", "between 0 and 2"},
		{"a call that takes too long", "llm: {calls: {lean: {timeout_ms: 600000}}}\n",
			"llm.calls.lean.timeout_ms: is 600000; it must lie between 0 (the default) and 60000"},
		{"a limit that leaves no source", "llm: {source_tokens: 20}\n",
			"llm.source_tokens: is 20; it must lie between 200 and 1048576"},
		{"more left than there was", "llm: {source_tokens: 1000}\n",
			"llm.compacted_tokens: is 2000; it must lie between 200 and llm.source_tokens, 1000"},
		{"tokens below nothing", "llm: {calls: {lean: {max_tokens: -1}}}\n", "llm.calls.lean.max_tokens: is -1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := config.Load(file(t, c.body), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("err = %v, want one line with %q", err, c.want)
			}
			if strings.Contains(err.Error(), key) {
				t.Errorf("the key stands in %q", err)
			}
		})
	}
}

// load sets a key's places and reads both keys.
func keys(t *testing.T, l config.LLM) (first, second string) {
	t.Helper()
	a, err := l.Key()
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.SecondaryKey()
	if err != nil {
		t.Fatal(err)
	}
	return a.Reveal(), b.Reveal()
}

func noKeys(t *testing.T) {
	for _, name := range []string{"FORSOOTH_LLM_KEY", "OPENAI_API_KEY", "FORSOOTH_LLM_SECONDARY_KEY"} {
		t.Setenv(name, "")
	}
}

func TestWhereAKeyIsFound(t *testing.T) {
	noKeys(t)
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(" from-file\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	near, far := config.Provider{URL: "https://one.example/v1"}, config.Provider{URL: "https://two.example/v1"}
	none := config.LLM{Provider: near, Secondary: far}
	if a, b := keys(t, none); a != "" || b != "" {
		t.Errorf("without a key: %q and %q", a, b)
	}
	t.Setenv("OPENAI_API_KEY", "from-openai")
	if a, b := keys(t, none); a != "from-openai" || b != "" {
		t.Errorf("OpenAI's key goes to the first provider alone: %q and %q", a, b)
	}
	if _, b := keys(t, config.LLM{Provider: near, Secondary: near}); b != "from-openai" {
		t.Errorf("two models of one host share its key: %q", b)
	}
	t.Setenv("FORSOOTH_LLM_KEY", "from-variable")
	t.Setenv("FORSOOTH_LLM_SECONDARY_KEY", "from-second")
	if a, b := keys(t, none); a != "from-variable" || b != "from-second" {
		t.Errorf("Forsooth's own variables come first: %q and %q", a, b)
	}
	near.KeyFile, far.KeyEnv = path, "FORSOOTH_LLM_KEY"
	if a, b := keys(t, config.LLM{Provider: near, Secondary: far}); a != "from-file" || b != "from-variable" {
		t.Errorf("what is named comes before what is not: %q and %q", a, b)
	}
}

func TestVariablesThatHoldAKeyAreNotSettings(t *testing.T) {
	t.Setenv("FORSOOTH_LLM_KEY", key)
	t.Setenv("FORSOOTH_LLM_SECONDARY_KEY", key)
	t.Setenv("FORSOOTH_OF_MINE", key)
	s, err := config.Load(file(t, "llm: {key_env: FORSOOTH_OF_MINE}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(fmt.Sprintf("%+v", s), key) {
		t.Error("the settings hold the key")
	}
	t.Setenv("FORSOOTH_LLM_SECONDARY_KEY_ENV", "FORSOOTH_OF_MINE")
	if _, err := config.Load("", nil); err != nil {
		t.Error(err)
	}
}

func TestAKeyThatCannotBeUsedIsNotRepeated(t *testing.T) {
	noKeys(t)
	dir := t.TempDir()
	write := func(name, body string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("TWO_LINES", key+"\nmore")
	cases := []struct {
		name string
		p    config.Provider
		want string
	}{
		{"the key instead of its file", config.Provider{KeyFile: key},
			"llm.key_file: names a file that cannot be read: no such file or directory"},
		{"a folder", config.Provider{KeyFile: dir}, "llm.key_file: names a file that cannot be read: is a directory"},
		{"an empty file", config.Provider{KeyFile: write("empty", "\n")}, "llm.key_file: holds no key"},
		{"two keys", config.Provider{KeyFile: write("two", key+"\n"+key+"\n")}, "llm.key_file: holds more than a key"},
		{"a long file", config.Provider{KeyFile: write("long", strings.Repeat(key, 4096))},
			"llm.key_file: holds more than a key"},
		{"a variable that is not set", config.Provider{KeyEnv: "SURELY_NOT_SET"},
			"llm.key_env: names a variable of the environment that is not set"},
		{"a variable of two lines", config.Provider{KeyEnv: "TWO_LINES"}, "llm.key_env: holds more than a key"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := config.LLM{Provider: c.p}.Key()
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), key) {
				t.Errorf("err = %v, want %q and no key", err, c.want)
			}
		})
	}
}

func TestASecretIsNeverShown(t *testing.T) {
	type holder struct {
		Key  config.Secret
		Here *config.Secret
	}
	s := config.NewSecret(key)
	h := holder{s, &s}
	var shown bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&shown, verb+verb+"\n", s, h)
	}
	for _, v := range []any{s, h, []config.Secret{s}, map[string]any{"key": s}} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(data)
	}
	log := zerolog.New(&shown)
	log.Error().Interface("key", s).Any("holder", h).Err(fmt.Errorf("refused: %v", s)).Stringer("s", s).Send()
	for _, form := range []string{key, fmt.Sprintf("%x", key)} {
		if strings.Contains(shown.String(), form) {
			t.Errorf("the key is shown:\n%s", shown.String())
		}
	}
	if !strings.Contains(shown.String(), "[redacted]") || s.Reveal() != key || s.IsZero() || !(config.Secret{}).IsZero() {
		t.Error("a secret says that it is one, and is there for who asks")
	}
}
