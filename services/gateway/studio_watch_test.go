package gateway_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/services/gateway/studio"
)

// asks says each message, each as a player of its own.
func (s *site) asks(messages ...string) {
	s.t.Helper()
	for i, m := range messages {
		body, err := json.Marshal(map[string]string{"player": fmt.Sprintf("p%d", i+1), "message": m})
		must(s.t, err)
		s.do("POST", turns, string(body))
	}
}

// Each filter leaves what it names, all figures are of what is left, and two filters hold
// together.
func TestStoryOfFilters(t *testing.T) {
	s := open(t)
	s.asks("Who owns the ferry?", "When did the mill burn?", "Do you know the Baron of Quillfeather?",
		"What did you hide under the great anvil?", "Hello!")
	p := browse(t, s.url, 1280, 900, "light")
	p.at("village/~live")
	rows := func(n int) {
		t.Helper()
		p.until(fmt.Sprintf(`document.querySelectorAll(".rows li").length === %d &&
			document.querySelector(".sums dd").textContent === "%d"`, n, n))
	}
	rows(5)
	const status, reason = ".filters label:nth-of-type(3) select", ".filters label:nth-of-type(4) select"
	p.choose(status, "extractive")
	rows(2)
	p.choose(status, "")
	p.choose(reason, "UNKNOWN_NAME")
	rows(1)
	p.sees(".rows .words", "Quillfeather")
	p.choose(status, "withheld")
	rows(0)
	p.sees(".rows", "No turn has ended in this time.")
	p.choose(reason, "")
	rows(1)
	p.sees(".rows .words", "anvil")
	p.choose(status, "")
	p.fill(".filters input[type=number]", "0.5")
	p.until(`[...document.querySelectorAll(".rows .words")].every(e => !e.textContent.includes("mill"))`)
	p.fill(".filters input[type=number]", "0")
	rows(0)
	p.press("\b")
	rows(5)
	p.choose(".filters select", "osric")
	rows(0)
	p.shot("filters")
}

// Times, refusals and spending have a course, with the figures of each plot in a table. It is
// drawn while somebody looks at it, and goes on with the turns.
func TestStoryOfTheCourseOfADay(t *testing.T) {
	s := open(t)
	s.asks("Who owns the ferry?", "Do you know the Baron of Quillfeather?")
	p := browse(t, s.url, 1280, 1100, "light")
	p.at("village/~live")
	p.sees(".rates", "UNKNOWN_NAME")
	if n := p.count(".plot"); n != 0 {
		t.Errorf("%d plots are drawn for nobody", n)
	}
	p.click(".panels summary", "Over time")
	p.sees(".plot figcaption", "Time to the reply")
	p.until(`document.querySelectorAll(".plot svg path").length >= 5`)
	p.until(`[...document.querySelectorAll(".plot svg")].every(e => e.getAttribute("aria-label").length > 20)`)
	p.click(".plot:nth-of-type(3) summary", "Figures")
	p.until(`[...document.querySelectorAll(".plot details[open] td")].map(e => Number(e.textContent))
		.reduce((a, b) => a + b, 0) === 2`)
	p.shot("course")
	s.asks("When did the mill burn?")
	p.until(`[...document.querySelectorAll(".plot details[open] td")].map(e => Number(e.textContent))
		.reduce((a, b) => a + b, 0) === 3`)
	p.click(".panels summary", "Over time")
	p.until(`!document.querySelector(".plot")`)
}

// What waits for a service is told, and a consumer without a worker is marked.
func TestStoryOfQueues(t *testing.T) {
	url, _ := stand(t, 3)
	p := browse(t, url, 1280, 900, "dark")
	p.at("village/~live")
	p.click(".queues summary", "41 waiting, 1 without a worker")
	p.sees(".queues tr", "pass-speak")
	p.sees(".queues tr:nth-child(2) .chip", "none")
	p.shot("queues")
}

// Where the connection breaks the page says so, and comes back to the place where it was:
// nothing is lost, and nothing twice.
func TestStoryOfALostConnection(t *testing.T) {
	s := open(t)
	wire, err := faults.Listen(strings.TrimPrefix(s.url, "http://"))
	must(t, err)
	t.Cleanup(wire.Close)
	s.asks("Who owns the ferry?")
	p := browse(t, "http://"+wire.Addr(), 1280, 860, "light")
	p.at("village/~live")
	p.sees(".rows .words", "ferry")
	wire.Down()
	p.sees(".head .chip", "connecting")
	s.asks("When did the mill burn?")
	wire.Up()
	p.sees(".head .chip", "live")
	p.sees(".rows li:first-child .words", "mill")
	if n := p.count(".rows li"); n != 2 {
		t.Errorf("%d rows are of two turns", n)
	}
	p.at("village/mira/p9")
	p.sees(".log", "Mind the sparks.")
	wire.Down()
	p.says("Who owns the ferry?")
	p.sees(".log [role=alert]", "The gateway does not answer. Is it still running?")
	p.shot("lost")
	wire.Up()
	p.says("Who owns the ferry?")
	p.sees(".s.grounded", "Teague owns the ferry.")
	p.expects("ERR_")
}

// The guards' week is shown from the first day on, with the reports of earlier weeks beside it.
func TestStoryOfTheGuardsWeek(t *testing.T) {
	s := open(t)
	s.torn("p1")
	p := browse(t, s.url, 1280, 1000, "light")
	p.at("village/~quality")
	p.sees("[role=note]", "No weekly report is kept yet")
	p.sees(".figure .chip", "too few")
	p.until(`document.querySelectorAll(".plots figure").length === 3`)
	p.shot("week")
	const week = `{"world_name":"village","world":"village","from":"2026-11-16T06:00:00Z","to":"2026-11-23T06:00:00Z",
		"risk":"HIGH","why":"Two figures are out of their range.","trend":[{"from":"2026-11-09T06:00:00Z"},
		{"from":"2026-11-16T06:00:00Z"}],"figures":[{"key":"blocked","name":"blocked at write","unit":"percent",
		"cases_are":"candidates","hits":40,"cases":100,"value":0.4,"state":"odd","means":"players lie to it",
		"range":{"low":0.05,"high":0.2},"weeks":[{"hits":9,"cases":90,"value":0.1},{"hits":40,"cases":100,"value":0.4}]}]}`
	_, err := s.app.Conn.Reports().Add(t.Context(), "village", "w1", []byte(week))
	must(t, err)
	p.at("village")
	p.sees("h2", "Mira")
	p.at("village/~quality")
	p.choose(".quality select", "0")
	p.sees(".quality h2 .chip", "HIGH")
	p.sees(".figure", "40 of 100 candidates")
	p.sees(".figure", "players lie to it")
	p.until(`document.querySelector(".figure svg").getAttribute("aria-label").includes("10 %, 40 %")`)
	p.shot("week-kept")
}

// Results of suites are plotted and compared; without any the page says how to have one.
func TestStoryOfSuites(t *testing.T) {
	s := open(t)
	p := browse(t, s.url, 1280, 1000, "dark")
	p.at("village/~quality")
	p.sees("[role=status]", "There is no result in")
	p.sees("[role=status]", "forsooth eval hollowmere --json")
	s.run("monday.json", 1)
	s.run("tuesday.json", 2)
	must(t, os.WriteFile(filepath.Join(s.results, "notes.json"), []byte(`[]`), 0o600))
	p.at("village")
	p.sees("h2", "Mira")
	p.at("village/~quality")
	p.sees(".suite h3", "2 of 2")
	p.sees(".quality", "notes.json is not the JSON of forsooth eval --json.")
	p.sees(".suite tr", "pass rate")
	p.sees(".suite tr .chip", "better")
	p.sees(".suite li", "mended")
	p.until(`document.querySelectorAll(".suite svg circle").length === 2`)
	p.choose(".suite .plots select", "fabrication_rate")
	p.sees(".suite figcaption", "fabrication rate")
	p.shot("suites")
}

// The page is painted once its few files are there: all of its requests go to this gateway.
// The time is logged, and held against no bound, since it is of this machine.
func TestThePageIsPainted(t *testing.T) {
	s := open(t)
	p := browse(t, s.url, 1280, 860, "light")
	p.at("village")
	p.sees("h2", "Mira")
	p.until(`performance.getEntriesByName("first-contentful-paint").length === 1`)
	paint := eval[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
	bytes := eval[int](p, `performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
		.filter(r => r.name.includes("`+studio.Path+`")).reduce((n, r) => n + r.encodedBodySize, 0)`)
	t.Logf("first contentful paint after %.0f ms, %d bytes in all", paint, bytes)
	if bytes > 300_000 || bytes < 30_000 {
		t.Errorf("the page is %d bytes", bytes)
	}
	foreign := eval[[]string](p, `performance.getEntriesByType("resource").map(r => r.name)
		.filter(n => !n.startsWith(location.origin))`)
	if len(foreign) > 0 {
		t.Errorf("it asks for %v", foreign)
	}
}

// A turn of a scene leads to its own page from the list of turns: who spoke, who heard it, and what
// stands behind each sentence. Somebody who entered said nothing.
func TestStoryOfAScene(t *testing.T) {
	s := open(t)
	s.enters(bothEnter)
	s.do("POST", inScene, `{"player":"p1","turn_id":"t1","message":"Mira, who owns the ferry?"}`)
	p := browse(t, s.url, 1280, 900, "light")
	p.at("village/~live")
	p.click(".rows a", "Teague owns the ferry.")
	p.sees("h1", "Scene inn")
	p.sees("section > p", "It was heard by mira, osric, p1, p2.")
	p.sees("mark.span", "Teague owns the ferry.")
	p.click("[role=tab]", "Passes")
	p.click(".waterfall .link", "retrieve")
	p.sees(".pass", "then ")
	if address := eval[string](p, `location.hash`); address != "#/village/~scene/inn/t1" {
		t.Errorf("its address is %s", address)
	}
	p.at("village/~live")
	p.click(".rows a", "inn: ←")
	p.sees("section > p", "Nobody speaks in this turn")
}
