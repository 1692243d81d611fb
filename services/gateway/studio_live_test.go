package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/forsooth-npc/forsooth/services/gateway/studio"
)

// Turns appear as they end, newest first, and a filter leaves those that are asked for.
func TestStoryOfLiveTurns(t *testing.T) {
	s := open(t)
	s.do("POST", turns, sayFerry)
	p := browse(t, s.url, 1280, 860, "dark")
	p.at("village/~live")
	p.sees(".rows .words", "Who owns the ferry?")
	s.do("POST", turns, `{"player":"p2","message":"Do you know the Baron of Quillfeather?"}`)
	p.sees(".rows li:first-child", "Quillfeather")
	p.sees(".rates", "UNKNOWN_NAME")
	p.sees(".sums", "50.0 %")
	p.until(`document.querySelector(".rates .fill").offsetWidth > 50`)
	p.shot("live")
	p.click("header button", "Mask players")
	p.until(`getComputedStyle(document.querySelector(".rows .words")).filter.startsWith("blur")`)
	p.click("header button", "Mask players")
	p.until(`getComputedStyle(document.querySelector(".rows .words")).filter === "none"`)
	eval[bool](p, `(document.querySelector(".filters input").focus(), true)`)
	p.press("p2")
	p.until(`document.querySelectorAll(".rows li").length === 1`)
	p.click(".rows a", "Quillfeather")
	p.sees(".refusal dd", "UNKNOWN_NAME")
}

// stand answers like a gateway with a village, a week of turns and one dead letter.
func stand(t *testing.T, turns int) (string, *atomic.Bool) {
	t.Helper()
	var retried atomic.Bool
	mux := http.NewServeMux()
	mux.Handle(studio.Path, studio.Handler())
	mux.HandleFunc("GET /v1/worlds", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"worlds":[{"name":"village","npcs":[{"handle":"mira","name":"Mira"}]}]}`)
	})
	mux.HandleFunc("GET /v1/worlds/village/outcomes", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range turns {
			_, _ = fmt.Fprintf(w, "event: outcome\nid: %d\ndata: {\"sequence\":%d,\"at\":\"2026-11-28T10:00:00Z\",\"npc\":"+
				"\"mira\",\"player\":\"p%d\",\"turn_id\":\"t%d\",\"message\":\"Message %d\",\"reply\":\"So.\",\"status\":"+
				"\"answered\",\"ms\":%d}\n\n", i+1, i+1, i%7, i, i, i)
		}
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("GET /v1/worlds/village/letters", func(w http.ResponseWriter, _ *http.Request) {
		letter := `{"number":3,"npc":"mira","player":"p1","retry":true,"letter":{"pass":"memory","turn_id":"t1",` +
			`"reason":"the disk is full","stream":"REPLIES","sequence":9,"attempt":20,"at":"2026-11-28T10:00:00Z"}}`
		if retried.Load() {
			letter = ""
		}
		_, _ = fmt.Fprintf(w, `{"letters":[%s],"last":3}`, letter)
	})
	mux.HandleFunc("POST /v1/worlds/village/letters/3/retry", func(w http.ResponseWriter, _ *http.Request) {
		retried.Store(true)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /v1/queues", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"at":"2026-11-28T10:00:00Z","queues":[{"name":"pass-speak","stream":"PASSES","waiting":41,`+
			`"taken":8,"workers":true,"redelivered":2},{"name":"memory","stream":"REPLIES","waiting":0,"taken":0,`+
			`"workers":false,"redelivered":0}]}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return server.URL, &retried
}

// Ten thousand turns are in the list, and a screenful of them in the page, wherever one
// scrolls.
func TestStoryOfTenThousandTurns(t *testing.T) {
	url, _ := stand(t, 10_000)
	p := browse(t, url, 1280, 860, "light")
	p.at("village/~live")
	p.sees(".sums", "10000")
	for _, at := range []float64{0, .25, .5, 1} {
		eval[bool](p, fmt.Sprintf(`(document.querySelector(".rows").scrollTop = %f * 10000 * 56, true)`, at))
		want := fmt.Sprintf("Message %d", 9999-int(min(at*10_000, 9999)))
		p.sees(".rows", want)
		if n := eval[int](p, `document.querySelectorAll(".rows li").length`); n > 60 {
			t.Errorf("%d rows are in the page", n)
		}
	}
}

// A dead letter says what failed, and goes once its reader has taken the message.
func TestStoryOfADeadLetter(t *testing.T) {
	url, retried := stand(t, 0)
	p := browse(t, url, 1280, 860, "light")
	p.at("village/~letters")
	p.sees(".memories", "the disk is full")
	p.click("button", "Try again letter 3")
	p.sees("main", "There is none.")
	if !retried.Load() {
		t.Error("it was not tried")
	}
}

// On a phone nothing is wider than the screen, and the panel can be closed.
func TestStoryOnAPhone(t *testing.T) {
	s := open(t)
	p := browse(t, s.url, 360, 740, "light")
	for _, place := range []string{"", "village/~live", "village/~quality", "village/~letters", "village/mira",
		"village/mira/p1"} {
		p.at(place)
		p.sees("h1", "")
		if wide := eval[int](p, `document.documentElement.scrollWidth`); wide > 360 {
			t.Errorf("%q is %d wide", place, wide)
		}
	}
	p.says("Who owns the ferry?")
	p.click(".s.grounded", "Teague owns the ferry.")
	p.sees("mark.span", "Teague")
	p.shot("phone")
	if wide := eval[int](p, `document.documentElement.scrollWidth`); wide > 360 {
		t.Errorf("the panel makes the page %d wide", wide)
	}
	p.click("[role=tab]", "Run again")
	p.click(".replay button", "Run again")
	p.sees(".replay", "The same answer.")
	p.shot("phone-replay")
	if wide := eval[int](p, `document.documentElement.scrollWidth`); wide > 360 {
		t.Errorf("a replay makes the page %d wide", wide)
	}
	p.click(".panel button", "Close")
	p.until(`!document.querySelector(".panel")`)
}

// The page is dark where the system is, and light where the person says so.
func TestStoryOfTheDark(t *testing.T) {
	s := open(t)
	p := browse(t, s.url, 1280, 860, "dark")
	p.at("village")
	p.sees("h1", "The Village")
	const dark = `getComputedStyle(document.body).backgroundColor.match(/\d+/g).every(n => n < 60)`
	const light = `getComputedStyle(document.body).backgroundColor.match(/\d+/g).every(n => n > 200)`
	p.until(dark)
	p.click("header button", "Theme: auto")
	p.until(light)
	p.click("header button", "Theme: light")
	p.until(dark)
	p.do(chromedp.Reload())
	p.sees("header button", "Theme: dark")
	p.until(dark)
}

// axe finds nothing serious in any view, light or dark, wide or narrow.
func TestNobodyIsKeptOut(t *testing.T) {
	installed := filepath.Join("..", "..", ".venv", "axe")
	source, err := os.ReadFile(filepath.Join(installed, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		say := t.Skip
		if _, err := os.Stat(filepath.Join(installed, "ready")); err != nil && os.Getenv("FORSOOTH_TEST_ALL") != "" {
			say = t.Fatal
		}
		say("axe-core is not installed; install npm and run `make axe`")
	}
	s := open(t)
	for i, message := range []string{"Who owns the ferry?", "Do you know the Baron of Quillfeather?"} {
		s.do("POST", turns, fmt.Sprintf(`{"player":"p1","turn_id":"t%d","message":%q}`, i+1, message))
	}
	s.torn("p2")
	s.run("first.json", 1)
	s.run("second.json", 2)
	for _, how := range []struct {
		scheme string
		width  int64
	}{{"light", 1280}, {"dark", 1280}, {"light", 360}} {
		p := browse(t, s.url, how.width, 860, how.scheme)
		look := func(name string) {
			t.Helper()
			eval[bool](p, string(source)+"; true")
			found := eval[[]string](p, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations
				.filter(v => v.impact === "serious" || v.impact === "critical")
				.map(v => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html).join(" | ")))`)
			if len(found) > 0 {
				t.Errorf("%s, %s, %d wide:\n%s", name, how.scheme, how.width, strings.Join(found, "\n"))
			}
		}
		p.at("village")
		p.sees("h2", "Mira")
		look("the people")
		p.at("village/mira/p1/t1")
		p.sees("mark.span", "Teague")
		look("a talk with evidence")
		p.click("[role=tab]", "Passes")
		p.click(".waterfall .link", "retrieve")
		look("the passes")
		p.at("village/mira/p1/t2")
		p.sees(".refusal dd", "UNKNOWN_NAME")
		p.click("summary", "Write the lore")
		look("a refusal")
		p.click("[role=tab]", "Your verdict")
		p.click("label", "Wrong")
		look("a verdict")
		p.click("[role=tab]", "Run again")
		p.fill("[aria-label='Run the turn again'] input", "0.99")
		p.click(".replay button", "Run again")
		p.sees(".replay .side", "That I could not tell you.")
		look("a turn run again")
		p.at("village/mira")
		p.sees("h2", "Contradictions")
		p.click(".knows summary", "Hides")
		p.fill(".person input", "p2")
		p.click(".person button", "Show")
		p.sees("h2", "Toward p2")
		look("memories")
		p.at("village/~live")
		p.sees(".rows", "Quillfeather")
		p.click(".panels summary", "Over time")
		p.click(".panels summary", "Queues")
		p.sees(".queues th", "pass-retrieve")
		look("live")
		p.at("village/~quality")
		p.sees(".suite th", "pass rate")
		p.sees(".plot figcaption", "Faithfulness")
		look("quality")
	}
}
