package world_test

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/world"
)

// read loads a world with one more document and gives its passages.
func read(t testing.TB, name, content string) ([]world.Passage, []world.Problem) {
	t.Helper()
	w, problems, err := world.Load(
		files(map[string]string{"lore/" + name: content, "lore/" + name + ".meta.yaml": meta}), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range w.Documents {
		if d.Path == "lore/"+name {
			return d.Passages, problems
		}
	}
	return nil, problems
}

func texts(passages []world.Passage) []string {
	var out []string
	for _, p := range passages {
		out = append(out, p.Text)
	}
	return out
}

func TestProseIsCutIntoWholeSentences(t *testing.T) {
	long := "A " + strings.Repeat("word ", 70) + "end."    // 354 characters
	endless := strings.Repeat("a word and, ", 60) + "end." // 724 characters
	cases := []struct {
		name, file, in string
		want           []string
	}{
		{"three at most", "a.txt", "One is. Two is. Three is. Four is. Five is.",
			[]string{"One is. Two is. Three is.", "Four is. Five is."}},
		{"none is left alone", "a.txt", "One is. Two is. Three is. Four is.",
			[]string{"One is. Two is.", "Three is. Four is."}},
		{"wraps are joined", "a.txt", "The mill\nburned in\r\nspring. Nobody saw it.",
			[]string{"The mill burned in spring. Nobody saw it."}},
		{"paragraphs are borders", "a.txt", "The mill burned.\n\nNobody saw it.",
			[]string{"The mill burned.", "Nobody saw it."}},
		{"a long sentence stands alone and whole", "a.txt", "Short one. " + long + " Short two.",
			[]string{"Short one.", long, "Short two."}},
		{"an endless one is cut at a clause", "a.txt", endless, []string{
			strings.TrimSpace(strings.Repeat("a word and, ", 53)), strings.Repeat("a word and, ", 7) + "end."}},
		{"a heading joins nothing", "a.md", "# The Mill\nIt burned.\n## Who\n\nNobody knows.",
			[]string{"It burned.", "Nobody knows."}},
		{"an underlined heading", "a.md", "The Mill\n========\nIt burned.", []string{"It burned."}},
		{"a heading in capitals", "a.txt", "THE MILL\nIt burned.", []string{"THE MILL", "It burned."}},
		{"a sign in capitals", "a.txt", "NO ENTRY WITHOUT THE PASS OF\nTHE GUARD.",
			[]string{"NO ENTRY WITHOUT THE PASS OF THE GUARD."}},
		{"a decorated line", "a.txt", "Pay here.\n-= Warning =-\nIt is deep.\n*** Closed for winter ***",
			[]string{"Pay here.", "It is deep.", "Closed for winter"}},
		{"list items", "a.md", "Bring:\n- a rope\n- a lamp that\n  burns\n1. Go down.\n2) Come up.\nThen rest.",
			[]string{"a rope", "a lamp that burns", "Go down.", "Come up.", "Then rest."}},
		{"a dash in mid-sentence is no item", "a.txt", "He left\n- or so they say -\nat dawn.",
			[]string{"He left - or so they say - at dawn."}},
		{"a number in mid-sentence is no item", "a.txt", "The price was\n12. Nobody paid.",
			[]string{"The price was 12. Nobody paid."}},
		{"a list without marks", "a.txt", "Nails 2 marks\nRope 5 marks", []string{"Nails 2 marks", "Rope 5 marks"}},
		{"verse stays whole", "a.txt", "The king did ride\nInto the storm,\nAnd died.",
			[]string{"The king did ride Into the storm, And died."}},
		{"a salutation joins nothing", "a.txt", "My dear Wren,\nI burned the mill.", []string{"I burned the mill."}},
		{"a greeting in a sentence stays", "a.txt", "Hello,\nsaid the man.", []string{"Hello, said the man."}},
		{"a label goes with its text", "a.txt", "To the north:\nThe castle.\n\nTo the south:\n- the sea",
			[]string{"To the north: The castle.", "the sea"}},
		{"a label above a list without marks", "a.txt", "Prices:\nNails 2 marks\nRope 5 marks",
			[]string{"Nails 2 marks", "Rope 5 marks"}},
		{"a call for attention joins nothing", "a.txt", "The step is rotten.\nNote:\nUse the rail.",
			[]string{"The step is rotten.", "Use the rail."}},
		{"an author's comment is no lore", "a.md", "It burned.\n<!-- Tobin did it.\nReally. -->\nIt fell.",
			[]string{"It burned.", "It fell."}},
		{"code and tables", "a.md", "```\ncode line\n```\n| Name | Fee |\n|---|---|\n| East | 2 |",
			[]string{"code line", "East | 2"}},
		{"a quotation on one line", "a.md", "> The sea gives\n\n> Nothing back.", []string{"The sea gives", "Nothing back."}},
		{"titles and initials", "a.txt", "Dr. Vane met J. Harrow. They spoke.",
			[]string{"Dr. Vane met J. Harrow. They spoke."}},
		{"a byte order mark", "a.txt", "\ufeffIt burned.", []string{"It burned."}},
		{"signs only", "a.txt", "-----\n***\n", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, _ := read(t, c.file, c.in)
			if !reflect.DeepEqual(texts(got), c.want) {
				t.Errorf("got\n%q\nwant\n%q", texts(got), c.want)
			}
		})
	}
}

func TestWhatCannotBeVerbatimIsNamed(t *testing.T) {
	got, problems := read(t, "a.md", "It burned.\n\n> The sea gives\n> nothing back.")
	if !reflect.DeepEqual(texts(got), []string{"It burned."}) {
		t.Errorf("got %q", texts(got))
	}
	if !hasProblem(problems, "lore/a.md:3: warning: this sentence wraps across markup") {
		t.Errorf("no warning in %v", lines(problems))
	}
}

func TestPassagesKnowTheirPlace(t *testing.T) {
	got, _ := read(t, "a.md", "# Fire\n\nIt burned.\nIt fell\ndown. One. Two.\f\n## After\nNobody came.")
	type place struct {
		Text, Heading string
		Line, Page    int
	}
	var places []place
	for _, p := range got {
		places = append(places, place{p.Text, p.Heading, p.Line, p.Page})
	}
	want := []place{{"It burned. It fell down.", "Fire", 3, 1}, {"One. Two.", "Fire", 5, 1},
		{"Nobody came.", "After", 7, 2}}
	if !reflect.DeepEqual(places, want) {
		t.Errorf("got %+v\nwant %+v", places, want)
	}
}

// said is a passage of a log or a mail.
type said struct{ At, Speaker, Text string }

func saids(passages []world.Passage) []said {
	var out []said
	for _, p := range passages {
		out = append(out, said{p.At.Format("2006-01-02 15:04:05"), p.Speaker, p.Text})
	}
	return out
}

func TestLogs(t *testing.T) {
	cases := []struct {
		name, in string
		want     []said
	}{
		{"chat", "[1997-03-02 23:14] <alice> Hi. It works.\n[1997-03-02 23:15:30] <@bob> no", []said{
			{"1997-03-02 23:14:00", "alice", "Hi. It works."}, {"1997-03-02 23:15:30", "bob", "no"}}},
		{"named speaker", "1402-04-11 21:40 Osric: The gate is shut.\n1402-04-11 21:41 - Old Ben: Aye.", []said{
			{"1402-04-11 21:40:00", "Osric", "The gate is shut."}, {"1402-04-11 21:41:00", "Old Ben", "Aye."}}},
		{"RFC 3339", "2031-01-02T03:04:05Z <x> a b\n2031-01-02T03:04:05+02:00 <x> c d", []said{
			{"2031-01-02 03:04:05", "x", "a b"}, {"2031-01-02 01:04:05", "x", "c d"}}},
		{"time alone takes the day of the file and goes over midnight", "[23:59] <a> late\n[00:01] <b> early", []said{
			{"1402-01-01 23:59:00", "a", "late"}, {"1402-01-02 00:01:00", "b", "early"}}},
		{"a line of the day", "--- Day changed Sun Mar 02 1997\n01:00 <a> one\n1997-03-05\n01:00 <a> two", []said{
			{"1997-03-02 01:00:00", "a", "one"}, {"1997-03-05 01:00:00", "a", "two"}}},
		{"deeds and events", "[10:00] * bob waves\n[10:01] -!- eve has left\n[10:02] The bell rang.", []said{
			{"1402-01-01 10:00:00", "bob", "bob waves"}, {"1402-01-01 10:01:00", "", "eve has left"},
			{"1402-01-01 10:02:00", "", "The bell rang."}}},
		{"an indented line goes on", "[10:00] <a> one\n    and two", []said{{"1402-01-01 10:00:00", "a", "one and two"}}},
		{"a speaker without a time", "Osric: Who goes?\nWren: Me.", []said{
			{"0001-01-01 00:00:00", "Osric", "Who goes?"}, {"0001-01-01 00:00:00", "Wren", "Me."}}},
		{"a link is no speaker", "[10:00] <a> see http://x.example/y",
			[]said{{"1402-01-01 10:00:00", "a", "see http://x.example/y"}}},
		{"lines of one speaker stay apart", "[10:00] <a> One.\n[10:01] <a> Two.", []said{
			{"1402-01-01 10:00:00", "a", "One."}, {"1402-01-01 10:01:00", "a", "Two."}}},
		{"empty lines and rules", "\n-----\n[10:00] <a>\n[10:00] <a> x", []said{{"1402-01-01 10:00:00", "a", "x"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, _ := read(t, "a.log", c.in)
			if !reflect.DeepEqual(saids(got), c.want) {
				t.Errorf("got\n%+v\nwant\n%+v", saids(got), c.want)
			}
		})
	}
}

func TestMail(t *testing.T) {
	head := "From: \"Ada Fell\" <ada@vane.example>\r\nDate: Sat, 03 Apr 1402 09:30:00 +0100\r\nSubject: Re: nets\r\n"
	by := func(text ...string) []said {
		var out []said
		for _, s := range text {
			out = append(out, said{"1402-04-03 08:30:00", "Ada Fell", s})
		}
		return out
	}
	cases := []struct {
		name, in string
		want     []said
	}{
		{"plain", head + "\r\nThe nets are\r\nready. Come.\r\n", by("The nets are ready. Come.")},
		{"quoted lines are another's", head + "\n> Where are they?\n>> What?\nHere.\n", by("Here.")},
		{"an attribution over two lines", head + "\nHere.\n\nOn Sun, 2 Apr 1402 at 18:00, Wren\n<wren@x.example> " +
			"wrote:\n> Where?\n\nYours, Ada", by("Here.", "Yours, Ada")},
		{"an attribution without marks ends it", head + "\nHere.\n\nOn 2 Apr 1402 Wren wrote:\n\nWhere are they?",
			by("Here.")},
		{"what somebody wrote in a sentence stays", head + "\nOn Monday I saw what she wrote: nothing.\n",
			by("On Monday I saw what she wrote: nothing.")},
		{"an original message below", head + "\nHere.\n-----Original Message-----\nFrom: Wren\n\nWhere?", by("Here.")},
		{"headers below", head + "\nHere.\n\nFrom: Wren\nSent: Sunday\nTo: Ada\n\nWhere?", by("Here.")},
		{"a signature is a paragraph", head + "\nHere.\n-- \nAda Fell, netmaker", by("Here.", "Ada Fell, netmaker")},
		{"latin-1, quoted-printable", head + "MIME-Version: 1.0\nContent-Type: text/plain; " +
			"charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nThe caf=E9 is sh=\nut.",
			by("The café is shut.")},
		{"base64", head + "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: " +
			"base64\n\nVGhlIG1pbGwgYnVybmVkLg==\n", by("The mill burned.")},
		{"parts: the plain one", head + "MIME-Version: 1.0\nContent-Type: multipart/alternative; " +
			"boundary=b\n\n--b\nContent-Type: text/plain\n\nPlain it is.\n--b\nContent-Type: text/html\n\n<p>Html it " +
			"is.</p>\n--b--\n", by("Plain it is.")},
		{"html only", head + "MIME-Version: 1.0\nContent-Type: text/html\n\n<p>The mill <b>burned</b>.</p>\n",
			by("The mill *burned*.")},
		{"UTF-8 undeclared", head + "\nThe café is shut.\n", by("The café is shut.")},
		{"an encoded name, no date", "From: =?utf-8?q?Zo=C3=AB?= <z@x.example>\nSubject: a\n\nHi there.",
			[]said{{"1402-01-01 00:00:00", "Zoë", "Hi there."}}},
		{"an address alone", "From: zero@x.example\nDate: 1402-02-03\n\nHi there.",
			[]said{{"1402-02-03 00:00:00", "zero", "Hi there."}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, problems := read(t, "a.eml", c.in)
			if !reflect.DeepEqual(saids(got), c.want) {
				t.Errorf("got\n%+v\nwant\n%+v\n%s", saids(got), c.want, lines(problems))
			}
		})
	}
}

func TestMailThatCannotBeRead(t *testing.T) {
	for name, in := range map[string]string{
		"no headers": "\nThe mill burned.\n",
		"endless parts": "From: a@b.example\nContent-Type: multipart/mixed; boundary=b\n\n" +
			strings.Repeat("--b\n\nx\n", 2000),
		"not its charset": "From: a@b.example\nSubject: x\n\nThe caf\xe9 is shut.\n",
	} {
		got, problems := read(t, "a.eml", in)
		if got != nil || len(world.Errors(problems)) != 1 {
			t.Errorf("%s: %q, %s", name, texts(got), lines(problems))
		}
	}
}

func TestRecords(t *testing.T) {
	got, _ := read(t, "a.yaml", "market:\n  nails: 2 marks   # a dozen\n  rope: \"5 marks\"\n  open: [Monday, "+
		"Friday]\nstock:\n  - bread\n  - {name: salt, fee: 3}\nnews: |\n  The mill burned. It is\n  gone.\n\n  Nobody "+
		"knows.\nnone: ~\n")
	want := []string{"nails: 2 marks", `rope: "5 marks"`, "open: [Monday, Friday]", "bread", "name: salt", "fee: 3",
		"The mill burned. It is gone.", "Nobody knows."}
	if !reflect.DeepEqual(texts(got), want) {
		t.Errorf("got  %q\nwant %q", texts(got), want)
	}
	if got[0].Heading != "market" || got[0].Line != 2 {
		t.Errorf("the first passage is at %d under %q", got[0].Line, got[0].Heading)
	}
}

func TestCatalogueKeepsToScopeTimeAndConditions(t *testing.T) {
	w := loadHarbour(t)
	paths := func(npc string, trust int, at time.Time) []string {
		var out []string
		for _, f := range w.CatalogueOf(w.NPCs[npc], world.Facts{Trust: trust}, at).Open {
			out = append(out, f.Path)
		}
		return out
	}
	if got, want := paths("wren", 0, w.Now),
		[]string{"lore/prices.yaml", "lore/tides.md", "npcs/wren/home/letter.eml",
			"npcs/wren/npc.yaml#backstory", "npcs/wren/npc.yaml#personality"}; !reflect.DeepEqual(got, want) {
		t.Errorf("wren: %q, want %q", got, want)
	}
	if got, want := paths("osric", 10, w.Now),
		[]string{"lore/gate.log", "lore/prices.yaml", "lore/tides.md", "npcs/osric/home/sign.txt",
			"npcs/osric/npc.yaml#backstory", "npcs/osric/npc.yaml#personality"}; !reflect.DeepEqual(got, want) {
		t.Errorf("osric: %q, want %q", got, want)
	}
	if got, want := paths("osric", 10, time.Date(1401, 6, 1, 0, 0, 0, 0, time.UTC)),
		[]string{"lore/tides.md", "npcs/osric/home/sign.txt", "npcs/osric/npc.yaml#backstory",
			"npcs/osric/npc.yaml#personality"}; !reflect.DeepEqual(got, want) {
		t.Errorf("osric a year earlier: %q, want %q", got, want)
	}
}

// checkPassages holds whatever the file: every passage is bounded, on one line,
// and stands in the file, white space aside.
func checkPassages(t *testing.T, content string, passages []world.Passage, verbatim bool) {
	t.Helper()
	source := strings.Join(strings.Fields(content), "")
	for _, p := range passages {
		if n := utf8.RuneCountInString(p.Text); n == 0 || n > 640 {
			t.Fatalf("a passage of %d characters: %q", n, p.Text)
		}
		if strings.ContainsAny(p.Text, "\n\r") || p.Text != strings.TrimSpace(p.Text) {
			t.Fatalf("white space in %q", p.Text)
		}
		if verbatim && !strings.Contains(source, strings.Join(strings.Fields(p.Text), "")) {
			t.Fatalf("%q does not stand in %q", p.Text, content)
		}
	}
}

func FuzzProse(f *testing.F) {
	for _, s := range []string{"# A\nb c. D\n- e\n  f\n| g | h |\n|--|\n> i\n> j.", "A\n===\n\f\n<!-- x -->\n```\ny",
		"HEAD\nDear B,\n-= c =-\n1. d", "a\u2028b\u0085c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, name := range []string{"a.txt", "a.md"} {
			got, _ := read(t, name, s)
			checkPassages(t, s, got, true)
		}
	})
}

func FuzzLog(f *testing.F) {
	for _, s := range []string{"[1997-03-02 23:14] <alice> text", "1402-04-11 21:40 Osric: text\n\tmore",
		"--- Day changed Sun Mar 02 1997\n[25:99] * a b", "9999-12-31 23:59 a: b\n[00:00] c: d", "(10:00) -!- x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, _ := read(t, "a.log", s)
		checkPassages(t, s, got, true)
		for _, p := range got {
			if _, err := p.At.MarshalJSON(); err != nil {
				t.Fatalf("%v of %q", err, s)
			}
		}
	})
}

func FuzzMail(f *testing.F) {
	for _, s := range []string{"From: a\nDate: Mon, 03 Apr 1402 09:30:00 +0100\n\nOn 1 Jan, b wrote:\n> c\nd. E.",
		"Subject: =?x?q?=\nContent-Type: multipart/mixed; boundary=\"b\"\n\n--b\n\n--b--",
		"From: a\nContent-Type: text/html\n\n<p>a<b", "From: a\nContent-Type: text/plain; " +
			"charset=koi8-r\nContent-Transfer-Encoding: base64\n\n////"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, _ := read(t, "a.eml", s)
		checkPassages(t, s, got, false)
	})
}

func FuzzRecords(f *testing.F) {
	for _, s := range []string{"a: b\nc: [d, e]\nf: |\n  g. H.\n", "- &a {b: 'c'}\n- *a\n", "? a\n: b",
		"a: !!str 1\n---\nb", "a: \"\\u00e9\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, _ := read(t, "a.yaml", s)
		checkPassages(t, s, got, true)
	})
}

func FuzzMetadata(f *testing.F) {
	for _, s := range []string{meta, "created_at: 946684800\nauthor: [a]\n",
		"{created_at: 1402-01-01, author: a, type: b, summary: c, keywords: d, requires: 'trust >= 1', known_by: [all, " +
			"faction:x]}", "<<: *a", "a: &b\n  c: *b", "[[[[", "author: |\n a\n", "\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		w, problems, err := world.Load(files(map[string]string{"lore/mill.txt.meta.yaml": s}), ".")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if strings.ContainsAny(p.Message, "\n\r") {
				t.Fatalf("a problem of more than one line: %q", p.Message)
			}
		}
		for _, d := range w.Documents {
			if d.Path == "lore/mill.txt" && (d.CreatedAt.IsZero() || d.Author == "" || d.Type == "" || d.Summary == "") {
				t.Fatalf("citable with metadata %+v", d)
			}
		}
		w.Chunks()
	})
}
