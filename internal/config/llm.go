package config

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// LLM are the settings of the language models. Without a URL there is none, and
// the extractive passes answer.
type LLM struct {
	Provider `koanf:",squash"`
	// The second provider, asked when the first fails. Its key falls back to
	// `FORSOOTH_LLM_SECONDARY_KEY`, then to the first provider's key where both are on one host.
	Secondary Provider `koanf:"secondary"`
	// The temperature of every call, from 0 to 2.
	Temperature float64 `koanf:"temperature"`
	// Let the model find what is worth remembering. It costs one more call a turn, after the
	// reply.
	Memories bool `koanf:"memories"`
	// Let the model order the sources. It costs one more call a turn.
	Rerank bool `koanf:"rerank"`
	// Let the model write the search queries. It costs one more call a turn.
	CitationQuery bool `koanf:"citation_query"`
	// Sources of a prompt above so many tokens are shortened. A complex question brings many.
	SourceTokens int `koanf:"source_tokens"`
	// So many tokens are left of them.
	CompactedTokens int `koanf:"compacted_tokens"`
	// Let the model shorten them. It costs one more call a turn, and where it fails a rule does.
	// `false`: the rule alone.
	Compact bool `koanf:"compact"`
	// Settings of one kind of call. NAME stands for one of CALLS. A variable has the name in
	// capitals: `FORSOOTH_LLM_CALLS_SPEECH_MODEL`.
	Calls map[string]Call `koanf:"calls"`
}

// Provider is one OpenAI-compatible endpoint. Its key is not among the settings:
// it is read from a file or the environment when it is needed.
type Provider struct {
	// The address of an OpenAI-compatible endpoint, without `/chat/completions`. Empty: none.
	URL string `koanf:"url"`
	// The model to ask there.
	Model string `koanf:"model"`
	// A file that holds the key alone.
	KeyFile string `koanf:"key_file"`
	// The name of a variable that holds the key.
	KeyEnv string `koanf:"key_env"`
	// Certificates (PEM) that are trusted besides the system's.
	CAFile string `koanf:"ca_file"`
	// The price of a million tokens that are sent, in the currency of the budgets.
	PriceIn float64 `koanf:"price_in"`
	// The price of a million tokens that the model writes.
	PriceOut float64 `koanf:"price_out"`
}

// Call is what is set for one kind of call; zero leaves it as it is.
type Call struct {
	// Another model for this kind of call.
	Model string `koanf:"model"`
	// How long the call may take, in milliseconds. 0: the default. The turn's deadline can only
	// shorten it.
	TimeoutMS int `koanf:"timeout_ms"`
	// How many tokens the model may write. 0: the default.
	MaxTokens int `koanf:"max_tokens"`
}

// Timeout is how long the call may take; 0 leaves it as it is.
func (c Call) Timeout() time.Duration { return time.Duration(c.TimeoutMS) * time.Millisecond }

// Configured says whether there is a model to ask.
func (l LLM) Configured() bool { return l.URL != "" }

// The variables that are read where no key is named. A key of OpenAI's goes only
// to the first provider: it is nobody else's to see.
const (
	keyVariable          = "FORSOOTH_LLM_KEY"
	keyVariableOfOpenAI  = "OPENAI_API_KEY"
	keyVariableSecondary = "FORSOOTH_LLM_SECONDARY_KEY"
)

// Key reads the first provider's key: from its file, else from the variable that
// is named, else from FORSOOTH_LLM_KEY, else from OPENAI_API_KEY. None is an empty
// one: a server of one's own may need none.
func (l LLM) Key() (Secret, error) {
	return l.key("llm", keyVariable, keyVariableOfOpenAI)
}

// SecondaryKey reads the second provider's key: from its file, else from the
// variable that is named, else from FORSOOTH_LLM_SECONDARY_KEY, else it is the
// first one's where both are on one host.
func (l LLM) SecondaryKey() (Secret, error) {
	key, err := l.Secondary.key("llm.secondary", keyVariableSecondary)
	if err != nil || !key.IsZero() || !sameHost(l.URL, l.Secondary.URL) {
		return key, err
	}
	return l.Key()
}

func (p Provider) key(section string, defaults ...string) (Secret, error) {
	switch {
	case p.KeyFile != "":
		return keyFromFile(section+".key_file", p.KeyFile)
	case p.KeyEnv != "":
		return keyFromVariable(section+".key_env", p.KeyEnv)
	}
	for _, name := range defaults {
		if value := os.Getenv(name); strings.TrimSpace(value) != "" {
			return checkKey(name, value)
		}
	}
	return Secret{}, nil
}

func sameHost(a, b string) bool {
	x, err := url.Parse(a)
	y, err2 := url.Parse(b)
	return err == nil && err2 == nil && x.Host != "" && x.Scheme == y.Scheme && strings.EqualFold(x.Host, y.Host)
}

// addDefaults adds the keys of the section, with their defaults.
func addDefaults(defaults map[string]any) map[string]any {
	for _, section := range []string{"llm.", "llm.secondary."} {
		for _, key := range []string{"url", "model", "key_file", "key_env", "ca_file"} {
			defaults[section+key] = ""
		}
		defaults[section+"price_in"], defaults[section+"price_out"] = 0.0, 0.0
	}
	defaults["llm.temperature"] = 0.3
	defaults["llm.source_tokens"], defaults["llm.compacted_tokens"] = 4000, 2000
	for _, key := range []string{"rerank", "citation_query", "memories", "compact"} {
		defaults["llm."+key] = false
	}
	for _, name := range protocol.Calls {
		call := "llm.calls." + name + "."
		defaults[call+"model"], defaults[call+"timeout_ms"], defaults[call+"max_tokens"] = "", 0, 0
	}
	return defaults
}

// mendKey is the line for a key that stands in the settings themselves.
func mendKey(key string) error {
	section, name := key[:max(strings.LastIndex(key, "."), 0)], key[strings.LastIndex(key, ".")+1:]
	if section == "nats" && slices.Contains([]string{"password", "pass", "token", "nkey", "seed", "jwt"}, name) {
		return fmt.Errorf("%s is no setting: a secret does not belong in a settings file; put it in a file and name "+
			"that in nats.password_file, nats.token_file or nats.creds, or export %s or %s", key, passwordVariable,
			tokenVariable)
	}
	if section != "llm" && section != "llm.secondary" && section != "qdrant" ||
		!slices.Contains([]string{"key", "api_key", "apikey", "token", "secret"}, name) {
		return nil
	}
	variable := map[string]string{"llm": keyVariable, "llm.secondary": keyVariableSecondary,
		"qdrant": keyVariableQdrant}[section]
	return fmt.Errorf("%s is no setting: a key does not belong in a settings file; put it in a file and name that in "+
		"%s.key_file, or export %s", key, section, variable)
}

// Bounds of what can be set for a call.
const (
	maxCallMS     = schema.MaxDeadlineMS
	maxCallTokens = 1 << 20

	minSourceTokens = 200 // a sentence of each of the best sources
)

func (l *LLM) check() error {
	for _, p := range []struct {
		section string
		*Provider
	}{{"llm", &l.Provider}, {"llm.secondary", &l.Secondary}} {
		if err := p.check(p.section); err != nil {
			return err
		}
	}
	if l.URL == "" && l.Secondary.URL != "" {
		return &Error{"llm.secondary.url", "stands in for llm.url, which is empty; write llm.url"}
	}
	if !(l.Temperature >= 0 && l.Temperature <= 2) {
		return &Error{"llm.temperature", fmt.Sprintf("is %v; it must lie between 0 and 2", l.Temperature)}
	}
	if l.SourceTokens < minSourceTokens || l.SourceTokens > maxCallTokens {
		return &Error{"llm.source_tokens", fmt.Sprintf("is %d; it must lie between %d and %d", l.SourceTokens,
			minSourceTokens, maxCallTokens)}
	}
	if l.CompactedTokens < minSourceTokens || l.CompactedTokens > l.SourceTokens {
		return &Error{"llm.compacted_tokens", fmt.Sprintf("is %d; it must lie between %d and llm.source_tokens, %d",
			l.CompactedTokens, minSourceTokens, l.SourceTokens)}
	}
	for _, name := range protocol.Calls {
		call, key := l.Calls[name], "llm.calls."+name
		if call.TimeoutMS < 0 || call.TimeoutMS > maxCallMS {
			return &Error{key + ".timeout_ms", fmt.Sprintf("is %d; it must lie between 0 (the default) and %d", call.TimeoutMS,
				maxCallMS)}
		}
		if call.MaxTokens < 0 || call.MaxTokens > maxCallTokens {
			return &Error{key + ".max_tokens", fmt.Sprintf("is %d; it must lie between 0 (the default) and %d", call.MaxTokens,
				maxCallTokens)}
		}
	}
	return nil
}

var variableName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

func (p *Provider) check(section string) error {
	if err := p.checkURL(section + ".url"); err != nil {
		return err
	}
	switch {
	case p.KeyFile != "" && p.KeyEnv != "":
		return &Error{section + ".key_file", "and " + section + ".key_env are both set; keep one"}
	case p.KeyEnv != "" && !variableName.MatchString(p.KeyEnv): // it may be a key: it is not repeated
		return &Error{section + ".key_env", "is no name of a variable; write a name such as " + keyVariable + ", not the key"}
	case !isPrice(p.PriceIn) || !isPrice(p.PriceOut):
		return &Error{section + ".price_in", "and " + section + ".price_out are prices of a million tokens; write " +
			"numbers from 0 up"}
	}
	return nil
}

// isPrice bounds a price, so that a sum of micro-units stays a number.
func isPrice(v float64) bool { return v >= 0 && v <= 1e6 }

// checkURL does not repeat the URL: a password may stand in it.
func (p *Provider) checkURL(key string) error {
	p.URL = strings.TrimRight(p.URL, "/")
	if p.URL == "" {
		return nil
	}
	u, err := url.Parse(p.URL)
	switch {
	case err != nil || !slices.Contains([]string{"http", "https"}, u.Scheme) || u.Hostname() == "":
		return &Error{key, "is no address of a server; write one such as http://localhost:11434/v1"}
	case u.User != nil:
		return &Error{key, "holds a name or password; take it out, and name the key in " + strings.TrimSuffix(key, "url") +
			"key_file"}
	case u.RawQuery != "" || u.Fragment != "":
		return &Error{key, "goes on with ? or #; write the address alone, such as https://host/v1"}
	case strings.HasSuffix(u.Path, "/chat/completions"):
		return &Error{key, "ends in /chat/completions; take that off, it is added"}
	}
	return nil
}
