// Package checks_test holds docker-compose.yml and the manifests of k8s against the
// types of those who read them: compose-go, Kubernetes and kustomize. It is a module
// of its own, for their sake; `make k8s-checks` runs it. What the binary itself must
// accept is tested in cmd/forsooth.
package checks_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

func TestComposeReadsItsFile(t *testing.T) {
	options, err := cli.NewProjectOptions([]string{"../../docker-compose.yml"}, cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(project.Services) < 13 {
		t.Errorf("%d services", len(project.Services))
	}
	for name, s := range project.Services {
		for _, v := range s.Volumes {
			if v.Type != "bind" {
				continue
			}
			if _, err := os.Stat(v.Source); err != nil {
				t.Errorf("%s mounts what is not there: %v", name, err)
			}
		}
		if s.Build != nil {
			if !s.ReadOnly || len(s.CapDrop) == 0 {
				t.Errorf("%s may write to its root or has capabilities", name)
			}
			if _, err := os.Stat(s.Build.Context); err != nil {
				t.Errorf("%s is built from nowhere: %v", name, err)
			}
		}
		for _, p := range s.Ports {
			if p.HostIP != "127.0.0.1" {
				t.Errorf("%s opens port %s to every host", name, p.Published)
			}
		}
	}
}

// scaledObject is as much of KEDA's type as is used here; its own module is large.
type scaledObject struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   map[string]string `json:"metadata"`
	Spec       struct {
		ScaleTargetRef  struct{ Name string } `json:"scaleTargetRef"`
		MinReplicaCount int                   `json:"minReplicaCount"`
		MaxReplicaCount int                   `json:"maxReplicaCount"`
		CooldownPeriod  int                   `json:"cooldownPeriod"`
		Triggers        []struct {
			Type     string            `json:"type"`
			Metadata map[string]string `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// cluster is what an overlay makes.
type cluster struct {
	pods     map[string]core.PodSpec // by workload
	labels   map[string]map[string]string
	notes    map[string]map[string]string // annotations
	replicas map[string]int32             // -1: not said
	budgets  []policy.PodDisruptionBudget
	services []core.Service
	jobs     []batch.Job
	scaled   []scaledObject
	policies []networking.NetworkPolicy
	doors    []networking.Ingress
	configs  map[string]map[string]string
}

func build(t *testing.T, overlay string) *cluster {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(),
		"../overlays/"+overlay)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{pods: map[string]core.PodSpec{}, labels: map[string]map[string]string{}, replicas: map[string]int32{},
		notes: map[string]map[string]string{}, configs: map[string]map[string]string{}}
	for _, r := range resources.Resources() {
		data, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.add(r.GetKind(), r.GetName(), data); err != nil {
			t.Errorf("%s %s: %v", r.GetKind(), r.GetName(), err)
		}
	}
	return c
}

// strict reads a manifest into its type; a field that the type has not is an error.
func strict[T any](data []byte) (out T, err error) {
	err = yaml.UnmarshalStrict(data, &out)
	return out, err
}

func (c *cluster) add(kind, name string, data []byte) error {
	workload := func(template core.PodTemplateSpec, replicas *int32) {
		c.pods[name], c.labels[name], c.replicas[name] = template.Spec, template.Labels, -1
		c.notes[name] = template.Annotations
		if replicas != nil {
			c.replicas[name] = *replicas
		}
	}
	switch kind {
	case "Deployment":
		d, err := strict[apps.Deployment](data)
		workload(d.Spec.Template, d.Spec.Replicas)
		return err
	case "StatefulSet":
		s, err := strict[apps.StatefulSet](data)
		workload(s.Spec.Template, s.Spec.Replicas)
		return err
	case "Job":
		j, err := strict[batch.Job](data)
		c.jobs = append(c.jobs, j)
		return err
	case "Service":
		s, err := strict[core.Service](data)
		c.services = append(c.services, s)
		return err
	case "ConfigMap":
		m, err := strict[core.ConfigMap](data)
		c.configs[name] = m.Data
		return err
	case "PodDisruptionBudget":
		b, err := strict[policy.PodDisruptionBudget](data)
		c.budgets = append(c.budgets, b)
		return err
	case "NetworkPolicy":
		p, err := strict[networking.NetworkPolicy](data)
		c.policies = append(c.policies, p)
		return err
	case "Ingress":
		i, err := strict[networking.Ingress](data)
		c.doors = append(c.doors, i)
		return err
	case "ScaledObject":
		s, err := strict[scaledObject](data)
		c.scaled = append(c.scaled, s)
		return err
	}
	return fmt.Errorf("a kind that is not expected; a Secret, above all, does not belong here")
}

func selects(selector, labels map[string]string) bool {
	for k, v := range selector {
		if labels[k] != v {
			return false
		}
	}
	return len(selector) > 0
}

// Whatever serves metrics says so to Prometheus, and lets it in.
func TestPrometheusReachesEveryProcess(t *testing.T) {
	c := build(t, "prod")
	asked := 0
	for name, notes := range c.notes {
		port := notes["prometheus.io/port"]
		if !strings.HasPrefix(c.labels[name]["app.kubernetes.io/part-of"], "forsooth") ||
			c.labels[name]["forsooth/role"] == "" {
			continue
		}
		asked++
		opened := slices.ContainsFunc(c.pods[name].Containers[0].Ports, func(p core.ContainerPort) bool {
			return fmt.Sprint(p.ContainerPort) == port
		})
		if notes["prometheus.io/scrape"] != "true" || !opened || !c.admits("monitoring", name, port) {
			t.Errorf("%s: Prometheus is told %v and let in: %v", name, notes, c.admits("monitoring", name, port))
		}
	}
	if asked != 8 {
		t.Errorf("%d processes, want the seven services and the gateway", asked)
	}
}

// admits says whether a policy lets pods of a namespace reach a port of a workload.
func (c *cluster) admits(namespace, name, port string) bool {
	from := func(p networking.NetworkPolicyPeer) bool {
		return p.NamespaceSelector != nil &&
			p.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"] == namespace
	}
	at := func(p networking.NetworkPolicyPort) bool { return p.Port != nil && p.Port.String() == port }
	for _, p := range c.policies {
		if !selects(p.Spec.PodSelector.MatchLabels, c.labels[name]) {
			continue
		}
		for _, rule := range p.Spec.Ingress {
			if slices.ContainsFunc(rule.From, from) && slices.ContainsFunc(rule.Ports, at) {
				return true
			}
		}
	}
	return false
}

func TestPodsAreBounded(t *testing.T) {
	for _, overlay := range []string{"dev", "prod"} {
		c := build(t, overlay)
		if len(c.pods) != 11 {
			t.Errorf("%s: %d workloads, want seven services, gateway, nats, qdrant and nli", overlay, len(c.pods))
		}
		for name, p := range c.pods {
			if p.SecurityContext == nil || p.SecurityContext.RunAsNonRoot == nil || !*p.SecurityContext.RunAsNonRoot ||
				p.AutomountServiceAccountToken == nil || *p.AutomountServiceAccountToken {
				t.Errorf("%s: %s may run as root, or has a token of the cluster", overlay, name)
			}
			if len(p.TopologySpreadConstraints) < 2 {
				t.Errorf("%s: %s is not spread", overlay, name)
			}
			for _, k := range p.Containers {
				for _, problem := range bounded(k) {
					t.Errorf("%s: %s %s", overlay, name, problem)
				}
			}
		}
		for i := range c.jobs {
			for _, k := range c.jobs[i].Spec.Template.Spec.Containers {
				k.ReadinessProbe, k.LivenessProbe = &core.Probe{}, &core.Probe{} // a job is ready when it is over
				for _, problem := range bounded(k) {
					t.Errorf("%s: %s %s", overlay, c.jobs[i].Name, problem)
				}
			}
		}
		for _, s := range c.services {
			if !c.selected(s.Spec.Selector) {
				t.Errorf("%s: service %s selects nothing", overlay, s.Name)
			}
		}
		for _, p := range c.policies {
			if m := p.Spec.PodSelector.MatchLabels; m != nil && !c.selected(m) {
				t.Errorf("%s: policy %s selects nothing", overlay, p.Name)
			}
		}
	}
}

func (c *cluster) selected(selector map[string]string) bool {
	for _, labels := range c.labels {
		if selects(selector, labels) {
			return true
		}
	}
	return false
}

// bounded says what a container may do that it should not, or lacks.
func bounded(k core.Container) (out []string) {
	s := k.SecurityContext
	if s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil ||
		*s.AllowPrivilegeEscalation || s.Capabilities == nil || len(s.Capabilities.Drop) == 0 {
		out = append(out, "may write to its root or gain rights")
	}
	if k.ReadinessProbe == nil || k.LivenessProbe == nil {
		out = append(out, "has no probes")
	}
	for _, r := range []core.ResourceName{core.ResourceCPU, core.ResourceMemory, core.ResourceEphemeralStorage} {
		request, limit := k.Resources.Requests[r], k.Resources.Limits[r]
		if request.IsZero() || limit.IsZero() {
			out = append(out, "has no bound of "+string(r))
		}
	}
	if _, tag, _ := strings.Cut(k.Image[strings.LastIndex(k.Image, "/")+1:], ":"); tag == "" || tag == "latest" {
		out = append(out, "has image "+k.Image)
	}
	names := map[string]bool{}
	for _, p := range k.Ports {
		names[p.Name] = true
	}
	for _, p := range []*core.Probe{k.StartupProbe, k.ReadinessProbe, k.LivenessProbe} {
		if p != nil && p.HTTPGet != nil && !names[p.HTTPGet.Port.StrVal] {
			out = append(out, "probes a port that it has not: "+p.HTTPGet.Port.StrVal)
		}
	}
	return out
}

func TestProdStandsTheLossOfANode(t *testing.T) {
	c := build(t, "prod")
	for name, labels := range c.labels {
		held := false
		for _, b := range c.budgets {
			held = held || selects(b.Spec.Selector.MatchLabels, labels)
		}
		if !held {
			t.Errorf("%s has no disruption budget", name)
		}
	}
	scaled := map[string]bool{}
	for _, s := range c.scaled {
		target := s.Spec.ScaleTargetRef.Name
		scaled[target] = true
		if _, ok := c.pods[target]; !ok || s.Spec.MinReplicaCount < 2 || len(s.Spec.Triggers) == 0 {
			t.Errorf("%s is scaled from %d, by %d triggers", target, s.Spec.MinReplicaCount, len(s.Spec.Triggers))
		}
		for _, trigger := range s.Spec.Triggers {
			for _, key := range []string{"natsServerMonitoringEndpoint", "account", "stream", "consumer", "lagThreshold"} {
				if trigger.Type != "nats-jetstream" || trigger.Metadata[key] == "" {
					t.Errorf("%s: a trigger without %s", target, key)
				}
			}
		}
	}
	for name, n := range c.replicas {
		switch {
		case scaled[name] && n != -1:
			t.Errorf("%s is scaled, and has %d replicas written down", name, n)
		case !scaled[name] && n < 2:
			t.Errorf("%s has %d replicas", name, n)
		}
	}
	settings := c.configs["forsooth"]
	if c.replicas["nats"] != 3 || c.replicas["qdrant"] != 3 || settings["FORSOOTH_NATS_REPLICAS"] != "3" ||
		settings["FORSOOTH_QDRANT_NODES"] != "3" {
		t.Errorf("nats %d, qdrant %d, settings %v", c.replicas["nats"], c.replicas["qdrant"], settings)
	}
}

// The gateway is reached by TLS alone, asks for keys of a secret, and reaches nothing but the broker.
func TestTheGatewayIsADoorAndNoWayIn(t *testing.T) {
	c := build(t, "prod")
	if len(c.doors) != 1 || len(c.doors[0].Spec.TLS) != 1 || c.doors[0].Spec.TLS[0].SecretName == "" {
		t.Fatalf("the doors are %+v, want one with TLS", c.doors)
	}
	hosts := c.doors[0].Spec.TLS[0].Hosts
	for _, rule := range c.doors[0].Spec.Rules {
		if !slices.Contains(hosts, rule.Host) {
			t.Errorf("%s is served without TLS", rule.Host)
		}
		for _, p := range rule.HTTP.Paths {
			if !slices.ContainsFunc(c.services, func(s core.Service) bool {
				return s.Name == p.Backend.Service.Name && s.Spec.Type != core.ServiceTypeLoadBalancer
			}) {
				t.Errorf("%s leads to %s, which is no service", p.Path, p.Backend.Service.Name)
			}
		}
	}
	pod := c.pods["gateway"]
	keys := ""
	for _, e := range pod.Containers[0].Env {
		if e.Name == "FORSOOTH_HTTP_KEYS" {
			keys = e.Value
		}
	}
	if !slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(m core.VolumeMount) bool {
		return m.Name == "keys" && m.ReadOnly && strings.HasPrefix(keys, m.MountPath+"/")
	}) || !slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == "keys" && v.Secret != nil }) {
		t.Errorf("its keys are at %q, which is no file of a secret", keys)
	}
	for _, p := range c.policies {
		if len(p.Spec.PodSelector.MatchLabels) == 0 || !selects(p.Spec.PodSelector.MatchLabels, c.labels["gateway"]) {
			continue
		}
		for _, way := range p.Spec.Egress {
			for _, to := range way.To {
				if to.PodSelector == nil || !selects(to.PodSelector.MatchLabels, c.labels["nats"]) {
					t.Errorf("policy %s lets it reach %+v", p.Name, to)
				}
			}
		}
	}
}
