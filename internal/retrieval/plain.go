package retrieval

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// spelledOut are the short forms that players type, in full.
var spelledOut = func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(`u: you
ur: your
r: are
y: why
n: and
b4: before
2nite: tonight
tonite: tonight
nite: night
lvl: level
lvls: levels
abt: about
bout: about
pls: please
plz: please
thx: thanks
ty: thanks
em: them
gimme: give me
gotta: got to
gonna: going to
wanna: want to
dunno: do not know
lemme: let me
whats: what is
what's: what is
whatre: what are
what'd: what did
whatd: what did
whos: who is
who's: who is
who'd: who did
whod: who did
wheres: where is
where's: where is
where'd: where did
whered: where did
whens: when is
when's: when is
whys: why is
why's: why is
why'd: why did
whyd: why did
hows: how is
how's: how is
how'd: how did
howd: how did
thats: that is
that's: that is
theres: there is
there's: there is
heres: here is
here's: here is
im: i am
i'm: i am
ive: i have
i've: i have
youre: you are
you're: you are
yer: your
ya: you
isnt: is not
isn't: is not
dont: do not
don't: do not
doesnt: does not
doesn't: does not
didnt: did not
didn't: did not
cant: can not
can't: can not
cannot: can not
wont: will not
won't: will not
wasnt: was not
wasn't: was not
arent: are not
aren't: are not
couldnt: could not
couldn't: could not
shouldnt: should not
shouldn't: should not
ppl: people
cuz: because
cos: because
wut: what
wat: what
wot: what
sum: some
lil: little
tho: though
thru: through
rn: now
`) {
		short, full, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok {
			out[short] = strings.Fields(full)
		}
	}
	return out
}()

// word is a word of a message with what its writing says.
type word struct {
	text    string // lower case, spelled out
	stem    string
	written string // as the player wrote it
	capital bool   // begins with a capital
	first   bool   // of its sentence
	owns    bool   // a possessive
}

// wordsOf are the words of a message, short forms spelled out.
func wordsOf(message string) []word {
	var out []word
	fresh := true
	end := 0
	for _, span := range text.WordSpans(message) {
		between := message[end:span.Start]
		if strings.ContainsAny(between, ".!?\n") {
			fresh = true
		}
		end = span.End
		written := message[span.Start:span.End]
		plain := text.Words(written)
		if len(plain) == 0 {
			continue
		}
		w := word{text: plain[0], written: written, first: fresh, capital: isCapital(written)}
		fresh = false
		if full, ok := spelledOut[w.text]; ok {
			for _, f := range full {
				out = append(out, word{text: f, stem: text.Stem(f), written: written, first: w.first})
			}
			continue
		}
		if bare := strings.TrimSuffix(strings.TrimSuffix(w.text, "'s"), "'"); bare != w.text {
			w.text, w.owns = bare, true
			w.written = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(w.written, "s"), "S"), "'\u2019\u02bc`")
		}
		w.stem = text.Stem(w.text)
		out = append(out, w)
	}
	return out
}

func isCapital(s string) bool {
	return s != "" && strings.ToLower(s[:1]) != s[:1]
}
