// Package config reads settings: a profile's defaults, then forsooth.yaml, then
// the environment (FORSOOTH_…), then flags, each overriding the last. A key that
// no setting has is an error that names the nearest one. It opens nothing that
// the settings name.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env"
	"github.com/knadh/koanf/v2"
)

// Settings are everything that can be set.
type Settings struct {
	Profile string   `koanf:"profile"` // dev or prod
	Data    string   `koanf:"data"`    // the data folder
	World   []string `koanf:"world"`   // folders of worlds
	NATS    string   `koanf:"nats"`    // URL of an external server; empty: one in process
	Port    int      `koanf:"port"`    // of the server in process; 0: one that is free
	Workers int      `koanf:"workers"` // of each pass
	Log     Log      `koanf:"log"`
}

// Log says what is logged, and how.
type Log struct {
	Level  string `koanf:"level"`  // debug, info, warn, error
	Format string `koanf:"format"` // text or json
}

// profiles are the defaults; all but the profile's own come from dev.
var profiles = map[string]map[string]any{
	"dev":  {"profile": "dev", "data": "", "world": []string{}, "nats": "", "port": 0, "workers": 16, "log.level": "warn", "log.format": "text"},
	"prod": {"profile": "prod", "log.level": "info", "log.format": "json"},
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

// notSettings are variables of the environment that belong to tests and tools.
var notSettings = []string{"FORSOOTH_TEST_"}

// Error is a setting that cannot be used: where it stands, and how to mend it.
type Error struct{ Where, What string }

func (e *Error) Error() string { return e.Where + ": " + e.What }

// Load reads the settings. path may be empty; flags are by key, only those given.
func Load(path string, flags map[string]any) (*Settings, error) {
	file, err := readFile(path)
	if err != nil {
		return nil, err
	}
	environment, err := readEnvironment()
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
	k := koanf.New(".")
	for _, layer := range []map[string]any{profiles["dev"], profiles[profile], file, environment, flags} {
		if err := k.Load(confmap.Provider(layer, "."), nil); err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
	}
	var s Settings
	if err := k.Unmarshal("", &s); err != nil {
		return nil, &Error{where(path), oneLine(err)}
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.Data == "" {
		s.Data, err = DefaultData()
	}
	return &s, err
}

func where(path string) string {
	if path == "" {
		return "settings"
	}
	return path
}

// check refuses values that no part could use.
func (s *Settings) check() error {
	switch {
	case s.Port < 0 || s.Port > 65535:
		return &Error{"port", fmt.Sprintf("is %d; it must lie between 0 and 65535", s.Port)}
	case s.Workers < 1 || s.Workers > 1024:
		return &Error{"workers", fmt.Sprintf("is %d; it must lie between 1 and 1024", s.Workers)}
	case !slices.Contains([]string{"debug", "info", "warn", "error"}, s.Log.Level):
		return &Error{"log.level", fmt.Sprintf("is %q; write debug, info, warn or error", s.Log.Level)}
	case !slices.Contains([]string{"text", "json"}, s.Log.Format):
		return &Error{"log.format", fmt.Sprintf("is %q; write text or json", s.Log.Format)}
	}
	return nil
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
	tree := map[string]any{}
	if err := yaml.Unmarshal(data, &tree); err != nil {
		return nil, &Error{name, "is not YAML: " + oneLine(errors.New(yaml.FormatError(err, false, false)))}
	}
	out := map[string]any{}
	flatten("", tree, out)
	for key := range out {
		if err := known(key); err != nil {
			return nil, &Error{name, err.Error()}
		}
	}
	return out, nil
}

func flatten(prefix string, tree, into map[string]any) {
	for k, v := range tree {
		if sub, ok := v.(map[string]any); ok && len(sub) > 0 {
			flatten(prefix+k+".", sub, into)
			continue
		}
		into[prefix+k] = v
	}
}

// readEnvironment reads FORSOOTH_LOG_LEVEL as log.level.
func readEnvironment() (map[string]any, error) {
	k := koanf.New(".")
	err := k.Load(env.ProviderWithValue(envPrefix, ".", func(key, value string) (string, any) {
		for _, p := range notSettings {
			if strings.HasPrefix(key, p) {
				return "", nil
			}
		}
		name := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(key, envPrefix)), "_", ".")
		if name == "world" {
			return name, filepath.SplitList(value)
		}
		return name, value
	}), nil)
	if err != nil {
		return nil, fmt.Errorf("environment: %w", err)
	}
	out := map[string]any{}
	flatten("", k.Raw(), out)
	for key := range out {
		if err := known(key); err != nil {
			return nil, &Error{envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_")), err.Error()}
		}
	}
	return out, nil
}

// known refuses a key that no setting has.
func known(key string) error {
	keys := Keys()
	if slices.Contains(keys, key) {
		return nil
	}
	return fmt.Errorf("there is no setting %q; did you mean %s?", key, nearest(key, keys))
}

// nearest is the key with the fewest edits.
func nearest(key string, keys []string) string {
	return slices.MinFunc(keys, func(a, b string) int { return edits(key, a) - edits(key, b) })
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
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
