package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
)

const modelKey = "sk-a-key-that-nobody-may-see"

// findings are what doctor says of one thing.
func (s *site) findings(t *testing.T, code int, check string, args ...string) []Finding {
	t.Helper()
	r := s.run(append([]string{"doctor", "--json"}, args...)...)
	r.wants(t, code)
	if strings.Contains(r.out+r.err, modelKey) {
		t.Errorf("the key is shown: %s%s", r.out, r.err)
	}
	var said struct {
		Fit      bool
		Findings []Finding
	}
	if err := json.Unmarshal([]byte(r.out), &said); err != nil {
		t.Fatalf("%v: %s", err, r.out)
	}
	if said.Fit != (code == exitFine) {
		t.Errorf("fit is %v at exit code %d", said.Fit, code)
	}
	var out []Finding
	for _, f := range said.Findings {
		if f.Check == check {
			out = append(out, f)
		}
		if strings.Contains(f.Detail+f.Mend, "\n") {
			t.Errorf("not one line: %+v", f)
		}
	}
	return out
}

// one is the only finding of its kind.
func one(t *testing.T, all []Finding, status string, words ...string) {
	t.Helper()
	if len(all) != 1 || all[0].Status != status {
		t.Fatalf("found %+v, want one that is %s", all, status)
	}
	for _, w := range words {
		if !strings.Contains(all[0].Detail+" → "+all[0].Mend, w) {
			t.Errorf("found %+v, want %q in it", all[0], w)
		}
	}
}

// typing is a pace at which an answer comes in pieces.
var typing = llmtest.Pace{Rate: 2000}

func scripted(t *testing.T, o llmtest.Options) string {
	t.Helper()
	o.Pace = typing
	server, err := llmtest.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL()
}

func TestDoctorWithoutAModel(t *testing.T) {
	s := newSite(t)
	one(t, s.findings(t, exitFine, "models"), statusFine, "no language model is configured", "extractive")
	all := s.findings(t, exitFine, "models", "--llm-model", "big")
	if len(all) != 2 || all[1].Status != statusNote || !strings.Contains(all[1].Mend, "--llm-url") {
		t.Errorf("found %+v", all)
	}
}

func TestDoctorAsksBothModels(t *testing.T) {
	s := newSite(t)
	s.extra = []string{"FORSOOTH_LLM_KEY=" + modelKey}
	first := scripted(t, llmtest.Options{Key: modelKey, Model: "big"})
	second := scripted(t, llmtest.Options{Model: "small"})
	s.write("forsooth.yaml", "llm:\n  url: "+first+"\n  model: big\n  secondary: {url: \""+second+"\", model: small}\n")
	one(t, s.findings(t, exitFine, "model"), statusFine, "big at "+first+" answers as it should")
	one(t, s.findings(t, exitFine, "second"), statusFine, "small at "+second+" answers as it should")
}

func TestDoctorAndAKeyThatCannotBeRead(t *testing.T) {
	s := newSite(t)
	s.write("forsooth.yaml", "llm: {url: \"http://127.0.0.1:1/v1\", model: big, key_file: none}\n")
	one(t, s.findings(t, exitDependency, "model"), statusBad, "big at http://127.0.0.1:1/v1 is not asked: "+
		"llm.key_file: names a file that cannot be read")
}

func TestDoctorAndAKeyThatOthersCanRead(t *testing.T) {
	s := newSite(t)
	path := s.write("key", modelKey+"\n")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	url := scripted(t, llmtest.Options{Key: modelKey})
	s.write("forsooth.yaml", "llm: {url: \""+url+"\", model: big, key_file: key}\n")
	all := s.findings(t, exitFine, "model")
	if len(all) != 2 || all[0].Status != statusNote || all[0].Mend != "chmod 600 key" || all[1].Status != statusFine {
		t.Errorf("found %+v", all)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	one(t, s.findings(t, exitFine, "model"), statusFine)
}

func TestAKeyInTheSettingsIsRefusedAndNotShown(t *testing.T) {
	s := newSite(t)
	s.write("forsooth.yaml", "llm:\n  key: "+modelKey+"\n")
	r := s.run("doctor")
	r.wants(t, exitUsage, "forsooth.yaml:2", "llm.key_file", "FORSOOTH_LLM_KEY")
	if strings.Contains(r.out+r.err, modelKey) {
		t.Errorf("the key is shown: %s", r.err)
	}
}

func TestDoctorNamesTheLanguageOfAWorld(t *testing.T) {
	s := newSite(t)
	village := s.village()
	if all := s.findings(t, exitFine, "language", "--world", village); len(all) > 0 {
		t.Errorf("of an English world: %+v", all)
	}
	frame, err := os.ReadFile(village + "/world.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s.write("village/world.yaml", strings.Replace(string(frame), "language: en", "language: de", 1))
	one(t, s.findings(t, exitFine, "language", "--world", village), statusNote, "village", "LANGUAGE_UNVERIFIED",
		"authored lines")
}

// With a Qdrant it is the server's index that counts, and doctor makes nothing there.
func TestDoctorLooksAtQdrant(t *testing.T) {
	server := edgetest.Own(t)
	s := newSite(t)
	flags := []string{"--world", s.village(), "--qdrant", "http://" + server.Addr}
	for range 2 {
		one(t, s.findings(t, exitFine, "qdrant", flags...), statusFine, server.Addr+" answers, and holds 0 files of village")
	}
	s.run(append([]string{"lore", "index"}, flags...)...).wants(t, exitFine)
	found := s.findings(t, exitFine, "qdrant", flags...)
	one(t, found, statusFine, " of village, ")
	if strings.Contains(found[0].Detail, "holds 0 files") {
		t.Errorf("after an index: %s", found[0].Detail)
	}
	if got := s.findings(t, exitFine, "index", flags...); len(got) > 0 {
		t.Errorf("it speaks of the data folder's index too: %+v", got)
	}
	server.Stop(t)
	one(t, s.findings(t, exitDependency, "qdrant", flags...), statusBad, server.Addr, "another with --qdrant")
}
