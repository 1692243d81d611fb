package main

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
)

const checkout = "../.."

// container is a process as a deployment starts it.
type container struct {
	name, image string
	args        []string
	env         map[string]string
	memory      int // that it reserves, in MiB; 0 where nothing is said
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
		c := container{name: name, image: s.Image, args: s.Command, env: s.Environment}
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
	manifests := string(readCheckout(t, "k8s/base/services.yaml")) + "\n---\n" +
		string(readCheckout(t, "k8s/base/gateway.yaml"))
	for _, part := range strings.Split(manifests, "\n---\n") {
		var doc struct {
			Metadata struct{ Name string }
			Spec     struct {
				Template struct {
					Spec struct {
						Containers []struct {
							Image     string
							Args      []string
							Env       []struct{ Name, Value string }
							Resources struct{ Requests struct{ Memory string } }
							Ports     []struct {
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
			listens := []string{env["FORSOOTH_LISTEN"]}
			if doc.Metadata.Name == serviceGateway {
				listens = []string{env["FORSOOTH_HTTP_LISTEN"], env["FORSOOTH_LISTEN"]}
			}
			for i, address := range listens {
				if len(c.Ports) != len(listens) || !strings.HasSuffix(address, fmt.Sprint(":", c.Ports[i].Port)) {
					t.Errorf("%s listens at %s and opens %v", doc.Metadata.Name, address, c.Ports)
				}
			}
			memory, err := strconv.Atoi(strings.TrimSuffix(c.Resources.Requests.Memory, "Mi"))
			if err != nil {
				t.Errorf("%s: memory in Mi, not %q: %v", doc.Metadata.Name, c.Resources.Requests.Memory, err)
			}
			out = append(out, container{doc.Metadata.Name, c.Image, c.Args, env, memory})
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
		want := slices.Sorted(slices.Values(append([]string{serviceGateway}, app.Services...)))
		if !slices.Equal(services, want) {
			t.Errorf("%s runs %v, want %v", file, services, want)
		}
	}
}

// Prometheus asks every process of docker-compose.yml, where it serves its metrics.
func TestPrometheusAsksEveryProcess(t *testing.T) {
	var asked struct {
		Jobs []struct {
			Static []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal(readCheckout(t, "k8s/monitoring/prometheus.yml"), &asked); err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, job := range asked.Jobs {
		for _, s := range job.Static {
			targets = append(targets, s.Targets...)
		}
	}
	ours, _ := composed(t)
	for _, c := range ours {
		_, port, err := net.SplitHostPort(c.env["FORSOOTH_LISTEN"])
		if err != nil || !slices.Contains(targets, c.name+":"+port) {
			t.Errorf("%s listens at %q, and Prometheus asks %v", c.name, c.env["FORSOOTH_LISTEN"], targets)
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
	nats, qdrant := "nats:"+version("github.com/nats-io/nats-server/v2")+"-alpine",
		"qdrant/qdrant:v"+version("github.com/qdrant/go-client")
	for file, want := range map[string][]string{"docker-compose.yml": {nats, qdrant}, "k8s/base/nats.yaml": {nats},
		"k8s/base/qdrant.yaml": {qdrant}} {
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
// what they work on. Qdrant and the sidecar are left out here: without them a fleet of one
// machine shares a data folder.
func TestTheComposedFleetAnswersATurn(t *testing.T) {
	s := newSite(t)
	village := s.village()
	server := s.broker(t)
	running := s.compose(t, server, func(string) map[string]string {
		return map[string]string{"FORSOOTH_WORLD": village, "FORSOOTH_QDRANT_URL": "", "FORSOOTH_DATA": s.path("fleet")}
	})
	s.asOperator()
	r := s.run("chat", "--world", village, "--nats", server.URL, "--once", "Who owns the ferry?", "--json")
	r.wants(t, exitFine)
	if reply := r.object(t)["reply"]; reply != "Teague owns the ferry." {
		t.Errorf("reply %v", reply)
	}
	s.run("doctor", "--world", village, "--nats", server.URL).wants(t, exitFine)
	door := running[serviceGateway].says(`HTTP at (\S+)/v1,`)[1]
	if status, said := say(t, door, "", "Who owns the ferry?"); status != http.StatusOK ||
		!strings.Contains(said, "Teague owns the ferry.") {
		t.Errorf("over HTTP: %d %s", status, said)
	}

	_, consumers, err := newBackendAs(t, server.URL, operator).client.Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	watched := map[string]bool{}
	for _, m := range regexp.MustCompile(`stream: (\w+), consumer: ([\w-]+),`).FindAllStringSubmatch(
		string(readCheckout(t, "k8s/overlays/prod/scaling.yaml")), -1) {
		watched[m[1]+" "+m[2]] = true
	}
	for _, c := range consumers {
		if !watched[c.Stream+" "+c.Name] && c.Name != mesh.ConsumerScan && c.Name != mesh.ConsumerReport {
			t.Errorf("nothing scales by consumer %s of %s", c.Name, c.Stream)
		}
		delete(watched, c.Stream+" "+c.Name)
	}
	if len(watched) > 0 {
		t.Errorf("scaling.yaml names consumers that nobody has: %v", watched)
	}
}

// operator is who administers the composed broker.
var operator = transport.Login{User: "operator", Password: func() (string, error) { return "local-operator", nil }}

// asOperator runs the commands that follow with the operator's name and password.
func (s *site) asOperator() {
	s.extra = []string{"FORSOOTH_NATS_USER=operator", "FORSOOTH_NATS_PASSWORD=local-operator"}
}

// broker starts the nats-server of docker-compose.yml as a process, on an empty folder.
func (s *site) broker(t *testing.T) *natstest.Server {
	t.Helper()
	_, all := composed(t)
	for name, value := range all[slices.IndexFunc(all, func(c container) bool { return c.name == "nats" })].env {
		t.Setenv(name, value)
	}
	return natstest.Start(t, string(readCheckout(t, "k8s/base/nats-accounts.conf"))+natstest.JetStream(t))
}

// compose starts the services of docker-compose.yml that run forsooth as processes,
// after the job that makes the streams. What a container is given otherwise than a process
// here comes from the caller, by service; an empty value leaves the variable away.
func (s *site) compose(
	t *testing.T, server *natstest.Server, given func(service string) map[string]string,
) map[string]*process {
	t.Helper()
	containers, all := composed(t)
	first := slices.IndexFunc(all, func(c container) bool { return c.name == "migrate" })
	running := map[string]*process{}
	for _, c := range append(all[first:first+1:first+1], containers...) {
		env := maps.Clone(c.env)
		maps.Copy(env, map[string]string{"FORSOOTH_NATS_URL": server.URL, "FORSOOTH_LISTEN": "127.0.0.1:0",
			"FORSOOTH_HTTP_LISTEN": "127.0.0.1:0", "FORSOOTH_GROUNDING_NLI_URL": ""})
		maps.Copy(env, given(c.name))
		s.extra = nil
		for name, value := range env {
			if value != "" {
				s.extra = append(s.extra, name+"="+value)
			}
		}
		if c.name == "migrate" {
			s.run(c.args...).wants(t, exitFine)
			continue
		}
		running[c.name] = s.start(c.args...)
	}
	s.extra = nil
	for name, p := range running {
		p.says("ready.* " + name + " on " + server.URL)
	}
	return running
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
