package gateway_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// An NPC's page lists what it knows, what it hides and why, and what it does not know. A
// player's trust opens what asked for it.
func TestStoryOfWhatAnNPCKnows(t *testing.T) {
	s := open(t)
	p := browse(t, s.url, 1280, 1000, "light")
	p.at("village/mira")
	p.sees(".knows summary", "Does not know")
	p.click(".knows summary", "Knows")
	p.sees(".knows[open] li", "lore/ferry.txt")
	p.sees(".knows[open] li", "its own")
	p.click(".knows summary", "Hides")
	p.sees(".knows[open] li", "it asks for trust >= 40")
	p.sees(".knows[open] li", "written after the moment of the game")
	p.sees(".knows[open] li", "from 1402-06-01")
	p.click(".knows summary", "Does not know")
	p.sees(".knows[open] li", "it is osric’s own")
	p.shot("knows")
	if text := p.text(); strings.Contains(text, "Teague owns") || strings.Contains(text, "anvil") {
		t.Error("the page tells what the documents say")
	}
	p.fill(".person > .row:not(form) input", "ferry")
	p.until(`[...document.querySelectorAll(".knows .count")].map(e => e.textContent).join() === "1,0,0"`)
}

// The relation to a player is told with what moved it, and each step leads to its turn.
func TestStoryOfARelation(t *testing.T) {
	s := open(t)
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Thank you, Mira."}`)
	s.rest()
	p := browse(t, s.url, 1280, 1000, "light")
	p.at("village/mira")
	p.fill(".person form input", "p1")
	p.press(kb.Enter)
	p.sees("h2", "Toward p1")
	p.sees(".facts dd", "1")
	p.click("summary", "What moved the trust")
	p.sees(".draft[open] li", "+1 for action.update_trust")
	p.shot("relation")
	p.click(".draft[open] li a", "the turn")
	p.sees(".said.on", "Thank you, Mira.")
}

// A stranger to whom an NPC has never spoken has a page too.
func TestStoryOfNobodyYet(t *testing.T) {
	s := open(t)
	p := browse(t, s.url, 1280, 860, "light")
	p.at("village/osric")
	p.sees(".person", "Osric remembers nothing of this kind.")
	p.fill(".person form input", "stranger")
	p.press(kb.Enter)
	p.sees("h2", "Toward stranger")
	p.sees(".facts dd", "none is owed")
	p.at("village/osric/stranger")
	p.sees(".log", "Nothing has been said yet.")
	p.at("village/nobody")
	p.sees("[role=alert]", "has no NPC nobody")
	p.at("atlantis")
	p.sees("[role=alert]", "This key sees no world atlantis")
}

// Both sides of a contradiction may hold, with a reason that the history keeps. It is done by
// keys alone.
func TestStoryOfBothHold(t *testing.T) {
	s := open(t)
	s.torn("p1")
	p := browse(t, s.url, 1280, 1000, "light")
	p.at("village/mira")
	p.sees("h2", "Contradictions")
	p.fill(".torn .row input", "she has two homes")
	p.press(kb.Tab, kb.Enter)
	p.until(`!document.querySelector(".torn")`)
	p.click("summary", "History")
	p.sees(".memories li li", "she has two homes")
	p.until(`!document.querySelector(".memories").textContent.includes("Superseded by")`)
}

// Lore is drafted from a refusal: lint looks at it, and it waits in drafts/ for a person, with
// the date of the form. A second one of the name is refused in words, until the form has
// another.
func TestStoryOfADraft(t *testing.T) {
	with, dir := inFolder(t)
	s := open(t, with)
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Do you know the Baron of Quillfeather?"}`)
	p := browse(t, s.url, 1280, 1000, "light")
	p.at("village/mira/p1/t1")
	p.click("summary", "Write the lore")
	if !eval[bool](p, `[...document.querySelectorAll(".draft button")].find(b => b.textContent === "Check it").disabled`) {
		t.Error("nothing can be checked")
	}
	p.fill(".draft textarea", "The Baron of Quillfeather owns the mill.")
	p.click(".draft button", "Check it")
	p.sees(".lint", "")
	drafts := filepath.Join(dir, "drafts")
	if _, err := os.Stat(drafts); err == nil {
		t.Error("a check has written")
	}
	p.click(".draft button", "Leave it as a draft")
	p.sees(".lint", "forsooth lore promote draft:do-you-know-the-baron-of-quillfeather")
	p.shot("draft")
	data, err := os.ReadFile(filepath.Join(drafts, "do-you-know-the-baron-of-quillfeather.txt"))
	if err != nil || !strings.Contains(string(data), "owns the mill") {
		t.Errorf("%s, %v", data, err)
	}
	p.click(".draft button", "Leave it as a draft")
	p.sees(".draft [role=alert]", "is there already")
	p.expects("400")
	p.fill(".draft .row label:nth-of-type(1) input", "lore/quillfeather.txt")
	p.fill(".draft .row label:nth-of-type(3) input", "1398-02-01")
	p.click(".draft button", "Leave it as a draft")
	p.sees(".lint", "forsooth lore promote draft:quillfeather")
	if meta, err := os.ReadFile(filepath.Join(drafts, "quillfeather.txt.meta.yaml")); err != nil ||
		!strings.Contains(string(meta), "1398-02-01T") {
		t.Errorf("%s, %v", meta, err)
	}
}

// owing has every player owe a favour, named by words of the player's.
type owing struct{ gateway.Inside }

func (o owing) Relation(ctx context.Context, id schema.ConversationID) (*schema.Relation, error) {
	r, err := o.Inside.Relation(ctx, id)
	if err == nil {
		r.Owed = append(r.Owed, schema.Favour{Owes: schema.SidePlayer, What: "the pelts of Quillfeather"})
	}
	return r, err
}

// tellsNothing looks at every element and field of the page for a word of the player's, shown
// or folded, that is not blurred. What is for screen readers alone is on no screen.
func (p *page) tellsNothing(where string) {
	p.t.Helper()
	const words = `/quillfeather|oakham|\bp1\b/i`
	for _, leak := range eval[[]string](p, `[...document.body.querySelectorAll("*")].filter(e => {
		const text = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join(" ");
		if (!`+words+`.test([text, e.value, e.title, e.placeholder].join(" "))) return false;
		for (let at = e; at; at = at.parentElement)
			if (getComputedStyle(at).filter.startsWith("blur") || at.classList.contains("away")) return false;
		return true;
	}).map(e => e.outerHTML.slice(0, 200))`) {
		p.t.Errorf("%s tells %s", where, leak)
	}
}

// What players said, and who they are, is masked wherever it stands, for a screen that others
// see, and the mask stays on in the next view and after a reload.
func TestStoryOfAMask(t *testing.T) {
	with, _ := inFolder(t)
	s := open(t, with, func(o *gateway.Options) { o.Eraser, o.Inside = &erasing{}, owing{o.Inside} })
	one, other := s.torn("p1")
	s.do("POST", memories+"/"+one.ID+"/resolve", `{"keep":"`+other.ID+`"}`)
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Do you know the Baron of Quillfeather?"}`)
	p := browse(t, s.url, 1280, 1000, "light")
	p.at("village/mira/p1/t1")
	p.click("header button", "Mask players")
	p.click("summary", "Write the lore")
	p.fill(".draft textarea", "So it is.")
	p.click(".draft button", "Leave it as a draft")
	p.sees(".lint", "forsooth lore promote")
	p.tellsNothing("a draft that waits")
	p.click(".draft button", "Leave it as a draft")
	p.sees(".draft [role=alert]", "is there already")
	p.expects("400")
	p.tellsNothing("a draft whose name is taken")
	if eval[string](p, `getComputedStyle(document.querySelector(".answer")).filter`) != "none" {
		t.Error("what the NPC said is masked")
	}
	p.click("[role=tab]", "Passes")
	p.click(".waterfall .link", "retrieve")
	p.sees(".pass pre", "Quillfeather")
	p.tellsNothing("a pass")
	p.click("[role=tab]", "Your verdict")
	p.click("label", "Right")
	p.sees(".judge pre", "Quillfeather")
	p.tellsNothing("a verdict")
	p.at("village/~live")
	p.sees(".rows .words", "Quillfeather")
	p.fill(".filters label:nth-of-type(2) input", "p1")
	p.tellsNothing("the turns as they end")
	p.at("village/mira")
	p.sees(".memories", "Superseded by")
	p.fill(".person form input", "p1")
	p.press(kb.Enter)
	p.sees(".facts li", "Quillfeather")
	p.click(".erase button", "Show what would go")
	p.sees(".erase form", "to go on")
	p.fill(".erase form input", "p1")
	p.sees(".memories", "Superseded by")
	p.tellsNothing("a person")
	p.shot("masked")
	p.do(chromedp.Reload())
	p.sees(".memories", "Superseded by")
	p.tellsNothing("a person, after a reload")
}

// A verdict takes one click, and what it makes is told apart by what was thought.
func TestStoryOfAVerdict(t *testing.T) {
	s := open(t)
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Who owns the ferry?"}`)
	p := browse(t, s.url, 1280, 860, "light")
	p.at("village/mira/p1/t1")
	p.click("[role=tab]", "Your verdict")
	if n := p.count(".judge pre"); n != 0 {
		t.Errorf("%d cases before a verdict", n)
	}
	for verdict, want := range map[string]string{"Right": `expect_evidence: ["lore/ferry.txt`, "Wrong": "reject_patterns:",
		"Too shy": "expect_topic:", "Dull": "# dull"} {
		p.click(".judge label", verdict)
		p.sees(".judge pre", want)
		p.sees(".judge pre", `player_message: "Who owns the ferry?"`)
	}
	p.shot("verdict")
}

// A key of one world sees that world alone, and nothing that is of all.
func TestStoryOfAKeyOfOneWorld(t *testing.T) {
	with, texts, _ := withKeys(t, access.Key{Name: "here", Rights: access.Rights, Worlds: []string{"village"}})
	s := open(t, with)
	p := browse(t, s.url, 1280, 860, "light")
	p.at("village/~quality")
	p.until(`document.activeElement.type === "password"`)
	p.expects("401")
	p.press(texts["here"], kb.Enter)
	p.sees("h2", "The guards’ week")
	p.sees("[role=alert]", "this is of all worlds")
	p.at("village/~live")
	p.sees(".queues [role=note]", "this is of all worlds")
	p.expects("403")
}
