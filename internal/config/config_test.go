package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/config"
)

func file(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "forsooth.yaml")
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFlagsOverrideTheEnvironmentWhichOverridesTheFile(t *testing.T) {
	path := file(t, "port: 1\nworkers: 2\nlog:\n  level: error\n")
	t.Setenv("FORSOOTH_WORKERS", "3")
	t.Setenv("FORSOOTH_LOG_LEVEL", "debug")
	s, err := config.Load(path, map[string]any{"log.level": "info"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Port != 1 || s.Workers.Default() != 3 || s.Log.Level != "info" {
		t.Errorf("got %+v", s)
	}
}

func TestTheProdProfileLogsJSON(t *testing.T) {
	s, err := config.Load("", map[string]any{"profile": "prod"})
	if err != nil || s.Log.Format != "json" || s.Workers.Default() != 16 {
		t.Fatalf("%+v, %v", s, err)
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"an unknown key", "profile: dev\nnatz: x\n", `forsooth.yaml:2: there is no setting "natz"; did you mean nats?`},
		{"an unknown inner key", "log:\n  levle: x\n", `forsooth.yaml:2: there is no setting "log.levle"; did you mean ` +
			`log.level?`},
		{"a key twice", "port: 1\nport: 2\n", "forsooth.yaml:2"},
		{"not YAML", "world: x\na: [\n", "forsooth.yaml:2: is not YAML"},
		{"a list at the top", "- port\n", "forsooth.yaml:1: is no mapping"},
		{"a port out of range", "port: 70000\n", "between 0 and 65535"},
		{"no address", "listen: here\n", "write an address such as"},
		{"a word for a number", "workers: many\n", `forsooth.yaml:1: workers.default is "many"; write a whole number`},
		{"a word for a switch", "sync: perhaps\n", "write true or false"},
		{"a list for a word", "data: [a, b]\n", "write one word"},
		{"a list of numbers", "world: [1]\n", "write a list of words"},
		{"an unknown profile", "profile: test\n", "write dev or prod"},
		{"a folder for a file", "", "cannot be read"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := file(t, c.body)
			if c.body == "" {
				path = filepath.Dir(path)
			}
			_, err := config.Load(path, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("err = %v, want one line with %q", err, c.want)
			}
		})
	}
}

func TestAnUnknownVariableIsAnError(t *testing.T) {
	t.Setenv("FORSOOTH_LLM_CALLS_SPEECH_MODEL", "fine")
	for _, name := range []string{"FORSOOTH_NATZ", "FORSOOTH_LOG", "FORSOOTH_LLM_CALLS_SPEECH",
		"FORSOOTH_LLM_CALLS_SPEECH_MODEL_X"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "x")
			if _, err := config.Load("", nil); err == nil || !strings.HasPrefix(err.Error(), name+": there is no setting") {
				t.Errorf("err = %v", err)
			}
		})
	}
}

func TestVariablesOfTestsAndToolsAreNotSettings(t *testing.T) {
	t.Setenv("FORSOOTH_TEST_DATA", "x")
	t.Setenv("FORSOOTH_DEV_LLM_KEY", "x")
	if _, err := config.Load("", nil); err != nil {
		t.Error(err)
	}
}

func TestAnEmptyFileSetsNothing(t *testing.T) {
	for _, body := range []string{"", "# nothing\n", "log:\n", "world:\n"} {
		s, err := config.Load(file(t, body), nil)
		if err != nil || s.Profile != "dev" || len(s.World) != 0 || s.Log.Level != "warn" {
			t.Errorf("%q: %+v, %v", body, s, err)
		}
	}
}

func TestOneWorldIsAListOfOne(t *testing.T) {
	for _, body := range []string{"world: w\n", "world: [w]\n", "world:\n  - w\n"} {
		s, err := config.Load(file(t, body), nil)
		if err != nil || len(s.World) != 1 || s.World[0] != "w" {
			t.Errorf("%q: %+v, %v", body, s, err)
		}
	}
	t.Setenv("FORSOOTH_WORLD", "a"+string(os.PathListSeparator)+"b")
	s, err := config.Load("", nil)
	if err != nil || len(s.World) != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestDataFolderByDefault(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "/x")
	if s, err := config.Load("", nil); err != nil || s.Data != "/x/forsooth" {
		t.Errorf("%+v, %v", s, err)
	}
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "/h")
	if s, err := config.Load("", nil); err != nil || s.Data != "/h/.local/share/forsooth" {
		t.Errorf("%+v, %v", s, err)
	}
}

// Whatever stands in a file, reading it ends with settings or with one line.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{"port: 1\n", "log:\n  level: info\n", "a: [", "- x", "? x\n: y", "world: &a [*a]",
		"port: !!binary x", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		_, err := config.Load(file(t, body), nil)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q gives %q", body, err)
		}
	})
}

// Two settings with one variable would set each other.
func TestEverySettingHasAVariableOfItsOwn(t *testing.T) {
	seen := map[string]string{"FORSOOTH_LLM_KEY": "the key", "FORSOOTH_LLM_SECONDARY_KEY": "the second key"}
	for _, key := range config.Keys() {
		v := config.Variable(key)
		if seen[v] != "" {
			t.Errorf("%s is the variable of %s and of %s", v, seen[v], key)
		}
		seen[v] = key
	}
}
