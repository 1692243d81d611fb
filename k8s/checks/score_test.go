package checks_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/zegl/kube-score/config"
	ks "github.com/zegl/kube-score/domain"
	"github.com/zegl/kube-score/parser"
	"github.com/zegl/kube-score/score"
	"github.com/zegl/kube-score/score/checks"
	"github.com/zegl/kube-score/scorecard"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// manifest is what an overlay makes, as kube-score reads it.
type manifest struct {
	io.Reader
	name string
}

func (m manifest) Name() string { return m.name }

// kube-score finds nothing critical in what the overlays make, and finds something
// in a pod that is left open.
func TestKubeScoreFindsNothingCritical(t *testing.T) {
	for _, overlay := range []string{"dev", "prod"} {
		resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(),
			"../overlays/"+overlay)
		if err != nil {
			t.Fatal(err)
		}
		data, err := resources.AsYaml()
		if err != nil {
			t.Fatal(err)
		}
		critical, looked := scored(t, overlay, data)
		for _, what := range critical {
			t.Errorf("%s: %s", overlay, what)
		}
		if looked < 100 {
			t.Errorf("%s: only %d checks were made", overlay, looked)
		}
		t.Logf("%s: %d checks, %d critical", overlay, looked, len(critical))
	}
	critical, _ := scored(t, "open", []byte("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: open}\nspec:\n  "+
		"selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: "+
		"open, image: open}]}\n"))
	if len(critical) < 3 {
		t.Errorf("a pod that is left open: %v", critical)
	}
}

func scored(t *testing.T, name string, data []byte) (critical []string, looked int) {
	t.Helper()
	p, err := parser.New(&parser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	objects, err := p.ParseFiles([]ks.NamedReader{manifest{bytes.NewReader(data), name}})
	if err != nil {
		t.Fatal(err)
	}
	run := &config.RunConfiguration{KubernetesVersion: config.Semver{Major: 1, Minor: 34}, MinReplicasDeployment: 1}
	card, err := score.Score(objects, score.RegisterAllChecks(objects, &checks.Config{}, run), run)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range *card {
		for _, check := range object.Checks {
			if check.Skipped {
				continue
			}
			looked++
			if check.Grade > scorecard.GradeCritical {
				continue
			}
			for _, c := range check.Comments {
				critical = append(critical, object.HumanFriendlyRef()+": "+check.Check.ID+": "+c.Summary)
			}
			if len(check.Comments) == 0 {
				critical = append(critical, object.HumanFriendlyRef()+": "+check.Check.ID)
			}
		}
	}
	return critical, looked
}
