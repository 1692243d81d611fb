package llmtest

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Told is a reply and what it was told from.
type Told struct {
	Reply    schema.Reply
	Person   voice.Person
	Evidence []protocol.Evidence // the turn's blocks; without them, those that the reply shows are taken
	Lines    []string            // the NPC's authored lines
	Leads    []string            // openers and hedges that may stand before a sentence
}

// Lines are all the authored lines of an NPC in a locale.
func Lines(npc *world.NPC, locale string) []string {
	var out []string
	for _, kind := range world.LineKinds {
		out = append(out, npc.Line(kind, locale)...)
	}
	return out
}

// Finding is a released sentence and what is wrong with it.
type Finding struct {
	TurnID  string `json:"turn_id"`
	NPC     string `json:"npc"`
	Text    string `json:"text"`
	Persona string `json:"persona,omitempty"`
	Why     string `json:"why"`
}

// Report is what was released, by kind. Released is the sum of True, Authored,
// Extractive and the unsupported; Miscited are sentences that are true of another
// block than those they are released with, and are counted as true as well.
type Report struct {
	Released    int       `json:"released"`
	True        int       `json:"true"`
	Authored    int       `json:"authored"`
	Extractive  int       `json:"extractive"`
	Unsupported []Finding `json:"unsupported"`
	Miscited    []Finding `json:"miscited"`
}

// Judge says of every released sentence where it came from. It goes by the text
// alone: by the log of what was said and by the evidence itself, and asks no
// verifier. Where a sentence was sent both as true and as a lie, it is a lie.
func Judge(log []Entry, told ...Told) Report {
	out := Report{Unsupported: []Finding{}, Miscited: []Finding{}}
	byMessage := map[string][]Entry{}
	for _, e := range log {
		key := text.Fold(e.Message)
		byMessage[key] = append(byMessage[key], e)
	}
	for _, t := range told {
		sent := byMessage[text.Fold(t.Reply.Message)]
		if len(sent) == 0 {
			sent = log
		}
		for _, s := range t.Reply.Sentences {
			out.Released++
			out.take(t, s, t.judge(s, sent))
		}
	}
	return out
}

// judged is where a sentence came from.
type judged struct {
	kind  string // a field of the report
	entry *Entry
	why   string
}

func (r *Report) take(t Told, s schema.Sentence, j judged) {
	f := Finding{TurnID: t.Reply.TurnID, NPC: t.Reply.NPC, Text: s.Text, Why: j.why}
	if j.entry != nil {
		f.Persona = j.entry.Persona
	}
	switch j.kind {
	case "authored":
		r.Authored++
	case "extractive":
		r.Extractive++
	case "true":
		r.True++
		of := []string{j.entry.Of}
		if j.entry.Truth == Lie { // what is left of it is true of what it cited
			of = j.entry.Cited
		}
		if !slices.ContainsFunc(s.Evidence, func(e schema.EvidenceRef) bool { return slices.Contains(of, e.ID) }) {
			f.Why = "it is true of " + strings.Join(of, ", ") + ", which it does not cite"
			r.Miscited = append(r.Miscited, f)
		}
	default:
		r.Unsupported = append(r.Unsupported, f)
	}
}

func (t Told) judge(s schema.Sentence, sent []Entry) judged {
	if t.authored(s.Text) {
		return judged{kind: "authored"}
	}
	said := t.bare(s.Text)
	var truth *Entry
	for i := range sent {
		e := &sent[i]
		if !t.same(said, e.Text) {
			continue
		}
		if e.Truth == Lie {
			return judged{entry: e, why: "it was sent as a lie: " + e.Of}
		}
		truth = e
	}
	switch {
	case truth != nil && truth.Of != unknownLine:
		return judged{kind: "true", entry: truth}
	case t.extractive(s):
		return judged{kind: "extractive"}
	}
	return t.part(said, sent)
}

// authored says whether a text is an authored line, a sentence of one, or the words
// of an action that was checked.
func (t Told) authored(said string) bool {
	lines := t.Lines
	for _, a := range t.Reply.Actions {
		if a.Checked && a.Phrase != "" {
			lines = append(slices.Clip(lines), a.Phrase)
		}
	}
	for _, line := range lines {
		for _, whole := range append(text.Sentences(line), line) {
			if equal(said, t.released(whole)) {
				return true
			}
		}
	}
	return false
}

// released is the form in which a player would read a text.
func (t Told) released(s string) string { return voice.Release(s, t.Person) }

// bare is a text without one opener or hedge of the NPC's own.
func (t Told) bare(s string) string {
	for _, lead := range t.Leads {
		lead = t.released(strings.TrimSpace(lead))
		if lead != "" && len(s) > len(lead) && strings.EqualFold(s[:len(lead)], lead) {
			if rest := strings.TrimLeft(s[len(lead):], " ,:;-—…"); rest != "" {
				return rest
			}
		}
	}
	return s
}

// forms are the ways in which a text may reach the player: as it is, and with the
// NPC's name turned into I.
func (t Told) forms(s string) []string {
	out := []string{t.released(s)}
	for _, backstory := range []bool{false, true} {
		if first, ok := voice.FirstPerson(s, t.Person, backstory); ok {
			out = appendNew(out, t.released(first))
		}
	}
	return out
}

func (t Told) same(said, sent string) bool {
	return slices.ContainsFunc(t.forms(sent), func(form string) bool { return equal(said, form) })
}

// equal compares word for word; what asks is not equal to what states.
func equal(a, b string) bool {
	f := text.Fold(a)
	return f != "" && f == text.Fold(b) && strings.Contains(a, "?") == strings.Contains(b, "?")
}

// extractive says whether a sentence is a whole sentence of the evidence it is
// released with, in one of the wordings that the NPC has for it.
func (t Told) extractive(s schema.Sentence) bool {
	said := t.bare(s.Text)
	for _, ref := range s.Evidence {
		block := protocol.Evidence{ID: ref.ID, Path: ref.Path, Text: ref.Text}
		for _, e := range t.Evidence {
			if e.ID == ref.ID && e.Text == ref.Text {
				block = e
			}
		}
		for _, verbatim := range text.Sentences(block.Text) {
			for _, r := range voice.Renderings(block, verbatim, t.Person) {
				if equal(said, t.released(r.Text)) {
					return true
				}
			}
			if block.Type == "" && t.same(unquoted(said), verbatim) {
				return true
			}
		}
	}
	return false
}

// unquoted is what stands in the quotation marks behind "… wrote:" and its like, and
// behind the words for hearsay.
func unquoted(s string) string {
	if at := hearsay.FindStringIndex(s); at != nil {
		s = s[at[1]:]
	}
	_, inner, ok := strings.Cut(s, ": “")
	if !ok || !strings.HasSuffix(inner, "”") {
		return s
	}
	return strings.TrimSuffix(inner, "”")
}

// part judges a sentence that is a part of one that was sent.
func (t Told) part(said string, sent []Entry) judged {
	none := judged{why: "nobody sent it, and no evidence holds it"}
	words := text.Words(said)
	for i := range sent {
		e := &sent[i]
		if e.Of == unknownLine || strings.Contains(said, "?") != strings.Contains(e.Text, "?") {
			continue
		}
		for _, form := range t.forms(e.Text) {
			why, isPart := partOf(words, text.Words(form), text.Words(t.released(e.False)), e.Truth == Lie)
			if isPart && why == "" {
				return judged{kind: "true", entry: e}
			}
			if isPart && none.entry == nil {
				none = judged{entry: e, why: why}
			}
		}
	}
	return none
}

// partOf says whether words are a run of those of a sentence, and what is then wrong
// with them: a part of a lie, or a part that leaves out what the rest hangs on.
func partOf(part, whole, invented []string, lie bool) (why string, ok bool) {
	if len(part) < 2 {
		return "", false
	}
	at := index(whole, part)
	if !lie {
		return hangs(whole, at, len(part)), at >= 0
	}
	wrong := index(whole, invented)
	switch {
	case len(invented) == 0 || wrong < 0:
		return "a part of a sentence that was a lie", at >= 0
	case at >= 0 && at < wrong+len(invented) && wrong < at+len(part):
		return "it holds a part of what was invented", true
	}
	kept := slices.Concat(whole[:wrong], whole[wrong+len(invented):])
	at = index(kept, part)
	return hangs(kept, at, len(part)), at >= 0
}

// index is where a run of words begins; -1 where it is not.
func index(whole, run []string) int {
	for i := 0; len(run) > 0 && i+len(run) <= len(whole); i++ {
		if slices.Equal(whole[i:i+len(run)], run) {
			return i
		}
	}
	return -1
}

// hangs says what a part left out that its truth hangs on.
func hangs(whole []string, at, n int) string {
	if at < 0 {
		return ""
	}
	for _, w := range slices.Concat(whole[:at], whole[at+n:]) {
		if weighty[w] {
			return "a part of a true sentence that leaves out " + strings.ToLower(w)
		}
	}
	return ""
}

// weighty are words that the rest of a sentence hangs on.
var weighty = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`no not never nobody none nothing nor neither without hardly scarcely cannot can't
		don't doesn't didn't isn't
		aren't wasn't weren't won't wouldn't couldn't hasn't haven't hadn't might may could would should perhaps maybe
		probably possibly
		said say says told tell tells wrote writes claims claimed thinks thought believes believed heard rumour rumoured
		seems seemed if
		unless until except but only some few most many often sometimes seldom rarely about nearly almost before after when
		false lie denied`) {
		out[w] = true
	}
	return out
}()
