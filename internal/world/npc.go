package world

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// readNPC reads the npc.yaml of a folder under npcs.
func readNPC(l *log, folder string, data []byte) *NPC {
	n := &NPC{Path: l.file, handleLine: 1, lineOf: map[string]int{}}
	f, ok := newFields(l, data)
	if !ok {
		return n
	}
	n.Handle = f.need("handle", folder)
	if n.Handle != "" {
		if err := schema.CheckToken("handle", n.Handle); err != nil {
			f.wrong("handle", "%s", strings.TrimPrefix(err.Error(), "handle: "))
		} else if n.Handle == schema.SceneNPC {
			f.wrong("handle", "is %q, which stands for scenes; give the NPC another handle", n.Handle)
		} else if n.Handle != folder {
			f.wrong("handle", "is %q in the folder %q; an NPC's folder is its handle: rename one", n.Handle, folder)
		}
	}
	n.handleLine = f.at("handle")
	for _, own := range []string{"backstory", "personality", "goals"} {
		n.lineOf[own] = f.at(own)
	}
	n.Name = f.need("name", "the name that players see")
	n.Backstory = f.need("backstory", "who this is, in a few sentences")
	n.Personality = f.need("personality", "a few words such as plain-spoken")
	n.Style, n.Region = f.text("style"), f.text("region")
	n.Factions, n.Goals = f.list("factions"), f.list("goals")
	n.Strict, n.Streaming, n.Depth = f.boolean("strict"), f.boolean("streaming"), readDepth(f)
	n.Thresholds, n.Policy = f.thresholds(), readPolicy(f)
	n.Model = readModel(f)
	n.Lines, n.LocaleLines = readLines(f)
	n.Greeting = firstLine(f, n.Lines, LineGreeting)
	n.Farewell = firstLine(f, n.Lines, LineFarewell)
	n.Voice, n.replacementLines = readVoice(f)
	n.Secrets = readSecrets(f)
	n.Actions = readActions(f)
	n.Relating, n.Bonds, n.Schedule = readRelating(f), readBonds(f), readSchedule(f)
	n.SpeaksOn = readSpeaksOn(f)
	f.warnUnknown()
	return n
}

// firstLine reads greeting or farewell, one line or several, into the lines.
func firstLine(f *fields, lines Lines, kind string) string {
	own := f.list(kind)
	if len(own) > 0 {
		lines[kind] = append(own, lines[kind]...)
	}
	if len(lines[kind]) > 0 {
		return lines[kind][0]
	}
	return ""
}

var localeForm = regexp.MustCompile(`^[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*$`)

// readLines reads authored lines: a list under a kind, or kinds under a locale.
func readLines(f *fields) (Lines, map[string]Lines) {
	own, locales := Lines{}, map[string]Lines{}
	sub, ok := f.mapping("lines")
	if !ok {
		return own, locales
	}
	takeKinds(sub, own)
	for _, key := range sub.keys {
		if sub.read[key] || !localeForm.MatchString(key) || mappingValues(sub.nodes[key]) == nil {
			continue
		}
		inner, ok := sub.mapping(key)
		if !ok {
			continue
		}
		locales[key] = Lines{}
		takeKinds(inner, locales[key])
		inner.warnUnknown()
	}
	sub.warnUnknown()
	return own, locales
}

func takeKinds(f *fields, into Lines) {
	for _, kind := range LineKinds {
		if lines := f.list(kind); len(lines) > 0 {
			into[kind] = lines
		}
	}
}

func readVoice(f *fields) (Voice, map[string]int) {
	lines := map[string]int{}
	sub, ok := f.mapping("voice")
	if !ok {
		return Voice{}, lines
	}
	v := Voice{Openers: sub.list("openers"), Hedges: sub.list("hedges"), Replacements: map[string]string{}}
	if b := sub.boolean("lowercase"); b != nil {
		v.Lowercase = *b
	}
	if words, ok := sub.mapping("replacements"); ok {
		for _, from := range words.keys {
			to := words.text(from)
			if what := touches(from, to); what != "" {
				f.log.refusef(words.at(from), "`%s%s` touches %s; a voice may change how a thing is said, never what: take it out",
					words.where, from, what)
				continue
			}
			v.Replacements[from] = to
			lines[from] = words.at(from)
		}
	}
	sub.warnUnknown()
	return v, lines
}

func readSecrets(f *fields) []Secret {
	var out []Secret
	for _, sub := range f.mappings("secrets") {
		s := Secret{Text: sub.need("text", "what is kept secret"), Line: sub.line}
		s.Requires, s.Condition = sub.condition("requires")
		sub.warnUnknown()
		if s.Text != "" {
			out = append(out, s)
		}
	}
	return out
}

func readActions(f *fields) []schema.ActionSpec {
	var out []schema.ActionSpec
	for _, sub := range f.mappings("actions") {
		a := schema.ActionSpec{Name: sub.need("name", "give_item")}
		if a.Name != "" {
			if err := schema.CheckToken("name", a.Name); err != nil {
				sub.wrong("name", "%s", strings.TrimPrefix(err.Error(), "name: "))
			}
		}
		if sub.has("parameters") && mappingValues(sub.nodes["parameters"]) == nil &&
			!isEmptyMapping(sub.nodes["parameters"]) {
			sub.wrong("parameters", "is %s; write a JSON Schema", kindOf(sub.nodes["parameters"]))
		}
		a.Parameters = sub.json("parameters")
		a.Requires, _ = sub.condition("requires")
		if b := sub.boolean("confirm"); b != nil {
			a.Confirm = *b
		}
		a.SpeechActs = sub.list("speech_acts")
		a.Description, a.Phrasings, a.Asks = sub.text("description"), sub.list("phrasings"), sub.list("asks")
		if called, ok := sub.mapping("words"); ok {
			a.Words = map[string][]string{}
			for _, value := range called.keys {
				a.Words[value] = called.list(value)
			}
		}
		sub.warnUnknown()
		out = append(out, a)
	}
	return out
}
