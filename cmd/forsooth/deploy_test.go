package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
)

const checkout = "../.."

// container is a process as a deployment starts it.
type container struct {
	name, image string
	args        []string
	env         map[string]string
}

func readCheckout(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(checkout, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// defaulted is a variable of compose with what it is without one.
var defaulted = regexp.MustCompile(`\$\{\w+:-([^}]*)\}`)

// composed are the services of docker-compose.yml: those that run forsooth, and all.
func composed(t *testing.T) (ours, all []container) {
	t.Helper()
	var doc struct {
		Services map[string]struct {
			Image       string
			Command     []string
			Environment map[string]string
		}
	}
	if err := yaml.Unmarshal(readCheckout(t, "docker-compose.yml"), &doc); err != nil {
		t.Fatal(err)
	}
	for name, s := range doc.Services {
		for key, value := range s.Environment {
			s.Environment[key] = defaulted.ReplaceAllString(value, "$1")
		}
		c := container{name, s.Image, s.Command, s.Environment}
		all = append(all, c)
		if s.Image == "forsooth:dev" && name != "migrate" {
			ours = append(ours, c)
		}
	}
	return ours, all
}

// deployed are the pods of k8s/base that run forsooth, with their settings.
func deployed(t *testing.T) (out []container) {
	t.Helper()
	var settings struct{ Data map[string]string }
	if err := yaml.Unmarshal(readCheckout(t, "k8s/base/settings.yaml"), &settings); err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(readCheckout(t, "k8s/base/services.yaml")), "\n---\n") {
		var doc struct {
			Metadata struct{ Name string }
			Spec     struct {
				Template struct {
					Spec struct {
						Containers []struct {
							Image string
							Args  []string
							Env   []struct{ Name, Value string }
							Ports []struct {
								Port int `yaml:"containerPort"`
							}
						}
					}
				}
			}
		}
		if err := yaml.Unmarshal([]byte(part), &doc); err != nil {
			t.Fatal(err)
		}
		for _, c := range doc.Spec.Template.Spec.Containers {
			env := map[string]string{}
			for name, value := range settings.Data {
				env[name] = value
			}
			for _, e := range c.Env {
				env[e.Name] = e.Value
			}
			if len(c.Ports) != 1 || !strings.HasSuffix(env["FORSOOTH_LISTEN"], fmt.Sprint(":", c.Ports[0].Port)) {
				t.Errorf("%s serves health at %s and opens %v", doc.Metadata.Name, env["FORSOOTH_LISTEN"], c.Ports)
			}
			out = append(out, container{doc.Metadata.Name, c.Image, c.Args, env})
		}
	}
	return out
}

// Each service runs once, by its own name, with settings that there are.
func TestDeploymentsNameServicesAndSettingsThatThereAre(t *testing.T) {
	known := map[string]bool{"FORSOOTH_LLM_KEY": true, "FORSOOTH_NATS_PASSWORD": true}
	for _, key := range config.Keys() {
		known[config.Variable(key)] = true
	}
	compose, _ := composed(t)
	for file, all := range map[string][]container{"docker-compose.yml": compose, "k8s/base": deployed(t)} {
		var services []string
		for _, c := range all {
			if len(c.args) != 2 || c.args[0] != "serve" || c.args[1] != c.name {
				t.Errorf("%s: %s runs %v", file, c.name, c.args)
				continue
			}
			services = append(services, c.args[1])
			if c.env["FORSOOTH_NATS_USER"] != c.name {
				t.Errorf("%s: %s is %q to the broker", file, c.name, c.env["FORSOOTH_NATS_USER"])
			}
			for name := range c.env {
				if !known[name] {
					t.Errorf("%s: %s sets %s, which is no setting", file, c.name, name)
				}
			}
		}
		slices.Sort(services)
		if want := slices.Sorted(slices.Values(app.Services)); !slices.Equal(services, want) {
			t.Errorf("%s runs %v, want %v", file, services, want)
		}
	}
}

// The configuration that deployments run under is the one that the binary writes.
func TestDeploymentsHaveTheAccountsThatAreWritten(t *testing.T) {
	got := newSite(t).run("nats-accounts", "hollowmere", "shadowwatch")
	got.wants(t, exitFine)
	path := filepath.Join(checkout, "k8s/base/nats-accounts.conf")
	if *update {
		if err := os.WriteFile(path, []byte(got.out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got.out != string(readCheckout(t, "k8s/base/nats-accounts.conf")) {
		t.Errorf("%s differs; go test ./cmd/forsooth -run %s -update writes it", path, t.Name())
	}
	newSite(t).run("nats-accounts", "a.b").wants(t, exitUsage, "world")
}

// The servers of a deployment are of the versions that this build is tested with.
func TestDeploymentsNameTheVersionsOfGoMod(t *testing.T) {
	module := string(readCheckout(t, "go.mod"))
	version := func(path string) string {
		m := regexp.MustCompile(regexp.QuoteMeta(path) + ` v(\d+\.\d+\.\d+)`).FindStringSubmatch(module)
		if m == nil {
			t.Fatalf("go.mod has no %s", path)
		}
		return m[1]
	}
	nats, qdrant := "nats:"+version("github.com/nats-io/nats-server/v2")+"-alpine", "qdrant/qdrant:v"+version("github.com/qdrant/go-client")
	for file, want := range map[string][]string{"docker-compose.yml": {nats, qdrant}, "k8s/base/nats.yaml": {nats}, "k8s/base/qdrant.yaml": {qdrant}} {
		for _, image := range want {
			if !strings.Contains(string(readCheckout(t, file)), "image: "+image) {
				t.Errorf("%s does not name %s", file, image)
			}
		}
	}
	golang := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(module)[1]
	if !strings.Contains(string(readCheckout(t, "Dockerfile")), "golang:"+golang) {
		t.Errorf("Dockerfile does not build with Go %s", golang)
	}
}

// The commands of docker-compose.yml, each as a process with its own variables,
// against a nats-server process, answer a turn; and what KEDA is told to look at is
// what they work on. Qdrant and the sidecar are left out here: both have tests of their
// own, and without them a fleet of one machine shares a data folder.
func TestTheComposedFleetAnswersATurn(t *testing.T) {
	containers, all := composed(t)
	for name, value := range all[slices.IndexFunc(all, func(c container) bool { return c.name == "nats" })].env {
		t.Setenv(name, value)
	}
	server := natstest.Start(t, string(readCheckout(t, "k8s/base/nats-accounts.conf"))+natstest.JetStream(t))
	s := newSite(t)
	village := s.village()
	first := slices.IndexFunc(all, func(c container) bool { return c.name == "migrate" })
	for _, c := range append(all[first:first+1:first+1], containers...) {
		env := []string{"FORSOOTH_WORLD=" + village}
		for name, value := range c.env {
			switch name {
			case "FORSOOTH_QDRANT_URL", "FORSOOTH_GROUNDING_NLI_URL":
				continue
			case "FORSOOTH_NATS_URL":
				value = server.URL
			case "FORSOOTH_DATA":
				value = s.path("fleet")
			case "FORSOOTH_LISTEN":
				value = "127.0.0.1:0"
			}
			env = append(env, name+"="+value)
		}
		s.extra = env
		if c.name == "migrate" {
			s.run(c.args...).wants(t, exitFine)
			continue
		}
		s.start(c.args...).says("ready in .*" + c.name + " on " + server.URL)
	}
	s.extra = []string{"FORSOOTH_NATS_USER=operator", "FORSOOTH_NATS_PASSWORD=local-operator"}
	r := s.run("chat", "--world", village, "--nats", server.URL, "--once", "Who owns the ferry?", "--json")
	r.wants(t, exitFine)
	if reply := r.object(t)["reply"]; reply != "Teague owns the ferry." {
		t.Errorf("reply %v", reply)
	}
	s.run("doctor", "--world", village, "--nats", server.URL).wants(t, exitFine)

	operator := mesh.Login{User: "operator", Password: func() (string, error) { return "local-operator", nil }}
	conn, err := mesh.Connect(t.Context(), mesh.Dial{URL: server.URL, Name: t.Name(), Login: operator})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, consumers, err := mesh.NewClient(conn).Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	watched := map[string]bool{}
	for _, m := range regexp.MustCompile(`stream: (\w+), consumer: ([\w-]+),`).FindAllStringSubmatch(string(readCheckout(t, "k8s/overlays/prod/scaling.yaml")), -1) {
		watched[m[1]+" "+m[2]] = true
	}
	for _, c := range consumers {
		if !watched[c.Stream+" "+c.Name] && c.Name != mesh.ConsumerScan {
			t.Errorf("nothing scales by consumer %s of %s", c.Name, c.Stream)
		}
		delete(watched, c.Stream+" "+c.Name)
	}
	if len(watched) > 0 {
		t.Errorf("scaling.yaml names consumers that nobody has: %v", watched)
	}
}

// docs/security.md claims nothing whose test or file is gone.
func TestTheThreatModelNamesWhatThereIs(t *testing.T) {
	doc := string(readCheckout(t, "docs/security.md"))
	tests := map[string]bool{}
	err := filepath.WalkDir(checkout, func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			if d != nil && d.IsDir() && (d.Name() == ".venv" || d.Name() == ".git" || d.Name() == "bin") {
				return filepath.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(data, -1) {
			tests[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(doc, -1)
	if len(named) < 20 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, m := range named {
		if !tests[m[1]] {
			t.Errorf("%s is named and is not there", m[1])
		}
	}
	for _, m := range regexp.MustCompile("`((?:internal|k8s|services)/[\\w./-]+)`").FindAllStringSubmatch(doc, -1) {
		readCheckout(t, m[1])
	}
}
