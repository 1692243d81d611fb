package nli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/sony/gobreaker/v2"
)

// patience is how long a test's client waits: a busy machine is no failure.
const patience = time.Minute

// fake is a sidecar that reads its verdict out of the premise: the probability of
// entailment, the rest neutral.
type fake struct {
	mu    sync.Mutex
	sizes []int // of the requests
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ Pairs []pair }
	if r.URL.Path != "/v1/entail" || r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&in) != nil {
		http.Error(w, `{"detail":"no"}`, http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	f.sizes = append(f.sizes, len(in.Pairs))
	f.mu.Unlock()
	rows := make([]string, len(in.Pairs))
	for i, p := range in.Pairs {
		e, _ := strconv.ParseFloat(p.Premise, 64)
		rows[i] = fmt.Sprintf(`{"entailment":%g,"neutral":%g,"contradiction":0}`, e, 1-e)
	}
	_, _ = fmt.Fprintf(w, `{"model":"fake","probabilities":[%s]}`, strings.Join(rows, ","))
}

// answering is a sidecar that always says the same.
func answering(status int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	})
}

func open(t *testing.T, o SidecarOptions) *Sidecar {
	t.Helper()
	c, err := NewSidecar(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func clientOf(t *testing.T, h http.Handler, o SidecarOptions) *Sidecar {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	o.URL, o.Timeout = server.URL+"/", cmp.Or(o.Timeout, patience)
	return open(t, o)
}

func pairsOf(premises ...string) []entail.Pair {
	out := make([]entail.Pair, len(premises))
	for i, p := range premises {
		out[i] = entail.Pair{Premise: p, Hypothesis: "The mill burned."}
	}
	return out
}

func verify(t *testing.T, c *Sidecar, pairs []entail.Pair) []schema.Verdict {
	t.Helper()
	verdicts, err := c.Verify(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	if len(verdicts) != len(pairs) {
		t.Fatalf("%d verdicts for %d pairs", len(verdicts), len(pairs))
	}
	return verdicts
}

// refused wants an error of one line that says something, and no verdict.
func refused(t *testing.T, verdicts []schema.Verdict, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Fatalf("error %v, want one that says %q", err, says)
	}
	if len(verdicts) != 0 {
		t.Errorf("%d verdicts in spite of the error", len(verdicts))
	}
	if strings.Contains(err.Error(), "\n") || len(err.Error()) > 500 {
		t.Errorf("the error is not one short line: %q", err)
	}
}

func TestVerdictsComeInTheOrderOfThePairs(t *testing.T) {
	verdicts := verify(t, clientOf(t, &fake{}, SidecarOptions{}), pairsOf("0.95", "0.05", "0.5"))
	for i, want := range []schema.Verdict{
		{Label: schema.Supported, Score: 0.95},
		{Label: schema.Unverifiable, Score: 0.05, Final: true},
		{Label: schema.Unverifiable, Score: 0.5},
	} {
		v := verdicts[i]
		if v.Label != want.Label || math.Abs(v.Score-want.Score) > 1e-6 || v.Final != want.Final ||
			v.Tier != entail.TierSidecar {
			t.Errorf("verdict %d is %+v, want %+v of tier %s", i, v, want, entail.TierSidecar)
		}
	}
}

func TestFieldsAreReadByNameNotByPlace(t *testing.T) {
	body := `{"probabilities":[{"contradiction":0.9,"neutral":0.06,"entailment":0.04}],"model":"fake"}`
	v := verify(t, clientOf(t, answering(200, body), SidecarOptions{}), pairsOf("x"))[0]
	if v.Label != schema.Contradicted {
		t.Errorf("verdict %+v, want a contradiction", v)
	}
}

func TestADoubtedPairNeedsMore(t *testing.T) {
	c := clientOf(t, &fake{}, SidecarOptions{Thresholds: entail.Thresholds{Entailment: 0.7, Doubted: 0.9}})
	doubt := schema.Verdict{Tier: entail.TierRule, Label: schema.Unverifiable, Score: 0.15}
	if !entail.Doubts(doubt) {
		t.Fatal("the rules' doubt looks different now; mend this test")
	}
	verdicts, err := c.VerifyAfter(t.Context(), pairsOf("0.8", "0.8", "0.95"), []schema.Verdict{{}, doubt, doubt})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []schema.Label{schema.Supported, schema.Unverifiable, schema.Supported} {
		if verdicts[i].Label != want {
			t.Errorf("verdict %d is %s, want %s", i, verdicts[i].Label, want)
		}
	}
}

// Probabilities of the weights that were measured mean what was measured; those of any
// other model are taken as they are.
func TestTheMeasuredWeightsAreJudgedAsMeasured(t *testing.T) {
	ours := Measured{Weights: strings.Repeat("ab", 32), Scale: entail.Scale{Slope: 0.5, Shift: -0.2},
		Thresholds: entail.Thresholds{Entailment: 0.6, Contradiction: 0.95, Ambiguous: 0.3, Doubted: 0.75}}
	other := SidecarOptions{Thresholds: entail.Thresholds{Entailment: 0.85}}
	const body = `{"model":"m",%s"probabilities":[{"entailment":%g,"neutral":%g,"contradiction":0}]}`
	named := func(sha string) string { return fmt.Sprintf(`"weights_sha256":%q,`, sha) }
	scaled := func(e float64) float64 { return ours.Scale.Score(entail.Probability{Entailed: e}, schema.Verdict{}) }
	for _, x := range []struct {
		name, weights string
		own           Measured
		at            entail.Thresholds // of the pair
		entailed      float64
		score         float64
		label         schema.Label
		final         bool
	}{
		{"ours, supported", named(ours.Weights), ours, entail.Thresholds{}, 0.8, scaled(0.8), schema.Supported, false},
		{"ours, too little", named(ours.Weights), ours, entail.Thresholds{}, 0.7, scaled(0.7), schema.Unverifiable, false},
		{"ours, below the ambiguous", named(ours.Weights), ours, entail.Thresholds{}, 0.1, scaled(0.1),
			schema.Unverifiable, true},
		{"ours, where the pair wants more", named(ours.Weights), ours, entail.Thresholds{Entailment: 0.8}, 0.8, scaled(0.8),
			schema.Unverifiable, false},
		{"another model's", named(strings.Repeat("cd", 32)), ours, entail.Thresholds{}, 0.9, 0.9, schema.Supported, false},
		{"another model's, too little", named(strings.Repeat("cd", 32)), ours, entail.Thresholds{}, 0.8, 0.8,
			schema.Unverifiable, false},
		{"of nobody knows which", "", ours, entail.Thresholds{}, 0.8, 0.8, schema.Unverifiable, false},
		{"where none were measured", named(ours.Weights), Measured{}, entail.Thresholds{}, 0.8, 0.8, schema.Unverifiable,
			false},
		{"where none were measured, of nobody knows which", "", Measured{}, entail.Thresholds{}, 0.9, 0.9, schema.Supported,
			false},
	} {
		t.Run(x.name, func(t *testing.T) {
			o := other
			o.Own = x.own
			pairs := pairsOf("x")
			pairs[0].At = x.at
			v := verify(t, clientOf(t, answering(200, fmt.Sprintf(body, x.weights, x.entailed, 1-x.entailed)), o), pairs)[0]
			if v.Label != x.label || v.Final != x.final || math.Abs(v.Score-x.score) > 1e-6 {
				t.Errorf("%+v, want %s with score %v, final %v", v, x.label, x.score, x.final)
			}
		})
	}
}

// A sidecar may be started again with another model behind the same address.
func TestEachAnswerIsJudgedByTheWeightsThatGaveIt(t *testing.T) {
	ours := Measured{Weights: "ab", Scale: entail.Scale{Slope: 0.5}, Thresholds: entail.Thresholds{Entailment: 0.99}}
	var n atomic.Int32
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sha := []string{"ab", "cd", "ab"}[n.Add(1)-1]
		_, _ = fmt.Fprintf(w, `{"model":"m","weights_sha256":%q,"probabilities":[{"entailment":0.9,"neutral":0.1`+
			`,"contradiction":0}]}`, sha)
	})
	for i, v := range verify(t, clientOf(t, h, SidecarOptions{Own: ours, Pairs: 1}), pairsOf("a", "b", "c")) {
		if want := []float64{0.75, 0.9, 0.75}[i]; math.Abs(v.Score-want) > 1e-6 || (v.Label == schema.Supported) != (i == 1) {
			t.Errorf("answer %d: %+v, want score %v", i, v, want)
		}
	}
}

func TestPairsGoInRequestsOfBoundedSize(t *testing.T) {
	f := &fake{}
	premises := make([]string, 200)
	for i := range premises {
		premises[i] = fmt.Sprint(float64(i) / 200)
	}
	for i, v := range verify(t, clientOf(t, f, SidecarOptions{}), pairsOf(premises...)) {
		if want := float64(i) / 200; math.Abs(v.Score-want) > 1e-5 {
			t.Errorf("pair %d has score %v, want %v", i, v.Score, want)
		}
	}
	if want := []int{64, 64, 64, 8}; !slices.Equal(f.sizes, want) {
		t.Errorf("requests of %v pairs, want %v", f.sizes, want)
	}
}

func TestNoPairsAskNobody(t *testing.T) {
	f := &fake{}
	verify(t, clientOf(t, f, SidecarOptions{}), nil)
	if len(f.sizes) != 0 {
		t.Errorf("%d requests for no pair", len(f.sizes))
	}
}

func TestAnswersThatAreNoneDecideNothing(t *testing.T) {
	row := `{"entailment":0.9,"neutral":0.05,"contradiction":0.05}`
	two := func(second string) string { return `{"probabilities":[` + row + `,` + second + `]}` }
	for _, x := range []struct {
		name   string
		status int
		body   string
		says   string
	}{
		{"too few", 200, `{"probabilities":[` + row + `]}`, "answers 1 of 2 pairs"},
		{"too many", 200, `{"probabilities":[` + row + `,` + row + `,` + row + `]}`, "answers 3 of 2 pairs"},
		{"none", 200, `{}`, "answers 0 of 2 pairs"},
		{"null", 200, `null`, "answers 0 of 2 pairs"},
		{"a missing field", 200, two(`{"entailment":0.9,"neutral":0.1}`), "pair 1 without"},
		{"a null field", 200, two(`{"entailment":0.9,"neutral":0.1,"contradiction":null}`), "pair 1 without"},
		{"a null row", 200, two(`null`), "pair 1 without"},
		{"other labels", 200, two(`{"LABEL_0":0.9,"LABEL_1":0.05,"LABEL_2":0.05}`), "pair 1 without"},
		{"NaN", 200, two(`{"entailment":NaN,"neutral":0.1,"contradiction":0}`), "does not answer as a sidecar does"},
		{"NaN in quotes", 200, two(`{"entailment":"NaN","neutral":0.1,"contradiction":0}`),
			"does not answer as a sidecar does"},
		{"infinite", 200, two(`{"entailment":1e999,"neutral":0.1,"contradiction":0}`), "does not answer as a sidecar does"},
		{"logits", 200, two(`{"entailment":7.1,"neutral":-3,"contradiction":-3.1}`), "no probabilities"},
		{"a sum above one", 200, two(`{"entailment":0.9,"neutral":0.8,"contradiction":0.7}`), "no probabilities"},
		{"a sum below one", 200, two(`{"entailment":0.1,"neutral":0.1,"contradiction":0.1}`), "no probabilities"},
		{"HTML", 200, "<!DOCTYPE html>\n<h1>Welcome!</h1>", "does not answer as a sidecar does"},
		{"a list", 200, `[` + row + `,` + row + `]`, "does not answer as a sidecar does"},
		{"cut short", 200, two(row)[:60], "does not answer as a sidecar does"},
		{"nothing", 200, "", "does not answer as a sidecar does"},
		{"too much", 200, strings.Repeat(" ", maxBody+1), "answers with more than"},
		{"a refusal", 413, `{"detail":"300 pairs are more than 256"}`, `413 Request Entity Too Large: {"detail":"300 ` +
			`pairs are more than 256"}`},
		{"an error in HTML", 502, "<h1>Bad\n\n  Gateway</h1>" + strings.Repeat("x", 900),
			"502 Bad Gateway: <h1>Bad Gateway</h1>x"},
		{"a good body under an error", 500, two(row), "500 Internal Server Error"},
	} {
		t.Run(x.name, func(t *testing.T) {
			verdicts, err := clientOf(t, answering(x.status, x.body), SidecarOptions{}).Verify(t.Context(), pairsOf("a", "b"))
			refused(t, verdicts, err, x.says)
		})
	}
}

func TestOneBadRequestOfManyLeavesNoVerdict(t *testing.T) {
	var n atomic.Int32
	good := &fake{}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 2 {
			http.Error(w, "ill", http.StatusInternalServerError)
			return
		}
		good.ServeHTTP(w, r)
	})
	verdicts, err := clientOf(t, h, SidecarOptions{Pairs: 2}).Verify(t.Context(), pairsOf("0.9", "0.9", "0.9", "0.9"))
	refused(t, verdicts, err, "500 Internal Server Error: ill")
}

// transport is a sidecar without a network, so that a test may move the clock.
type transport func(r *http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestASlowSidecarIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		c := open(t, SidecarOptions{URL: "http://nli", HTTP: &http.Client{Transport: silent}})
		start := time.Now()
		verdicts, err := c.Verify(t.Context(), pairsOf("0.9"))
		refused(t, verdicts, err, "nli sidecar")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want that the deadline passed", err)
		}
		if waited := time.Since(start); waited != 800*time.Millisecond {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestASidecarThatIsDownIsAnError(t *testing.T) {
	server := httptest.NewServer(&fake{})
	server.Close()
	c := open(t, SidecarOptions{URL: server.URL, Timeout: patience})
	verdicts, err := c.Verify(t.Context(), pairsOf("0.9"))
	refused(t, verdicts, err, "nli sidecar "+server.URL)
	if _, err := c.Health(t.Context()); err == nil {
		t.Error("a sidecar that is down says that it is well")
	}
}

// patient is a transport that fails until it is cured.
type patient struct {
	cured  bool
	status int // of its failures; 0: 500
	asked  int
	well   fake
}

func (p *patient) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	p.asked++
	w := httptest.NewRecorder()
	if p.cured {
		p.well.ServeHTTP(w, r)
	} else {
		http.Error(w, "ill", cmp.Or(p.status, http.StatusInternalServerError))
	}
	return w.Result(), nil
}

func TestTheBreakerOpensAfterFailuresAndClosesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &patient{}
		c := open(t, SidecarOptions{URL: "http://nli", HTTP: &http.Client{Transport: p}})
		ask := func(when string, want error, asked int) {
			t.Helper()
			_, err := c.Verify(t.Context(), pairsOf("0.9"))
			ill := err != nil && strings.Contains(err.Error(), "500")
			if (want == nil) != (err == nil) || errors.Is(want, errIll) && !ill || errors.Is(want, gobreaker.ErrOpenState) &&
				!errors.Is(err, want) {
				t.Fatalf("%s: error %v, want %v", when, err, want)
			}
			if p.asked != asked {
				t.Fatalf("%s: the sidecar was asked %d times, want %d", when, p.asked, asked)
			}
		}
		for i := range failures {
			ask("at first", errIll, i+1)
		}
		ask("open", gobreaker.ErrOpenState, failures)
		time.Sleep(rest + time.Millisecond) // of the bubble's clock
		ask("tried once", errIll, failures+1)
		ask("open again", gobreaker.ErrOpenState, failures+1)
		p.cured = true
		time.Sleep(rest + time.Millisecond)
		ask("cured", nil, failures+2)
		ask("closed", nil, failures+3)
	})
}

// errIll stands for what a patient says.
var errIll = errors.New("500")

// What a sidecar refuses is the request's fault, and the next request is another one.
func TestARefusalIsNoFailureOfTheSidecar(t *testing.T) {
	for _, x := range []struct {
		status int
		open   bool // the breaker, after so many
	}{
		{http.StatusBadRequest, false},
		{http.StatusNotFound, false},
		{http.StatusRequestEntityTooLarge, false},
		{http.StatusUnprocessableEntity, false},
		{http.StatusTooManyRequests, true},
		{http.StatusInternalServerError, true},
		{http.StatusServiceUnavailable, true},
	} {
		t.Run(strconv.Itoa(x.status), func(t *testing.T) {
			p := &patient{status: x.status}
			c := open(t, SidecarOptions{URL: "http://nli", HTTP: &http.Client{Transport: p}})
			for range failures {
				verdicts, err := c.Verify(t.Context(), pairsOf("0.9"))
				refused(t, verdicts, err, strconv.Itoa(x.status))
			}
			p.cured = true
			if _, err := c.Verify(t.Context(), pairsOf("0.9")); errors.Is(err, gobreaker.ErrOpenState) != x.open || !x.open &&
				err != nil {
				t.Errorf("after %d of them: error %v; open: want %v", failures, err, x.open)
			}
		})
	}
}

// A refusal between failures does not say that the sidecar is well.
func TestARefusalBetweenFailuresDoesNotHideThem(t *testing.T) {
	p := &patient{}
	c := open(t, SidecarOptions{URL: "http://nli", HTTP: &http.Client{Transport: p}})
	for i := range 2 * failures {
		p.status = http.StatusInternalServerError
		if i%2 == 1 {
			p.status = http.StatusUnprocessableEntity
		}
		_, _ = c.Verify(t.Context(), pairsOf("0.9"))
	}
	if _, err := c.Verify(t.Context(), pairsOf("0.9")); !errors.Is(err, gobreaker.ErrOpenState) {
		t.Errorf("error %v, want that it is left alone", err)
	}
}

func TestACallerWhoGivesUpIsNoFailureOfTheSidecar(t *testing.T) {
	p := &patient{cured: true}
	c := open(t, SidecarOptions{URL: "http://nli", HTTP: &http.Client{Transport: p}})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range failures + 1 {
		if _, err := c.Verify(gone, pairsOf("0.9")); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want that the caller gave up", err)
		}
	}
	verify(t, c, pairsOf("0.9"))
}

func TestAnAddressThatIsNoneIsRefused(t *testing.T) {
	for _, url := range []string{"", "127.0.0.1:8400", "nli", "ftp://nli", "http://", "://"} {
		if _, err := NewSidecar(SidecarOptions{URL: url}); err == nil ||
			!strings.Contains(err.Error(), "write one such as http://127.0.0.1:8400") {
			t.Errorf("%q: error %v, want one that says what to write", url, err)
		}
	}
}

func TestHealth(t *testing.T) {
	for _, x := range []struct {
		name   string
		status int
		body   string
		says   string // of the error, if one
	}{
		{"well", 200, `{"status":"ok","model":"m","weights_sha256":"ab","labels":["entailment"]}`, ""},
		{"ill", 200, `{"status":"loading"}`, `says "loading" of itself`},
		{"not there", 404, `{"detail":"Not Found"}`, "404 Not Found"},
		{"HTML", 200, "<html>", "does not answer as a sidecar does"},
	} {
		t.Run(x.name, func(t *testing.T) {
			h, err := clientOf(t, answering(x.status, x.body), SidecarOptions{}).Health(t.Context())
			if x.says != "" {
				refused(t, nil, err, x.says)
				return
			}
			if want := (SidecarHealth{Status: "ok", Model: "m", SHA256: "ab"}); err != nil || h != want {
				t.Errorf("health %+v and error %v, want %+v", h, err, want)
			}
		})
	}
}

// TestARunningSidecar asks the real one, where FORSOOTH_TEST_NLI says that one
// runs: `cd sidecar/nli && python -m forsooth_nli`.
func TestARunningSidecar(t *testing.T) {
	url := os.Getenv("FORSOOTH_TEST_NLI")
	if url == "" {
		t.Skip("set FORSOOTH_TEST_NLI to the URL of a running sidecar")
	}
	c := open(t, SidecarOptions{URL: url, Timeout: patience})
	h, err := c.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if h.Model == "" || len(h.SHA256) != 64 {
		t.Errorf("health %+v names no model", h)
	}
	parts, err := requests(pairsOf("The mill burned."), 1)
	if err != nil {
		t.Fatal(err)
	}
	if said, err := c.ask(t.Context(), parts[0]); err != nil || said.weights != h.SHA256 {
		t.Errorf("an answer names the weights %q, error %v; /healthz names %q", said.weights, err, h.SHA256)
	}
	premise := "The mill burned in the spring of 1402."
	pairs := make([]entail.Pair, 0, 200)
	for len(pairs) < cap(pairs) {
		pairs = append(pairs, entail.Pair{Premise: premise, Hypothesis: premise},
			entail.Pair{Premise: premise, Hypothesis: "The smith sells swords to the queen's brother."})
	}
	const long, unreadable, usual = 196, 198, 194
	pairs[long].Premise = strings.Repeat("The road was long and the night was dark. ", 40) + premise
	pairs[unreadable].Premise = "\x00\u202e\u200b"
	verdicts := verify(t, c, pairs)
	if verdicts[0].Score <= verdicts[1].Score {
		t.Errorf("what stands there scores %v, what does not %v", verdicts[0].Score, verdicts[1].Score)
	}
	if verdicts[long].Score <= verdicts[1].Score {
		t.Errorf("the window that holds it scores %v, what nothing holds %v", verdicts[long].Score, verdicts[1].Score)
	}
	if math.Abs(verdicts[0].Score-verdicts[usual].Score) > 1e-3 {
		t.Errorf("one pair has scores %v and %v", verdicts[0].Score, verdicts[usual].Score)
	}
	if verdicts[unreadable].Label == schema.Supported {
		t.Error("a premise that nobody can read supports a claim")
	}
}
