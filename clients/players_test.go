package clients_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// players are the clients, each over each of its transports.
var players = []player{
	{"js-http", node, []string{"js/conformance.mjs", "http"}},
	{"js-socket", node, []string{"js/conformance.mjs", "socket"}},
	{"python-http", python, []string{"python/conformance.py", "http"}},
	{"python-aio", python, []string{"python/conformance.py", "aio"}},
	{"python-socket", python, []string{"python/conformance.py", "socket"}},
	{"godot3-socket", godot3, []string{"--path", "godot3", "res://conformance.tscn"}},
	{"dotnet-http", mono("Conformance"), []string{"http"}},
	{"dotnet-socket", mono("Conformance"), []string{"socket"}},
	{"godot4-socket", godot4, []string{"--path", "godot4", "res://conformance.tscn"}},
}

// examples are what each README tells a reader to run.
var examples = []player{
	{"js", node, []string{"js/example.mjs", "Will you give me a quest?"}},
	{"python", python, []string{"python/example.py", "Will you give me a quest?"}},
	{"godot3", godot3, []string{"--path", "godot3"}},
	{"dotnet", mono("Example"), nil},
	{"godot4", godot4, []string{"--path", "godot4"}},
}

// node runs JavaScript. Before version 22 its WebSocket wants a flag.
func node(t *testing.T) []string {
	return []string{need(t, "node"), "--experimental-websocket", "--no-warnings"}
}

// TestMain wants what "make engine-clients" installs where all tests must run. A runtime that it could not install is
// left out there too.
func TestMain(m *testing.M) {
	if _, err := os.Stat("../.venv/engines/ready"); err != nil && os.Getenv("FORSOOTH_TEST_ALL") != "" {
		fmt.Fprintln(os.Stderr, "the runtimes of the clients are not installed; run `make engine-clients`")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// need is the path of the first program of these that is on this machine; without one the test is left out.
func need(t *testing.T, programs ...string) string {
	t.Helper()
	for _, program := range programs {
		path, err := exec.LookPath(program)
		if err != nil {
			continue
		}
		if path, err = filepath.Abs(path); err == nil {
			return path
		}
	}
	t.Skipf("%s is not on this machine; `make engine-clients` installs what Debian has", filepath.Base(programs[0]))
	return ""
}

// python is that of `make engine-clients`, which has the packages.
func python(t *testing.T) []string {
	return []string{need(t, "../.venv/engines/python/bin/python")}
}

func godot3(t *testing.T) []string { return []string{need(t, "godot3-server", "godot3-runner")} }

func godot4(t *testing.T) []string { return []string{need(t, "godot4"), "--headless"} }

// mono compiles the client with one program as C# 7, the oldest that Unity takes, and runs it.
func mono(program string) func(t *testing.T) []string {
	return func(t *testing.T) []string {
		t.Helper()
		run, out := need(t, "mono"), filepath.Join(t.TempDir(), program+".exe")
		compile := exec.CommandContext(t.Context(), need(t, "mcs"), "-langversion:7", "-warn:4", "-warnaserror",
			"-r:System.Net.Http", "-out:"+out, "dotnet/Forsooth.cs", "dotnet/"+program+".cs")
		if said, err := compile.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		return []string{run, out}
	}
}
