package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestTheBrokerIsNamedInShortOrAtLength(t *testing.T) {
	for _, c := range []struct{ name, file, variable, value, want string }{
		{"in short", "nats: nats://a:1\n", "", "", "nats://a:1"},
		{"at length", "nats:\n  url: nats://a:1\n  user: game\n", "", "", "nats://a:1"},
		{"by the short variable", "nats: nats://a:1\n", "FORSOOTH_NATS", "nats://b:1,nats://c:1", "nats://b:1,nats://c:1"},
		{"by the long variable", "nats:\n  user: game\n", "FORSOOTH_NATS_URL", "tls://b:1", "tls://b:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.variable != "" {
				t.Setenv(c.variable, c.value)
			}
			s, err := config.Load(file(t, c.file), nil)
			if err != nil || s.NATS.URL != c.want {
				t.Errorf("got %+v, %v", s, err)
			}
		})
	}
}

func TestWhatTheBrokerCannotBe(t *testing.T) {
	const secret = "hunter2"
	for _, c := range []struct{ name, file, want string }{
		{"a password in the address", "nats: nats://game:" + secret + "@a:1\n", "nats.url: is no plain address"},
		{"a password among the settings", "nats:\n  password: " + secret + "\n",
			"nats.password is no setting: a secret does not belong in a settings file"},
		{"a token among the settings", "nats:\n  token: " + secret + "\n", "nats.token_file"},
		{"two ways of being known", "nats:\n  user: game\n  creds: game.creds\n",
			"more than one of creds, user and token_file"},
		{"a password of nobody", "nats:\n  password_file: p\n", "is a password of nobody"},
		{"a certificate without its key", "nats:\n  tls:\n    cert: c.pem\n", "nats.tls.key go together"},
		{"an inbox that is a wildcard", "nats:\n  inbox: _INBOX.>\n", "nats.inbox: is no prefix"},
		{"the same twice", "nats: nats://a:1\nnats.url: nats://b:1\n", "stands twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := config.Load(file(t, c.file), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	t.Setenv("FORSOOTH_NATS", "nats://a:1")
	t.Setenv("FORSOOTH_NATS_URL", "nats://b:1")
	if _, err := config.Load("", nil); err == nil || !strings.Contains(err.Error(), "keep one") {
		t.Errorf("two variables that disagree: %v", err)
	}
}

func TestSecretsOfTheBrokerComeFromAFileOrTheEnvironment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(path, []byte("from the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FORSOOTH_NATS_PASSWORD", "environment")
	t.Setenv("FORSOOTH_NATS_TOKEN", "token")
	n := config.NATS{User: "game"}
	if p, err := n.Password(); err != nil || p.Reveal() != "environment" {
		t.Errorf("password: %v", err)
	}
	if p, err := n.Token(); err != nil || p.Reveal() != "token" {
		t.Errorf("token: %v", err)
	}
	n.PasswordFile = path
	if _, err := n.Password(); err == nil || strings.Contains(err.Error(), "from the file") {
		t.Errorf("a password of two words: %v", err)
	}
	n.PasswordFile = path + "x"
	if _, err := n.Password(); err == nil || !strings.Contains(err.Error(), "nats.password_file") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestWorkersAreSetForAllPassesOrOne(t *testing.T) {
	t.Setenv("FORSOOTH_WORKERS_REVIEW_SPEECH", "3")
	s, err := config.Load(file(t, "workers:\n  default: 4\n  retrieve: 8\n  memory: 12\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	of := s.Workers.Of()
	if s.Workers.Default() != 4 || s.Workers.Memory() != 12 || of[schema.PassRetrieve] != 8 ||
		of[schema.PassReviewSpeech] != 3 || len(of) != 2 {
		t.Errorf("got %v", s.Workers)
	}
	for _, bad := range []string{"workers: 0\n", "workers:\n  retrieve: -1\n", "workers:\n  speak: 5000\n",
		"workers:\n  memory: -1\n", "workers:\n  memory: 2000\n", "workers:\n  sing: 1\n"} {
		if _, err := config.Load(file(t, bad), nil); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
