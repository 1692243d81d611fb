// Package config reads settings: a profile's defaults, then forsooth.yaml, then
// the environment (FORSOOTH_…), then flags, each overriding the last. A key that
// no setting has is an error that names the nearest one. It opens nothing that
// the settings name.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env"
	"github.com/knadh/koanf/v2"

	"github.com/forsooth-npc/forsooth/internal/guards"
)

// Settings are everything that can be set. The comment above a field is its text in
// docs/settings.md, which go generate writes.
//
//go:generate go test -run TestTheReferenceIsCurrent . -update
type Settings struct {
	// The profile: which defaults hold, `dev` or `prod`. Flag `--profile`.
	Profile string `koanf:"profile"`
	// The data folder. Empty: `$XDG_DATA_HOME/forsooth`, else `~/.local/share/forsooth`. Flag
	// `--data`.
	Data string `koanf:"data"`
	// The worlds: folders, or names of worlds in the binary. The variable separates several by
	// `:`. Flag `--world`, which may be repeated.
	World []string `koanf:"world"`
	// The port of the NATS server in process. 0: a free port. Flag `--port` of `up`.
	Port int `koanf:"port"`
	// Write every message through to the disk. Messages then survive a power cut. It costs most of
	// the speed.
	Sync bool `koanf:"sync"`
	// The address at which `up` and `serve` serve `/healthz`, `/readyz` and `/metrics`, such as
	// `127.0.0.1:9464`. Empty: none. Flag `--listen`.
	Listen string `koanf:"listen"`
	// The connection to the NATS server. Secrets are read again at every connection and are never
	// logged.
	NATS NATS `koanf:"nats"`
	// The doors for HTTP; see [HTTP](http.md).
	HTTP HTTP `koanf:"http"`
	// How many messages a process handles at once. [Sizing](operations.md#sizing) says how to
	// choose.
	Workers Workers `koanf:"workers"`
	// Limits on what is accepted; see [failures](failures.md#overload).
	Overload Overload `koanf:"overload"`
	// How running processes follow changes of the worlds.
	Lore Lore `koanf:"lore"`
	// The log on standard error.
	Log Log `koanf:"log"`
	// Where traces of turns go; see [traces](operations.md#traces).
	Traces Traces `koanf:"traces"`
	// Which hosts this process may send requests to.
	Outbound Outbound `koanf:"outbound"`
	// A Qdrant server that keeps memories and indexes in place of the data folder.
	Qdrant Qdrant `koanf:"qdrant"`
	// The language model that speaks: an OpenAI-compatible endpoint; see [models](models.md).
	// Flags `--llm-url` and `--llm-model` set `llm.url` and `llm.model`.
	// Its key falls back to `FORSOOTH_LLM_KEY`, then to `OPENAI_API_KEY`. A key never
	// stands in `forsooth.yaml`: a settings file with one is refused.
	LLM LLM `koanf:"llm"`
	// How strictly replies are held to their evidence. No value releases an unsupported claim.
	// [Grounding](grounding.md) says what each does to a reply.
	Grounding Grounding `koanf:"grounding"`

	// The three guards of memory: grounding before a memory is written, the nightly scan, and
	// scores of replies. [Operations](operations.md#guards-of-memory) explains them.
	Guards guards.Settings `koanf:"-"` // read by readGuards, whose keys are guards.*

	File string `koanf:"-"` // the settings file that was read; empty: none
}

// Lore says how worlds are kept in step with their folders.
type Lore struct {
	// Milliseconds between two looks at the folders of the worlds. 0: a change waits for the next
	// start.
	RefreshMS int `koanf:"refresh_ms"`
}

// Log says what is logged, and how.
type Log struct {
	// The lowest level that is logged: `debug`, `info`, `warn` or `error`. Flag `--log-level`.
	Level string `koanf:"level"`
	// The format of a line: `text` or `json`.
	Format string `koanf:"format"`
}

// profiles are the defaults; all but the profile's own come from dev.
var profiles = map[string]map[string]any{
	"dev": addHTTPDefaults(
		addOverloadDefaults(
			addTracesDefaults(
				addQdrantDefaults(
					addWorkersDefaults(
						addNATSDefaults(
							addGuardsDefaults(addGroundingDefaults(addDefaults(map[string]any{"profile": "dev",
								"data": "", "world": []string{}, "port": 0, "sync": false, "listen": "",
								"outbound.hosts": []string{}, "lore.refresh_ms": 2000, "log.level": "warn",
								"log.format": "text"}))))))))),
	"prod": {"profile": "prod", "port": 4222, "sync": true, "log.level": "info", "log.format": "json"},
}

// Keys are the settings' names.
func Keys() []string {
	var out []string
	for k := range profiles["dev"] {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// FileName is looked for in the working folder where no file is named.
const FileName = "forsooth.yaml"

const envPrefix = "FORSOOTH_"

// toolPrefixes begin variables of the environment that belong to tests and tools.
var toolPrefixes = []string{envPrefix + "TEST_", envPrefix + "DEV_"}

func ofTool(variable string) bool {
	return slices.ContainsFunc(toolPrefixes, func(p string) bool { return strings.HasPrefix(variable, p) })
}

// Error is a setting that cannot be used: where it stands, and how to mend it.
type Error struct{ Where, What string }

func (e *Error) Error() string { return e.Where + ": " + e.What }

// Load reads the settings. path may be empty; flags are by key, only those given.
func Load(path string, flags map[string]any) (*Settings, error) {
	file, err := readFile(path)
	if err != nil {
		return nil, err
	}
	environment, err := readEnvironment(keyVariables(file))
	if err != nil {
		return nil, err
	}
	profile := "dev"
	for _, layer := range []map[string]any{file, environment, flags} {
		if p, ok := layer["profile"].(string); ok && p != "" {
			profile = p
		}
	}
	if profiles[profile] == nil {
		return nil, &Error{"profile", fmt.Sprintf("%q is none; write dev or prod", profile)}
	}
	merged := koanf.New(".")
	for _, layer := range []map[string]any{profiles["dev"], profiles[profile], file, environment, flags} {
		if err := merged.Load(confmap.Provider(layer, "."), nil); err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
	}
	var s Settings
	if err := merged.Unmarshal("", &s); err != nil {
		return nil, &Error{"settings", oneLine(err)}
	}
	if s.Guards, err = readGuards(file, environment, flags); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := s.Guards.CheckStreaming(s.Grounding.Streaming, written("grounding.streaming", file, environment,
		flags)); err != nil {
		return nil, err
	}
	if err := s.Guards.CheckReach(s.Grounding.NLI.URL != "", s.LLM.Configured()); err != nil {
		return nil, err
	}
	if file != nil {
		s.File = where(path)
	}
	if s.Data == "" {
		s.Data, err = DefaultData()
	}
	return &s, err
}

// written says whether a layer sets a key.
func written(key string, layers ...map[string]any) bool {
	return slices.ContainsFunc(layers, func(layer map[string]any) bool { return layer[key] != nil })
}

func where(path string) string {
	if path == "" {
		return FileName
	}
	return path
}

// check refuses values that no part could use.
func (s *Settings) check() error {
	switch {
	case s.Port < 0 || s.Port > 65535:
		return &Error{"port", fmt.Sprintf("is %d; it must lie between 0 and 65535", s.Port)}
	case s.Listen != "" && !isAddress(s.Listen):
		return &Error{"listen", fmt.Sprintf("is %q; write an address such as 127.0.0.1:9464", s.Listen)}
	case s.Lore.RefreshMS != 0 && (s.Lore.RefreshMS < 50 || s.Lore.RefreshMS > 3_600_000):
		return &Error{"lore.refresh_ms", fmt.Sprintf("is %d; it must be 0 (never), or lie between 50 and 3600000",
			s.Lore.RefreshMS)}
	case !slices.Contains([]string{"debug", "info", "warn", "error"}, s.Log.Level):
		return &Error{"log.level", fmt.Sprintf("is %q; write debug, info, warn or error", s.Log.Level)}
	case !slices.Contains([]string{"text", "json"}, s.Log.Format):
		return &Error{"log.format", fmt.Sprintf("is %q; write text or json", s.Log.Format)}
	}
	for _, section := range []interface{ check() error }{&s.NATS, s.Workers, &s.LLM, s.Qdrant, s.Traces, s.HTTP,
		s.Overload} {
		if err := section.check(); err != nil {
			return err
		}
	}
	if err := s.checkHosts(); err != nil {
		return err
	}
	return s.Grounding.check()
}

// isAddress says whether a process can listen there.
func isAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	n, bad := strconv.Atoi(port)
	return err == nil && bad == nil && n >= 0 && n <= 65535
}

// readFile reads the settings' file into dotted keys. The default file may be
// absent, a named one may not.
func readFile(path string) (map[string]any, error) {
	name := path
	if name == "" {
		name = FileName
	}
	data, err := os.ReadFile(name)
	if path == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &Error{name, "cannot be read: " + oneLine(err)}
	}
	return parse(name, data)
}

// Variable is the variable of the environment that sets a key: FORSOOTH_LOG_LEVEL
// sets log.level.
func Variable(key string) string {
	return envPrefix + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key))
}

// plain are the keys that a section's name alone sets, or another name: nats: URL is
// nats.url, FORSOOTH_NATS is FORSOOTH_NATS_URL, and metrics is listen.
var plain = map[string]string{"nats": natsKey, "workers": workersKey, "metrics": "listen", "qdrant": qdrantKey,
	"grounding.judge": judgeKey}

// keyVariables are variables that hold a secret: none of them is a setting.
func keyVariables(file map[string]any) []string {
	names := []string{keyVariable, keyVariableSecondary, passwordVariable, tokenVariable, keyVariableQdrant,
		keyVariableJudge}
	for _, key := range []string{"llm.key_env", "llm.secondary.key_env", "grounding.judge.key_env"} {
		if name, ok := file[key].(string); ok {
			names = append(names, name)
		}
		names = append(names, os.Getenv(Variable(key)))
	}
	return names
}

// flat stands in no key: what is read stays as it is named, and no variable
// hides another.
const flat = "\x00"

// readEnvironment reads the variables that set something.
func readEnvironment(notSettings []string) (map[string]any, error) {
	keyOf := map[string]string{}
	for _, key := range Keys() {
		keyOf[Variable(key)] = key
	}
	for section, key := range plain {
		if short := Variable(section); os.Getenv(short) != "" {
			if os.Getenv(Variable(key)) != "" {
				return nil, &Error{short, "and " + Variable(key) + " set the same; keep one"}
			}
			keyOf[short] = key
		}
	}
	k := koanf.New(flat)
	err := k.Load(env.ProviderWithValue(envPrefix, flat, func(variable, value string) (string, any) {
		if ofTool(variable) || slices.Contains(notSettings, variable) {
			return "", nil
		}
		key := keyOf[variable]
		if key == "" { // it is no setting, and is refused below
			key = strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, envPrefix)), "_", ".")
		}
		if key == "world" {
			return key, filepath.SplitList(value)
		}
		if _, list := profiles["dev"][key].([]string); list {
			return key, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
		}
		return key, value
	}), nil)
	if err != nil {
		return nil, fmt.Errorf("environment: %w", err)
	}
	out := k.Raw()
	for _, key := range slices.Sorted(maps.Keys(out)) {
		err := known(key)
		if err == nil {
			out[key], err = fit(key, out[key])
		}
		if err != nil {
			return nil, &Error{Variable(key), err.Error()}
		}
	}
	return out, nil
}

// DefaultData is $XDG_DATA_HOME/forsooth, else ~/.local/share/forsooth.
func DefaultData() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "forsooth"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", &Error{"data", "no home folder is known; give --data a folder"}
	}
	return filepath.Join(home, ".local", "share", "forsooth"), nil
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
