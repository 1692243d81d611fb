// Package clients_test plays the transcript of examples/conformance with each client against a real gateway.
package clients_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/services/gateway"
	"github.com/forsooth-npc/forsooth/worlds"
)

// transcript is what every client plays; examples/conformance/README.md describes it.
type transcript struct {
	World string `json:"world"`
	Steps []struct {
		Name  string `json:"name"`
		Turns []struct {
			Player string `json:"player"`
			TurnID string `json:"turn_id"`
		} `json:"turns"`
		Cuts   []int      `json:"cuts"`
		Stalls []int      `json:"stalls"`
		Expect []expected `json:"expect"`
	} `json:"steps"`
}

// expected is what must be heard of one turn. What it leaves out may be anything.
type expected struct {
	Sentences *[]string `json:"sentences"`
	Count     int       `json:"count"` // of sentences
	Actions   []action  `json:"actions"`
	Status    string    `json:"status"`
	Reason    string    `json:"reason"`
	Language  string    `json:"language"`
	Problem   *problem  `json:"problem"`
}

type action struct {
	Name       string         `json:"name"`
	Parameters map[string]any `json:"parameters"`
	Confirm    bool           `json:"confirm"`
}

type problem struct {
	Code  string `json:"code"`
	Field string `json:"field"`
}

// heard is the line that a client's player prints of each turn.
type heard struct {
	Step      string   `json:"step"`
	Turn      int      `json:"turn"`
	Sentences []string `json:"sentences"`
	Spoken    []struct {
		Text     string `json:"text"`
		NPC      string `json:"npc"`
		Language string `json:"language"`
		Index    int    `json:"index"`
	} `json:"spoken"` // what the hook for speech synthesis was given
	Actions []action `json:"actions"`
	Status  string   `json:"status"`
	Reason  string   `json:"reason"`
	Reply   string   `json:"reply"`
	Problem *problem `json:"problem"`
}

const transcriptFile = "../examples/conformance/transcript.json"

func readTranscript(t *testing.T) *transcript {
	t.Helper()
	data, err := os.ReadFile(transcriptFile)
	must(t, err)
	var out transcript
	must(t, json.Unmarshal(data, &out))
	return &out
}

// site is a gateway over hollowmere without a model, behind a wire that breaks where the transcript says.
type site struct {
	direct, url, key string
}

func open(t *testing.T, script *transcript) *site {
	t.Helper()
	w, problems, err := world.Load(worlds.FS, "hollowmere")
	if err != nil || len(world.Errors(problems)) > 0 {
		t.Fatal(err, problems)
	}
	a, err := app.Start(t.Context(), app.Options{Worlds: []*world.World{w}, Data: t.TempDir(), Meaning: app.MeaningOff})
	must(t, err)
	running(t, func(ctx context.Context) error { return a.Run(ctx) }, a.Close)
	<-a.Mesh.Bound()
	c, err := client.Connect(t.Context(), a.Server.URL(), client.Options{})
	must(t, err)
	t.Cleanup(c.Close)
	ring, err := access.OpenRing(t.TempDir()+"/keys.json", time.Now)
	must(t, err)
	made, text, err := access.Make(access.Key{Name: "engine", Rights: access.Rights}, bytes.NewReader(make([]byte, 64)),
		time.Now())
	must(t, err)
	must(t, ring.Add(made))
	g, err := gateway.New(gateway.Options{Client: c, Keys: ring, Origins: []string{"*"},
		Report: func(err error) { t.Errorf("reported: %v", err) }})
	must(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	running(t, func(ctx context.Context) error { return g.Serve(ctx, listener) }, func() {})
	direct := "http://" + listener.Addr().String()
	return &site{direct, breaking(t, direct, script), text}
}

// running runs something until the test ends.
func running(t *testing.T, run func(context.Context) error, after func()) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil && !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		after()
	})
}

// token lets a client speak as one player.
func (s *site) token(t *testing.T, player string) string {
	t.Helper()
	body, _ := json.Marshal(gateway.TokenRequest{World: "hollowmere", Player: player})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.direct+"/v1/tokens", bytes.NewReader(body))
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(r)
	must(t, err)
	defer resp.Body.Close()
	var out gateway.Token
	must(t, json.NewDecoder(resp.Body).Decode(&out))
	return out.Token
}

// player is the program of a client that plays the transcript over one transport.
type player struct {
	name    string
	command func(t *testing.T) []string // of the program; it skips the test where the runtime is missing
	args    []string
}

// Each client hears what the transcript expects, over each of its transports: nothing is lost and nothing comes
// twice, where the connection breaks too.
func TestEachClientPlaysTheTranscript(t *testing.T) {
	script := readTranscript(t)
	s := open(t, script)
	for _, p := range players {
		t.Run(p.name, func(t *testing.T) {
			command := append(p.command(t), p.args...)
			ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
			defer stop()
			run := exec.CommandContext(ctx, command[0], command[1:]...)
			file, err := filepath.Abs(transcriptFile)
			must(t, err)
			run.Env = append(os.Environ(), "FORSOOTH_URL="+s.url, "FORSOOTH_KEY="+s.key, "FORSOOTH_TRANSCRIPT="+file,
				"FORSOOTH_WHO="+p.name, "FORSOOTH_TOKEN="+s.token(t, "token-"+p.name))
			var errs bytes.Buffer
			run.Stderr = &errs
			out, err := run.Output()
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, out, errs.String())
			}
			compare(t, script, lines(t, out))
			if t.Failed() {
				t.Logf("%s\n%s", out, errs.String())
			}
		})
	}
}

// lines are what a player has printed; an engine prints lines of its own between them.
func lines(t *testing.T, out []byte) map[string][]heard {
	t.Helper()
	all := map[string][]heard{}
	for scan := bufio.NewScanner(bytes.NewReader(out)); scan.Scan(); {
		if !strings.HasPrefix(scan.Text(), "{") {
			continue
		}
		var h heard
		if err := json.Unmarshal(scan.Bytes(), &h); err != nil {
			t.Fatalf("%s: %v", scan.Text(), err)
		}
		if h.Turn != len(all[h.Step]) {
			t.Errorf("%s: turn %d is told of where %d is next", h.Step, h.Turn, len(all[h.Step]))
		}
		all[h.Step] = append(all[h.Step], h)
	}
	return all
}

func compare(t *testing.T, script *transcript, all map[string][]heard) {
	t.Helper()
	for _, step := range script.Steps {
		if len(all[step.Name]) != len(step.Expect) {
			t.Errorf("%s: %d of %d turns were heard", step.Name, len(all[step.Name]), len(step.Expect))
			continue
		}
		for i, want := range step.Expect {
			if fault := want.compare(&all[step.Name][i]); fault != "" {
				t.Errorf("%s, turn %d: %s", step.Name, i, fault)
			}
		}
	}
}

// compare says what was heard otherwise than expected; nothing where all is as it should be.
func (e *expected) compare(h *heard) string {
	var spoken []string
	for i, s := range h.Spoken {
		if s.Index != i || s.NPC == "" || e.Language != "" && s.Language != e.Language || s.Language == "" {
			return "the hook for speech was given " + asJSON(h.Spoken)
		}
		spoken = append(spoken, s.Text)
	}
	switch {
	case !reflect.DeepEqual(h.Problem, e.Problem):
		return "the problem is " + asJSON(h.Problem)
	case h.Status != e.Status && e.Status != "" || e.Problem == nil && e.Reason != "" && h.Reason != e.Reason:
		return "it ended with " + h.Status + " " + h.Reason
	case e.Sentences != nil && !slices.EqualFunc(h.Sentences, *e.Sentences, endsWith),
		e.Count > 0 && len(h.Sentences) != e.Count:
		return "the sentences are " + asJSON(h.Sentences)
	case strings.Join(h.Sentences, " ") != h.Reply:
		return "the sentences are " + asJSON(h.Sentences) + ", the reply is " + h.Reply
	case strings.Join(spoken, "|") != strings.Join(h.Sentences, "|"):
		return "the hook for speech was given " + asJSON(h.Spoken)
	case len(h.Actions) != len(e.Actions), len(e.Actions) > 0 && !reflect.DeepEqual(h.Actions, e.Actions):
		return "the actions are " + asJSON(h.Actions)
	}
	return ""
}

// endsWith takes a word in front: an NPC may begin a sentence with one of its own, as in "Well, the long scar …".
func endsWith(said, want string) bool {
	return strings.HasSuffix(strings.ToLower(said), strings.ToLower(want))
}

func asJSON(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
