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
	if s.Port != 1 || s.Workers != 3 || s.Log.Level != "info" {
		t.Errorf("got %+v", s)
	}
}

func TestTheProdProfileLogsJSON(t *testing.T) {
	s, err := config.Load("", map[string]any{"profile": "prod"})
	if err != nil || s.Log.Format != "json" || s.Workers != 16 {
		t.Fatalf("%+v, %v", s, err)
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"an unknown key", "natz: x\n", `did you mean nats?`},
		{"an unknown inner key", "log:\n  levle: x\n", `did you mean log.level?`},
		{"not YAML", "a: [\n", "is not YAML"},
		{"a port out of range", "port: 70000\n", "between 0 and 65535"},
		{"a word for a number", "workers: many\n", "workers"},
		{"an unknown profile", "profile: test\n", "write dev or prod"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := config.Load(file(t, c.body), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("err = %v, want one line with %q", err, c.want)
			}
		})
	}
}

func TestAnUnknownVariableIsAnError(t *testing.T) {
	t.Setenv("FORSOOTH_NATZ", "x")
	if _, err := config.Load("", nil); err == nil || !strings.Contains(err.Error(), "FORSOOTH_NATZ") {
		t.Errorf("err = %v", err)
	}
}

func TestVariablesOfTestsAreNotSettings(t *testing.T) {
	t.Setenv("FORSOOTH_TEST_DATA", "x")
	if _, err := config.Load("", nil); err != nil {
		t.Error(err)
	}
}
