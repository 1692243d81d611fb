package world

import (
	"embed"
	"strings"
	"sync"
)

// The kinds of authored lines.
const (
	LineUnknown   = "unknown"
	LineUnsure    = "unsure" // before the nearest thing that the NPC does know
	LineRefuse    = "refuse"
	LineWait      = "wait"
	LineError     = "error"
	LineThanks    = "thanks"
	LineSmalltalk = "smalltalk"
	LineFeelings  = "feelings"
	LineWhoAreYou = "who_are_you"
	LineKindness  = "kindness" // to an offer, a compliment or a good wish
	LineHeard     = "heard"    // to what a player tells of itself
	LineGreeting  = "greeting"
	LineFarewell  = "farewell"
	LineDoubt     = "doubt" // after what was said, where Guard 3 doubts a part of it

	// To a request for a deed.
	LineDeedTrust    = "deed_trust"    // refused: the player is not trusted enough
	LineDeedRequires = "deed_requires" // refused: something else is missing
	LineDeedNotMine  = "deed_not_mine" // refused: it is none of the NPC's actions
	LineDeedAsk      = "deed_ask"      // asked back
)

// LineKinds are all kinds of authored lines.
var LineKinds = []string{LineUnknown, LineUnsure, LineRefuse, LineWait, LineError, LineThanks,
	LineSmalltalk, LineFeelings, LineWhoAreYou, LineKindness, LineHeard, LineGreeting, LineFarewell, LineDoubt,
	LineDeedTrust, LineDeedRequires, LineDeedNotMine, LineDeedAsk}

// DeedLines are the kinds that answer a request for a deed.
var DeedLines = []string{LineDeedTrust, LineDeedRequires, LineDeedNotMine, LineDeedAsk}

//go:embed lines_*.yaml
var lineFiles embed.FS

// defaultLines are the lines shipped in the binary, by language: lines_en.yaml and
// its like. None of them states a fact about a world.
var defaultLines = sync.OnceValue(func() map[string]Lines {
	out := map[string]Lines{}
	for _, lang := range []string{"en", "de", "fr", "es"} {
		l := &log{file: "lines_" + lang + ".yaml"}
		out[lang] = Lines{}
		data, err := lineFiles.ReadFile(l.file)
		if err != nil {
			panic(err)
		}
		if f, ok := newFields(l, data); ok {
			takeKinds(f, out[lang])
			f.warnUnknown()
		}
		if len(l.problems) > 0 {
			panic(l.problems[0].String())
		}
	}
	return out
})

// Line is the authored lines of a kind in a locale, at least one for every kind
// of LineKinds: the NPC's own in that locale, else its plain ones where they are
// in that language or nothing better is there, else the defaults of the
// language. `{name}` in a line stands for the NPC's name.
func (n *NPC) Line(kind, locale string) []string {
	lines := n.line(kind, locale)
	out := make([]string, len(lines))
	for i, s := range lines {
		out[i] = strings.ReplaceAll(s, "{name}", n.Name)
	}
	return out
}

func (n *NPC) line(kind, locale string) []string {
	own := language(n.language)
	if own == "" {
		own = "en"
	}
	asked := language(locale)
	if asked == "" {
		asked = own
	}
	for _, key := range []string{locale, strings.ReplaceAll(locale, "_", "-"), asked} {
		if lines := n.LocaleLines[key][kind]; key != "" && len(lines) > 0 {
			return lines
		}
	}
	if asked == own && len(n.Lines[kind]) > 0 {
		return n.Lines[kind]
	}
	if lines := defaultLines()[asked][kind]; len(lines) > 0 {
		return lines
	}
	if len(n.Lines[kind]) > 0 {
		return n.Lines[kind]
	}
	if lines := n.LocaleLines[own][kind]; len(lines) > 0 {
		return lines
	}
	return defaultLines()["en"][kind]
}

// language is the language of a locale: "en" of "en-GB".
func language(locale string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(locale, "_", "-"), "-")
	return strings.ToLower(base)
}
