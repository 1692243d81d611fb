package gateway_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp/kb"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// model has a scripted model speak in the mesh.
func model(t *testing.T, persona string) func(*app.Options) {
	t.Helper()
	m, err := llmtest.Start(llmtest.Options{Persona: persona, Judge: "honest"})
	must(t, err)
	t.Cleanup(func() { must(t, m.Close()) })
	return scripted(m.URL())
}

// A turn is run again with a line that nothing reaches. Both answers stand side by side, what
// differs is marked, and the mesh holds nothing of it.
func TestStoryOfAReplay(t *testing.T) {
	s := open(t)
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Who owns the ferry?"}`)
	s.rest()
	before := s.kept()
	p := browse(t, s.url, 1280, 900, "light")
	p.at("village/mira/p1/t1")
	p.click("[role=tab]", "Run again")
	p.click(".replay button", "Run again")
	p.sees(".replay", "The same answer.")
	if n := p.count(".diff"); n != 0 {
		t.Errorf("%d sentences of the same answer are marked", n)
	}
	p.fill(".replay label:nth-of-type(2) input", "1")
	p.fill(".replay label:nth-of-type(3) input", "1")
	p.click(".replay button", "Run again")
	p.sees(".replay", "Changed: ")
	p.sees(".side.gone .diff", "Teague owns the ferry.")
	p.sees(".side.fresh .diff", "That I could not tell you.")
	p.shot("replay")
	s.wroteNothing(before)
	p.fill(".replay label:nth-of-type(3) input", "0.5")
	p.fill(".replay label:nth-of-type(2) input", "0.1")
	p.click(".replay button", "Run again")
	p.sees(".replay [role=alert]", "unknown_threshold")
	p.expects("400")
}

// What a model is asked is shown word for word by a replay, since no trace keeps it. The
// waterfall says so, and leads there. All of it is masked where players are.
func TestStoryOfAPrompt(t *testing.T) {
	s := openWith(t, model(t, "quote"))
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"When did the mill burn?"}`)
	p := browse(t, s.url, 1280, 1000, "light")
	p.at("village/mira/p1/t1")
	p.click("[role=tab]", "Passes")
	p.click(".waterfall .link", "speak")
	p.sees(".pass", "neither a prompt nor a raw answer")
	p.click(".pass .link", "Run the turn again to see them")
	p.sees("[role=tab][aria-selected=true]", "Run again")
	p.fill(".replay label:last-of-type input", "another-model")
	p.click(".replay button", "Run again")
	p.sees(".exchange summary", "another-model")
	p.click(".exchange summary", "1. ")
	p.sees(".exchange[open] h4", "Instructions")
	p.sees(".exchange[open] pre", "When did the mill burn?")
	p.sees(".exchange[open] h4", "Answer")
	p.shot("prompt")
	p.click("header button", "Mask players")
	p.until(`[...document.querySelectorAll(".exchange pre")].every(e => getComputedStyle(e).filter.startsWith("blur"))`)
}

// A stricter policy may take a sentence out, and another may let it stand: the side says which
// rule took it.
func TestStoryOfALyingModelRunAgain(t *testing.T) {
	s := openWith(t, model(t, "invent-detail"))
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"When did the mill burn?"}`)
	p := browse(t, s.url, 1280, 1000, "dark")
	p.at("village/mira/p1/t1")
	p.click("[role=tab]", "Run again")
	p.choose(".replay select", "strict")
	p.choose(".replay label:nth-of-type(6) select", "lean")
	p.click(".replay button", "Run again")
	p.sees(".replay .side del", "")
	p.sees(".replay .side .chip.contradicted", "NOT_ENTAILED")
	p.shot("replay-dark")
}

// Who may read and not operate sees the turn, and is told what a replay takes.
func TestStoryWithoutTheRightToRunAgain(t *testing.T) {
	with, texts, _ := withKeys(t, access.Key{Name: "read", Rights: []access.Right{access.Play, access.Read}})
	s := open(t, with)
	s.key = texts["read"]
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Who owns the ferry?"}`)
	p := browse(t, s.url, 1280, 860, "light")
	p.at("village/mira/p1/t1")
	p.until(`document.activeElement.type === "password"`)
	p.expects("401")
	p.press(texts["read"], kb.Enter)
	p.sees("mark.span", "Teague owns the ferry.")
	p.click("[role=tab]", "Run again")
	p.click(".replay button", "Run again")
	p.sees(".replay [role=alert]", `it takes the right "operate"`)
	p.expects("403")
	p.at("village/~letters")
	p.sees("main [role=alert]", `it takes the right "operate"`)
	p.expects("403")
}

// A gateway apart from its mesh shows turns, and says where the rest is.
func TestStoryOfAGatewayApart(t *testing.T) {
	s := open(t, func(o *gateway.Options) { o.Inside = nil })
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Who owns the ferry?"}`)
	p := browse(t, s.url, 1280, 860, "light")
	p.at("village/mira/p1/t1")
	p.click("[role=tab]", "Run again")
	p.click(".replay button", "Run again")
	p.sees(".replay [role=alert]", "forsooth up")
	p.at("village/mira")
	p.sees("[role=note]", "forsooth up")
	p.fill(".person input", "p1")
	p.press(kb.Enter)
	p.sees("[role=note]", "mood, favours and standing are not shown here")
	p.click(".erase button", "Show what would go")
	p.sees(".erase [role=alert]", "forsooth memory erase")
	p.at("village/~live")
	p.sees(".queues [role=note]", "forsooth up")
	p.sees(".rows .words", "Who owns the ferry?")
	p.expects("501")
}

// The whole turn is downloaded as JSON: the reply and every pass, as the doors show them.
func TestStoryOfADownload(t *testing.T) {
	s := open(t)
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Who owns the ferry?"}`)
	p := browse(t, s.url, 1280, 860, "light")
	folder := t.TempDir()
	send(p, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder})
	p.at("village/mira/p1/t1")
	p.sees("mark.span", "Teague")
	p.click(".panel button", "Download as JSON")
	path := filepath.Join(folder, "turn-t1.json")
	var data []byte
	wait(t, func() bool { // the browser makes the file before it writes into it
		data, _ = os.ReadFile(path)
		return json.Valid(data)
	})
	var got struct {
		Turn  string            `json:"turn"`
		Reply json.RawMessage   `json:"reply"`
		Trace []json.RawMessage `json:"trace"`
	}
	must(t, json.Unmarshal(data, &got))
	var traced gateway.Traced
	s.do("GET", turns+"/t1/trace?player=p1", "").json(t, &traced)
	if got.Turn != "t1" || len(got.Trace) != len(traced.Passes) || !strings.Contains(string(got.Reply), "Teague owns") {
		t.Errorf("%d passes of %d: %s", len(got.Trace), len(traced.Passes), got.Reply)
	}
}

// A permalink opens its turn in a browser that has seen nothing, and one of a turn that is
// gone says so.
func TestStoryOfAPermalink(t *testing.T) {
	s := open(t)
	for i, message := range []string{"Hello!", "Who owns the ferry?", "When did the mill burn?"} {
		s.do("POST", turns, `{"player":"p1","turn_id":"t`+string(rune('1'+i))+`","message":"`+message+`"}`)
	}
	first := browse(t, s.url, 1280, 860, "light")
	first.at("village/mira/p1/t2")
	first.sees("mark.span", "Teague")
	link := eval[string](first, `[...document.querySelectorAll(".panel a")]
		.find(a => a.textContent.includes("Permalink")).href`)
	p := browse(t, s.url, 1280, 860, "light")
	p.at(strings.SplitN(link, "#/", 2)[1])
	p.sees(".said.on", "Who owns the ferry?")
	p.sees("mark.span", "Teague owns the ferry.")
	if n := p.count(".said"); n != 3 {
		t.Errorf("%d turns of the talk are shown", n)
	}
	p.at("village/mira/p1/t9")
	p.sees(".panel [role=alert]", "this player has no such turn")
	p.until(`!document.querySelector("mark.span")`)
	p.expects("404")
}
