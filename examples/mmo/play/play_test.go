package play_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/examples/mmo/play"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// thinking is a model that takes longer to begin than a player does who says something
// else instead: a message that follows finds the one before still under way.
func thinking(t *testing.T) string {
	t.Helper()
	m, err := llmtest.Start(llmtest.Options{Pace: llmtest.Pace{First: 500 * time.Millisecond}, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m.URL()
}

// hollowmere is a whole mesh in this process, whose NPCs speak with a model where one is
// named, and the address of its broker.
func hollowmere(t *testing.T, model string) string {
	t.Helper()
	ws, _, err := app.LoadWorlds(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := app.Options{Worlds: ws, Data: t.TempDir(), Meaning: app.MeaningOff}
	if model != "" {
		o.LLM = llm.Config{Primary: llm.Provider{URL: model, Model: "scripted"}}
	}
	a, err := app.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		a.Close()
	})
	return a.Server.URL()
}

func proxyTo(t *testing.T, url string) *faults.Proxy {
	t.Helper()
	p, err := faults.Listen(strings.TrimPrefix(url, "nats://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// load is the run that is cut in its middle: a deadline that a busy test machine
// keeps, eight seconds at least, shards that crash.
func load(p *faults.Proxy) []string {
	return []string{"-nats", "nats://" + p.Addr(), "-players", "20", "-turns", "200", "-rate", "25", "-duration", "5m",
		"-deadline", "40s", "-restart", "2s", "-seed", "7", "-json"}
}

// cut takes the connection to the broker away for two seconds, three seconds after
// the start; the run must go on behind it.
func cut(t *testing.T, p *faults.Proxy, run func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); run() }()
	for _, step := range []struct {
		after time.Duration
		do    func()
	}{{3 * time.Second, p.Down}, {2 * time.Second, p.Up}} {
		select {
		case <-time.After(step.after):
			step.do()
		case <-done:
			t.Error("the run was over before it was cut")
			return
		}
	}
	<-done
}

// nothingLost holds a report against what every run must show.
func nothingLost(t *testing.T, code int, out []byte) {
	t.Helper()
	var r play.Report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("exit %d, %v in %q", code, err, out)
	}
	t.Logf("%s", out)
	if code != 0 || !r.Kept() || r.Turns < 200 || r.Replies != r.Turns || r.Abandoned != 0 {
		t.Errorf("exit %d, %d turns, %d replies, %d late, %d unanswered", code, r.Turns, r.Replies, r.Late, r.Unanswered)
	}
	if r.Restarts == 0 || r.Resumed == 0 || r.Reasons["SUPERSEDED"] == 0 || len(r.Actions) == 0 || r.Events == 0 {
		t.Errorf("the run was too tame: %d restarts, %d resumed, %v, %v, %d events", r.Restarts, r.Resumed, r.Reasons,
			r.Actions, r.Events)
	}
}

func TestTwoHundredTurnsOverABrokenConnection(t *testing.T) {
	p := proxyTo(t, hollowmere(t, thinking(t)))
	var out, errOut bytes.Buffer
	code := -1
	cut(t, p, func() { code = play.Command(t.Context(), load(p), nil, &out, &errOut) })
	nothingLost(t, code, out.Bytes())
	if errOut.Len() > 0 {
		t.Errorf("it says %q", errOut.String())
	}
}

// The same with both programs as processes of their own.
func TestAgainstTheBinary(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds two binaries")
	}
	dir := t.TempDir()
	build := func(name, pkg string) string {
		path := filepath.Join(dir, name)
		if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, pkg).CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", name, err, out)
		}
		return path
	}
	up := exec.Command(build("forsooth", "../../../cmd/forsooth"), "up", "--data", filepath.Join(dir, "data"), "--json",
		"--llm-url", thinking(t), "--llm-model", "scripted")
	up.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "HOME="+dir)
	up.Stderr = os.Stderr
	said, err := up.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = up.Process.Signal(syscall.SIGTERM)
		if err := up.Wait(); err != nil {
			t.Errorf("forsooth up ended with %v", err)
		}
	})
	var ready struct{ NATS string }
	if err := json.NewDecoder(said).Decode(&ready); err != nil {
		t.Fatal(err)
	}
	p := proxyTo(t, ready.NATS)
	game := exec.CommandContext(t.Context(), build("mmo", ".."), load(p)...)
	var out, errOut bytes.Buffer
	game.Stdout, game.Stderr = &out, &errOut
	cut(t, p, func() { err = game.Run() })
	nothingLost(t, game.ProcessState.ExitCode(), out.Bytes())
	if err != nil {
		t.Errorf("%v: %s", err, errOut.String())
	}
}

// The first ctrl-c ends the playing, and what is under way is heard to its end.
func TestCtrlCHearsTheTurnsUnderWay(t *testing.T) {
	url := hollowmere(t, "")
	signals := make(chan os.Signal, 1)
	timer := time.AfterFunc(2*time.Second, func() { signals <- os.Interrupt })
	defer timer.Stop()
	var out, errOut bytes.Buffer
	code := play.Command(t.Context(), []string{"-nats", url, "-players", "4", "-duration", "10m", "-deadline", "40s",
		"-restart", "0", "-json"}, signals, &out, &errOut)
	var r play.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || code != 0 || r.Turns == 0 || r.Replies != r.Turns {
		t.Errorf("exit %d, %v, %s", code, err, out.String())
	}
	if n := strings.Count(errOut.String(), "\n"); n != 1 {
		t.Errorf("it says %q, want one line", errOut.String())
	}
}

func TestWhatCannotBePlayed(t *testing.T) {
	for _, c := range []struct {
		name, want string
		code       int
		args       []string
	}{
		{"no mesh", "no NATS server answers at nats://127.0.0.1:1", 3, []string{"-nats", "nats://127.0.0.1:1"}},
		{"no players", "-players", 2, []string{"-players", "0"}},
		{"a word", `"fast"`, 2, []string{"fast"}},
		{"a deadline", "between 2s and 60s", 2, []string{"-deadline", "1s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			if code := play.Command(t.Context(), c.args, nil, &out, &errOut); code != c.code ||
				!strings.Contains(errOut.String(), c.want) || strings.Count(errOut.String(), "\n") != 1 {
				t.Errorf("exit %d, it says %q", code, errOut.String())
			}
		})
	}
}

// A game backend needs the SDK and the wire contract, and nothing else of Forsooth.
func TestTheExampleImportsTheSDKAlone(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{join .Imports "\n"}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	own := "github.com/forsooth-npc/forsooth/"
	for path := range strings.FieldsSeq(string(out)) {
		if strings.Contains(path, ".") && path != own+"pkg/client" && path != own+"pkg/schema" {
			t.Error(fmt.Sprint("it imports ", path))
		}
	}
}
