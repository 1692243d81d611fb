package gateway_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/access"
)

// spoken is what each client of examples/openai prints.
type spoken struct {
	Models, Sources                                   []string
	Plain, Finish, Streamed, Response, Typed, Unknown string
	Usage, Completed                                  bool
}

// OpenAI's official clients for Go, Python and JavaScript take what the gateway answers:
// lists, completions, streams, typed events and errors.
func TestTheOfficialClientsOfOpenAI(t *testing.T) {
	installed, err := filepath.Abs("../../.venv/openai")
	must(t, err)
	if _, err := os.Stat(filepath.Join(installed, "ready")); err != nil {
		say := t.Skip
		if os.Getenv("FORSOOTH_TEST_ALL") != "" {
			say = t.Fatal
		}
		say("OpenAI's clients are not installed; run `make openai-clients`")
	}
	with, texts, _ := withKeys(t, access.Key{Name: "sdk", Rights: access.Rights, Player: "p1"})
	s := open(t, with)
	python, err := filepath.Abs("../../examples/openai/python/talk.py")
	must(t, err)
	for name, command := range map[string][]string{
		"Go":         {filepath.Join(installed, "talk-go")},
		"Python":     {filepath.Join(installed, "python", "bin", "python"), python},
		"JavaScript": {"node", filepath.Join(installed, "js", "talk.mjs")},
	} {
		t.Run(name, func(t *testing.T) {
			run := exec.CommandContext(
				t.Context(),
				command[0],
				append(command[1:], "village/mira", "Who owns the ferry?")...)
			run.Env = append(os.Environ(), "OPENAI_BASE_URL="+s.url+"/openai/v1", "OPENAI_API_KEY="+texts["sdk"])
			out, err := run.Output()
			if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
				t.Skipf("%s is not on this machine", command[0])
			}
			var failed *exec.ExitError
			if errors.As(err, &failed) {
				t.Fatalf("%v: %s", err, failed.Stderr)
			}
			must(t, err)
			var got spoken
			must(t, json.Unmarshal(out, &got))
			const words = "Teague owns the ferry."
			if got.Plain != words || got.Streamed != words || got.Response != words || got.Typed != words ||
				got.Finish != "stop" || !got.Usage || !got.Completed ||
				got.Unknown != "model_not_found" ||
				!slices.Equal(got.Models, []string{"village/mira", "village/osric"}) ||
				!slices.Equal(got.Sources, []string{"lore/ferry.txt"}) {
				t.Errorf("%s", out)
			}
		})
	}
}
