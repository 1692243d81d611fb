package gateway_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp/kb"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/app"
	evaluation "github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/services/gateway"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// A person talks to an NPC, and sees the evidence of a sentence by a click: the document,
// its author and date, the verdict and the exact words.
func TestStoryOfATalk(t *testing.T) {
	s := open(t)
	p := browse(t, s.url, 1280, 860, "light")
	p.at("")
	p.sees("h2", "Mira")
	p.click("a", "Talk to Mira")
	p.sees(".log", "Mind the sparks.")
	p.says("Who owns the ferry?")
	p.click(".s.grounded", "Teague owns the ferry.")
	p.sees(".source code", "lore/ferry.txt")
	p.sees(".source dd", "council")
	p.sees(".source dd", "1401-03-01")
	p.sees(".claim dd", "supported by the tier rule")
	p.sees("mark.span", "Teague owns the ferry.")
	p.shot("talk")
	p.says("Who owes you for the hinges of the gate?")
	p.sees(".s.own", "I forged the hinges")
	p.says("Hello!")
	p.sees(".s.social", "")
	address := eval[string](p, `location.hash`)
	if !strings.HasPrefix(address, "#/village/mira/visitor/") {
		t.Errorf("the permalink is %s", address)
	}
	p.at("village")
	p.sees("h2", "Mira")
	p.at(address[2:])
	p.sees("mark.span", "Teague owns the ferry.")
	p.sees(".said.on", "Who owns the ferry?")
}

// Everything of a talk is done by keys: to say, to reach a sentence, to open its evidence, to
// change the tab, and to come back where one was.
func TestStoryByKeyboard(t *testing.T) {
	s := open(t)
	p := browse(t, s.url, 1280, 860, "light")
	p.at("village/mira/p1")
	p.sees(".log", "Mind the sparks.")
	focused := func(what string) bool { return eval[bool](p, `document.activeElement.matches(`+quote(what)+`)`) }
	reach := func(what string) {
		t.Helper()
		for range 40 {
			if focused(what) {
				return
			}
			p.press(kb.Tab)
		}
		t.Fatalf("no key leads to %s; the focus is at %s", what, eval[string](p, `document.activeElement.outerHTML`))
	}
	reach(".skip")
	p.press(kb.Enter)
	reach("#message")
	p.press("Who owns the ferry?", kb.Enter)
	p.sees(".s.grounded", "Teague owns the ferry.")
	p.sees(".foot", "How it came about")
	eval[bool](p, `(document.querySelector(".log").focus(), true)`)
	reach(".s.grounded")
	p.press(kb.Enter)
	p.sees("mark.span", "Teague owns the ferry.")
	reach("[role=tab]")
	p.press(kb.ArrowRight)
	p.sees("[role=tab][aria-selected=true]", "Not said")
	p.press(kb.ArrowRight)
	p.sees(".waterfall", "review-speech")
	p.press(kb.Escape)
	p.until(`!document.querySelector(".panel")`)
	if !focused(".s.grounded") {
		t.Error("the focus does not come back to the sentence")
	}
}

// A refusal says what was missing and what came nearest, and drafts the lore that would
// answer. What is kept back has a reason.
func TestStoryOfARefusal(t *testing.T) {
	s := open(t)
	p := browse(t, s.url, 1280, 1000, "light")
	p.at("village/mira/p1")
	p.says("Do you know the Baron of Quillfeather?")
	p.click(".s.refusal", "That I could not tell you.")
	p.sees(".refusal dd", "UNKNOWN_NAME")
	p.sees(".refusal dd", "Quillfeather")
	p.sees(".notsaid", "not for this NPC to know")
	p.click("summary", "Write the lore")
	eval[bool](p, `(document.querySelector(".draft textarea").focus(), true)`)
	p.press("The Baron of Quillfeather owns the mill.")
	p.sees(".draft pre", "The Baron of Quillfeather owns the mill.")
	p.sees(".draft pre", "created_at: ")
	p.sees(".draft pre", `keywords: ["know","baron","quillfeather"]`)
	p.click(".draft label", "Only Mira knows it")
	p.sees(".draft code", "npcs/mira/home/do-you-know-the-baron-of-quillfeather.txt.meta.yaml")
	p.shot("refusal")
	village := servicetest.Village()
	for i, f := range eval[[]string](p, `[...document.querySelectorAll(".draft pre")].map(e => e.textContent)`) {
		name := eval[[]string](p, `[...document.querySelectorAll(".draft .file > p code")].map(e => e.textContent)`)[i]
		village[name] = &fstest.MapFile{Data: []byte(f)}
	}
	w, problems, err := world.Load(village, ".")
	must(t, err)
	drafted := func(d *world.Document) bool { return strings.Contains(d.Path, "quillfeather") }
	if len(problems) > 0 || !slices.ContainsFunc(w.Documents, drafted) {
		t.Errorf("the draft is no lore: %v", problems)
	}
	p.says("What did you hide under the great anvil?")
	p.sees(".s.refusal", "That stays with me.")
	p.click(".said:last-child .s", "That stays with me.")
	p.sees(".refusal", "The lore is there.")
}

// What a lying model wanted to say is shown with the rule that took it out.
func TestStoryOfWhatWasNotSaid(t *testing.T) {
	model, err := llmtest.Start(llmtest.Options{Persona: "invent-detail", Judge: "honest"})
	must(t, err)
	t.Cleanup(func() { must(t, model.Close()) })
	s := openWith(t, scripted(model.URL()))
	p := browse(t, s.url, 1280, 1000, "dark")
	p.at("village/mira/p1")
	p.says("When did the mill burn?")
	p.click(".said:last-child button", "How it came about")
	p.click("[role=tab]", "Not said")
	p.until(`document.querySelectorAll(".refused del").length > 0`)
	p.sees(".refused dd", "review-speech")
	p.until(`document.querySelector(".refused .chip").textContent.length > 3`)
	p.shot("not-said")
	p.click("[role=tab]", "Passes")
	p.sees(".sums", "First sentence")
	p.until(`document.querySelectorAll(".waterfall .model").length > 0`)
	p.click(".waterfall .link", "speak")
	p.sees(".pass", "Draft 1 by")
	p.shot("passes")
	p.click("[role=tab]", "Your verdict")
	p.click("label", "Wrong")
	p.sees(".judge pre", "reject_patterns:")
	for _, verdict := range []string{"Wrong", "Too shy", "Dull", "Right"} {
		p.click("label", verdict)
		path := filepath.Join(t.TempDir(), "evals.yaml")
		text := "suite: seen\nworld: .\ncases:\n" + eval[string](p, `document.querySelector(".judge pre").textContent`)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		if suite, err := evaluation.Load(path); err != nil || len(suite.Cases) != 1 {
			t.Errorf("%s makes no case: %v\n%s", verdict, err, text)
		}
	}
}

// What a player and a model write are texts and never markup.
func TestStoryOfAHostileMessage(t *testing.T) {
	s := open(t)
	p := browse(t, s.url, 1280, 860, "light")
	p.at("village/mira/p1")
	const hostile = `<img src=x onerror="window.hit=1"><script>window.hit=1</script><b id=owned>"'&lt;`
	p.says(hostile)
	p.sees(".player .words", hostile)
	p.click(".said:last-child button", "How it came about")
	p.sees(".asked .words", hostile)
	for _, tab := range []string{"Evidence", "Not said", "Passes", "Your verdict"} {
		p.click("[role=tab]", tab)
	}
	p.click("label", "Right")
	p.sees(".judge pre", `window.hit`)
	p.at("village/~live")
	p.sees(".rows .words", hostile)
	p.at("village/%3Cimg%20src%3Dx%20onerror%3D%22window.hit%3D1%22%3E")
	p.sees(".trouble", "has no NPC <img")
	if eval[bool](p, `!!window.hit || !!document.querySelector("#owned, main img, main script")`) {
		t.Error("a text became markup")
	}
}

// Where there are keys the page asks for one, keeps it in the tab, and says what it may not.
func TestStoryOfAKey(t *testing.T) {
	with, texts, _ := withKeys(t, access.Key{Name: "play", Rights: []access.Right{access.Play}},
		access.Key{Name: "all", Rights: access.Rights})
	s := open(t, with)
	p := browse(t, s.url, 1280, 860, "light")
	p.at("village/mira/p1")
	p.sees("h1", "Show a key")
	p.expects("401")
	p.until(`document.activeElement.type === "password"`)
	p.press(texts["play"], kb.Enter)
	p.says("Who owns the ferry?")
	p.click(".s.grounded", "Teague owns the ferry.")
	p.sees(".panel [role=note]", "no right to read")
	p.sees(".source code", "lore/ferry.txt")
	p.expects("403")
	if eval[string](p, `JSON.stringify(localStorage)+document.cookie`) != `{"forsooth.theme":"auto"}` {
		t.Error("the key is kept beyond the tab")
	}
	p.click("header button", "Key")
	p.until(`document.activeElement.type === "password"`)
	p.press(texts["all"], kb.Enter)
	p.click(".s.grounded", "Teague owns the ferry.")
	p.sees("mark.span", "Teague owns the ferry.")
}

// An NPC's page shows each memory with the words that prove it and its contradictions side by
// side; one is settled, and a player is erased with a receipt.
func TestStoryOfMemories(t *testing.T) {
	var e erasing
	s := openWith(t, func(*app.Options) {}, func(o *gateway.Options) { o.Eraser = &e })
	s.torn("p1")
	p := browse(t, s.url, 1280, 1000, "light")
	p.at("village/mira")
	p.sees("h1", "Mira")
	p.sees(".memories .proof", "I live in Oakham")
	p.sees("h2", "Contradictions")
	p.shot("memories")
	p.click(".torn button", "This one holds: ")
	p.until(`!document.querySelector(".torn")`)
	p.sees(".memories", "Superseded by")
	p.click("summary", "History")
	p.sees(".memories li li", "resolved by operator:inspector")
	p.click("button", "Take back")
	p.sees("h2", "Contradictions")
	p.click(".torn button", "This one holds: ")
	p.until(`!document.querySelector(".torn")`)
	eval[bool](p, `(document.querySelector(".person input").focus(), true)`)
	p.press("p1", kb.Enter)
	p.sees("h2", "Toward p1")
	p.click(".erase button", "Show what would go")
	p.sees(".erase", "2 memories in the index")
	if !eval[bool](p, `document.querySelector(".danger").disabled`) {
		t.Error("it can be erased before the id is typed")
	}
	eval[bool](p, `(document.querySelector(".erase input").focus(), true)`)
	p.press("p1", kb.Enter)
	p.sees(".erase h3", "Receipt r1")
	p.shot("erased")
	if e != (erasing{"village", "p1"}) {
		t.Errorf("erased: %+v", e)
	}
}

func quote(s string) string {
	data, _ := json.Marshal(s) // a string
	return string(data)
}
