package llm

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/limits"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// nobody is an address at which nobody listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return "http://" + address + "/v1"
}

// garbled speaks another protocol.
func garbled(w http.ResponseWriter, _ *http.Request, _ asked) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = c.Write([]byte("SSH-2.0-OpenSSH_9.6\r\n"))
	_ = c.Close()
}

func secure(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func plainly(status int, kind, body string) reaction {
	return func(w http.ResponseWriter, _ *http.Request, _ asked) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// Each bad input is one line with its mend, by a call and by Check, and the key is
// nowhere, although the server repeats it in whatever writing.
func TestEachProblemIsOneLineWithItsMend(t *testing.T) {
	echo := "your key " + testKey + " (" + url.QueryEscape(testKey) + ") "
	page := "<!DOCTYPE html>\n<html><body>" + echo + "</body></html>"
	redirect := func(w http.ResponseWriter, r *http.Request, _ asked) {
		http.Redirect(w, r, "/elsewhere?key="+testKey, http.StatusFound)
	}
	cases := []struct {
		name  string
		does  reaction
		words []string
	}{
		{"a wrong key", fail(401, echo+"is wrong"), []string{"refuses the key", "FORSOOTH_LLM_KEY", "llm.key_file"}},
		{"a key without rights", fail(403, echo), []string{"refuses the key"}},
		{"a model that does not exist", fail(404, "The model `small` does not exist. "+echo),
			[]string{`no model "small"`, "llm.model"}},
		{"a model that was not loaded", fail(400, "model 'small' not found, try pulling it first"),
			[]string{`no model "small"`, "llm.model"}},
		{"a page", plainly(200, "text/html", page), []string{"web page", "llm.url", "/v1"}},
		{"a page that says it is none", plainly(200, "application/json", page), []string{"web page", "llm.url"}},
		{"a page of nothing", plainly(404, "text/html", page), []string{"web page", "llm.url"}},
		{"no such path", plainly(404, "text/plain", "404 page not found"), []string{"/chat/completions", "/v1"}},
		{"a gateway's page", plainly(502, "text/html", page), []string{"it fails (502): Bad Gateway", "log"}},
		{"another protocol", plainly(200, "text/plain", "hello "+testKey),
			[]string{"OpenAI's protocol|broke off|empty", "llm."}},
		{"a redirect", redirect, []string{"redirects", "llm.url"}},
		{"too many requests", fail(429, echo+"must wait", "Retry-After", "60"),
			[]string{"429", "must wait", "raise the limit"}},
		{"an error of its own", fail(500, strings.Repeat("x", 225)+echo+"\n\tat line 1\x1b[31m"),
			[]string{"it fails (500)", "log"}},
		{"a request it does not like", fail(400, echo+"is too long"), []string{"refuses the request (400)", "is too long"}},
		{"an empty answer", say(""), []string{"empty", "llm.model|another model"}},
		{"prose", say("The mill burned."), []string{"no JSON object", "take a model"}},
		{"an answer that breaks off", saying(good[:40], "length", true), []string{"broke off", "max_tokens"}},
		{"an answer of another schema", say(`{"words":"` + testKey + `"}`), []string{"sentences", "take a model"}},
		{"hanging up", func(http.ResponseWriter, *http.Request, asked) { panic(http.ErrAbortHandler) },
			[]string{"hung up", "log"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { oneProblem(t, serve(t, c.does).URL, c.words) })
	}
	tls := secure(t, http.NotFoundHandler())
	for _, c := range []struct {
		name, url string
		words     []string
	}{
		{"nobody there", nobody(t), []string{"nobody listens", "llm.url"}},
		{"a certificate that is not trusted", tls.URL + "/v1", []string{"certificate", "llm.ca_file"}},
		{"http to an https server", strings.Replace(tls.URL, "https", "http", 1) + "/v1", []string{"https://", "llm.url"}},
		{"https to an http server", strings.Replace(serve(t, say(good)).URL, "http", "https", 1),
			[]string{"http://", "llm.url"}},
		{"another kind of server", serve(t, garbled).URL + "?token=secret", []string{"malformed", "llm.url"}},
		{"an address with a key in it", nobody(t) + "/" + testKey + "?key=" + testKey, []string{"nobody listens", "llm.url"}},
	} {
		t.Run(c.name, func(t *testing.T) { oneProblem(t, c.url, c.words) })
	}
}

func oneProblem(t *testing.T, url string, words []string) {
	t.Helper()
	m, told := client(t, Options{}, url)
	m.retries = limits.NewRetries(0.01, 1, 1) // a wait less
	_, err := m.Complete(within(t, 20*time.Second), request(turnOf(schema.PassSpeak)))
	all := told.list()
	if err == nil || len(all) != 1 {
		t.Fatalf("got %v, reported %+v; want one line", err, all)
	}
	check := Check(within(t, 20*time.Second), Provider{URL: url, Model: "small", Key: testKey})
	if check == nil {
		t.Fatal("Check finds nothing")
	}
	for _, line := range []string{err.Error(), all[0].Line, check.Error()} {
		if strings.ContainsAny(line, "\n\x1b") || strings.Contains(line, "secret") || len(line) > 600 {
			t.Errorf("no clear line without a key: %q", line)
		}
		for _, w := range words {
			if !containsAny(line, strings.Split(w, "|")) {
				t.Errorf("%q does not say %q", line, w)
			}
		}
	}
}

func containsAny(s string, any []string) bool {
	for _, w := range any {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

func TestCheckPassesAServerThatAnswers(t *testing.T) {
	for name, does := range map[string]reaction{
		"in every form": say(good), "without schemas": unless(noJSON, say(good)),
		"in one piece": func(w http.ResponseWriter, _ *http.Request, _ asked) { whole(w, good, "stop", false) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := Check(within(t, 10*time.Second), Provider{URL: serve(t, does).URL, Model: "small"}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAnAuthorityOfOnesOwn(t *testing.T) {
	tls := secure(t, &server{reactions: []reaction{say(good)}})
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: tls.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	if err := Check(within(t, 10*time.Second), Provider{URL: tls.URL + "/v1", Model: "small", CAFile: file}); err != nil {
		t.Error(err)
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{empty, filepath.Join(t.TempDir(), "missing")} {
		if _, err := New(Config{Primary: Provider{URL: tls.URL, CAFile: f}}, Options{}); err == nil ||
			!strings.Contains(err.Error(), "llm.ca_file") {
			t.Errorf("%s: %v", f, err)
		}
	}
}
