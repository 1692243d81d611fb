package main

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
)

// closed is an address at which nobody listens.
func closed(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String() + "/v1"
}

// Each bad input is one line with its mend, and never the key.
func TestDoctorNamesWhatIsWrongWithAModel(t *testing.T) {
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"Incorrect API key provided: ` + r.Header.Get("Authorization") +
			`","code":"invalid_api_key"}}`))
	}))
	defer echo.Close()
	secret := httptest.NewUnstartedServer(http.NotFoundHandler())
	secret.Config.ErrorLog = log.New(io.Discard, "", 0)
	secret.StartTLS()
	defer secret.Close()
	cases := []struct {
		name, url string
		words     []string
	}{
		{"a wrong key", scripted(t, llmtest.Options{Key: "another"}), []string{"key", "FORSOOTH_LLM_KEY"}},
		{"a server that repeats the key", echo.URL + "/v1", []string{"key"}},
		{"a model that does not exist", scripted(t, llmtest.Options{Model: "another"}), []string{"big", "llm.model"}},
		{"a page", scripted(t, llmtest.Options{FaultRate: 1, Faults: "html"}), []string{"a web page", "usually ends in /v1"}},
		{"a certificate that is not trusted", secret.URL + "/v1", []string{"certificate", "llm.ca_file"}},
		{"nobody there", closed(t), []string{"nobody listens", "llm.url"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			s.extra = []string{"FORSOOTH_LLM_KEY=" + modelKey}
			one(t, s.findings(t, exitDependency, "model", "--llm-url", c.url, "--llm-model", "big"), statusBad,
				append(c.words, c.url, "the extractive speaker answers")...)
		})
	}
}

// What a server cannot do is worth knowing and stops nothing.
func TestDoctorNamesWhatAModelCannotDo(t *testing.T) {
	for fault, want := range map[string]string{
		"no-stream": "big comes without streaming",
		"no-schema": "big refuses a JSON schema: it is asked for JSON",
		"no-json":   "big refuses a JSON schema, and JSON mode as well",
	} {
		t.Run(fault, func(t *testing.T) {
			url := scripted(t, llmtest.Options{FaultRate: 1, Faults: fault})
			all := newSite(t).findings(t, exitFine, "model", "--llm-url", url, "--llm-model", "big")
			if len(all) != 2 || all[0].Status != statusFine {
				t.Fatalf("found %+v, want that it answers, and a note", all)
			}
			one(t, all[1:], statusNote, want, "take a server that")
		})
	}
}

// The mend for the second model names the second model's settings.
func TestDoctorMendsTheSecondModel(t *testing.T) {
	for name, c := range map[string]struct {
		o     llmtest.Options
		words []string
	}{
		"a wrong key": {llmtest.Options{Key: "another"},
			[]string{"FORSOOTH_LLM_SECONDARY_KEY", "llm.secondary.key_file"}},
		"a model that does not exist": {llmtest.Options{Model: "another"}, []string{"llm.secondary.model"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			first, second := scripted(t, llmtest.Options{}), scripted(t, c.o)
			s.write("forsooth.yaml", "llm: {url: \""+first+"\", model: big, secondary: {url: \""+second+"\", model: small}}\n")
			one(t, s.findings(t, exitDependency, "model"), statusFine)
			one(t, s.findings(t, exitDependency, "second"), statusBad, append(c.words, second)...)
		})
	}
}

func TestDoctorAndACertificateOfOnesOwn(t *testing.T) {
	model, err := llmtest.New(llmtest.Options{Pace: typing})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(model)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.StartTLS()
	defer server.Close()
	s := newSite(t)
	ca := s.write("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	s.write("forsooth.yaml", "llm: {url: \""+server.URL+"/v1\", model: big, ca_file: \""+ca+"\"}\n")
	one(t, s.findings(t, exitFine, "model"), statusFine, "answers as it should")
}
