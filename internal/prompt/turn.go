package prompt

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/relation"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Scene is a turn as its prompts show it. Only what this NPC may know at this
// moment is in a turn; nothing else is added here.
type Scene struct {
	Turn   *protocol.Turn
	NPC    *world.NPC
	Person voice.Person
	Quotes bool // the experiment in which a model quotes by document id
}

// Persona is the NPC as the texts name it.
func (s Scene) Persona(words, sentences int) Persona {
	p := Persona{Name: s.NPC.Name, Style: s.NPC.Style, Words: words, Sentence: sentences}
	if lines := s.NPC.Line(world.LineUnknown, s.Turn.Locale); len(lines) > 0 {
		p.Unknown = lines[0]
	}
	return p
}

// Think is the data of the monologue: sources, or their compaction, under the
// numbers that thoughts cite.
func (s Scene) Think() *Data {
	d := s.about()
	if s.Turn.Retrieval.Compacted != "" {
		d.Section("sources_in_short", strings.Split(s.Turn.Retrieval.Compacted, "\n")...)
	} else {
		s.sources(d)
	}
	if len(s.Turn.Unknown) > 0 {
		d.Section("never_heard_of", s.Turn.Unknown...)
	}
	return s.said(d, s.Turn.ThoughtReview, s.audit())
}

// Decide is the data of the decision.
func (s Scene) Decide(actions []schema.ActionSpec) *Data {
	d := s.about()
	d.Section("thoughts", s.thoughts()...)
	s.evidence(d, nil)
	d.Section("actions", Specs(actions)...)
	return s.said(d, nil, nil)
}

// Speak is the data of a speech: only the evidence that the decision shares.
func (s Scene) Speak() *Data {
	d := s.about()
	if s.Quotes {
		s.documents(d)
	} else {
		s.evidence(d, s.Turn.Decision.Share)
	}
	plan := slices.Clone(s.Turn.Decision.Plan)
	for _, w := range s.Turn.Decision.Withhold {
		plan = append(plan, "Keep back: "+w.Topic)
	}
	if ask := s.Turn.Decision.Ask; ask != "" {
		plan = append(plan, "Ask: "+ask)
	}
	d.Section("plan", plan...)
	return s.speaking(d)
}

// SpeakLean is the data of a lean call: all the evidence, and the actions.
func (s Scene) SpeakLean(actions []schema.ActionSpec) *Data {
	d := s.about()
	s.evidence(d, nil)
	d.Section("actions", Specs(actions)...)
	return s.speaking(d)
}

// speaking adds what was released already, and the feedback on the last draft.
func (s Scene) speaking(d *Data) *Data {
	var said []string
	for _, r := range s.Turn.Released {
		said = append(said, r.Text)
	}
	d.Section("said", said...)
	return s.said(d, s.Turn.SpeechReview, nil)
}

// Act is the data of the actions call: the exchange as it was, nothing more.
func (s Scene) Act(actions []schema.ActionSpec) *Data {
	d := s.about()
	d.Section("actions", Specs(actions)...)
	if slices.ContainsFunc(actions, func(a schema.ActionSpec) bool { return a.Name == deed.Tell }) {
		d.Section("remembered", s.remembered()...)
	}
	var said []string
	for _, r := range s.Turn.Released {
		said = append(said, plain(r.Text))
	}
	return s.said(d, nil, nil).Section("answer", said...)
}

// Retrieve is the data of the citation query, rerank and compact calls.
func (s Scene) Retrieve(sources bool) *Data {
	d := &Data{}
	if sources {
		s.sources(d)
	}
	return s.said(d, nil, nil)
}

// about is who the NPC is.
func (s Scene) about() *Data {
	lines := []string{s.NPC.Backstory, "Personality: " + s.NPC.Personality}
	if len(s.NPC.Goals) > 0 {
		lines = append(lines, "Goals: "+strings.Join(s.NPC.Goals, "; "))
	}
	d := new(Data).Section("self", lines...)
	var stand []string
	for _, line := range relation.Lines(s.Turn.Relation) {
		stand = append(stand, plain(line))
	}
	for _, handle := range slices.Sorted(maps.Keys(s.NPC.Bonds)) {
		b := s.NPC.Bonds[handle]
		stand = append(stand, strings.TrimSpace(fmt.Sprintf("%s (%s), trust %d. %s", handle, b.Kind, b.Trust, b.Says)))
	}
	return d.Section("relations", stand...)
}

// sources adds the citable sources as the NPC may say them, under their numbers.
func (s Scene) sources(d *Data) {
	var lines, about []string
	for _, src := range s.Turn.Sources {
		as := asEvidence(src)
		lines = append(lines, "["+src.ID+"] "+Spoken(as, s.Person))
		if what := described(as, s.Person); what != "" {
			about = append(about, src.ID+": "+what)
		}
	}
	d.Section("sources", lines...)
	d.Section("about_sources", about...)
}

func asEvidence(src protocol.Source) protocol.Evidence {
	return protocol.Evidence{Text: src.Content, Type: src.Type, Speaker: src.Speaker, Author: src.Author, At: src.At,
		Belief: src.Belief, Path: src.Path, Page: src.Page}
}

// evidence adds the blocks as the NPC may say them, one a line; ids nil means
// all. What is not in the text, such as who wrote it, stands in a list of its own.
func (s Scene) evidence(d *Data, ids []string) {
	var lines, about []string
	for _, e := range s.shown(ids) {
		lines = append(lines, "["+e.ID+"] "+Spoken(e, s.Person))
		if what := described(e, s.Person); what != "" {
			about = append(about, e.ID+": "+what)
		}
	}
	d.Section("evidence", lines...)
	d.Section("about_evidence", about...)
}

// shown are the blocks with these ids; nil means all.
func (s Scene) shown(ids []string) []protocol.Evidence {
	if ids == nil {
		return s.Turn.Evidence
	}
	return slices.DeleteFunc(slices.Clone(s.Turn.Evidence),
		func(e protocol.Evidence) bool { return !slices.Contains(ids, e.ID) })
}

// Spoken is a block as its NPC may say it, sentence by sentence: in the first
// person where it surely means the NPC, as a quotation where somebody else
// speaks. What speaks to the machine is left out. A sentence that has no such wording stands as it is written.
func Spoken(e protocol.Evidence, p voice.Person) string {
	var out []string
	for _, sentence := range text.Sentences(e.Text) {
		if intent.AddressesMachine(sentence) {
			continue
		}
		if ways := voice.Renderings(e, sentence, p); len(ways) > 0 {
			sentence = ways[0].Text
		}
		out = append(out, sentence)
	}
	return strings.Join(out, " ")
}

// described is what the text of a block does not say: its kind and page, and who wrote or said it.
func described(e protocol.Evidence, p voice.Person) string {
	var out []string
	if e.Type != "" {
		out = append(out, e.Type)
	}
	if e.Page > 0 {
		out = append(out, "page "+strconv.Itoa(e.Page))
	}
	name := func(handle string) string {
		if p.NameOf != nil {
			if n := p.NameOf(handle); n != "" {
				return n
			}
		}
		return handle
	}
	switch {
	case e.Speaker != "" && e.Speaker != p.Handle && e.Speaker != p.Name:
		out = append(out, "said by "+name(e.Speaker))
	case e.Author != "" && e.Author != p.Handle && e.Author != p.Name:
		out = append(out, "written by "+name(e.Author))
	}
	if e.Belief != "" {
		out = append(out, e.Belief+", to be told as hearsay")
	}
	return strings.Join(out, ", ")
}

func (s Scene) thoughts() []string {
	var out []string
	for _, th := range s.Turn.Thoughts {
		line := th.Text
		if len(th.Citations) > 0 {
			line += " [" + strings.Join(th.Citations, ", ") + "]"
		}
		out = append(out, line)
	}
	return out
}

// audit is what Pass 2.4 found for the claims of the last thoughts.
func (s Scene) audit() []string {
	var out []string
	if s.Turn.ThoughtReview == nil {
		return nil
	}
	for _, a := range s.Turn.ClaimAudit {
		out = append(out, fmt.Sprintf("%s: %s", a.Claim, a.Verdict))
	}
	return out
}

// said ends every message: what was talked of before, what was wrong with the
// last draft, and the player's words, last.
func (s Scene) said(d *Data, review *protocol.Review, audit []string) *Data {
	if c := s.Turn.Convo; c != nil {
		var lines []string
		for _, l := range c.Memory[max(0, len(c.Memory)-recentLines):] {
			who := s.NPC.Name
			if l.Speaker == "player" {
				who = s.player()
			}
			lines = append(lines, who+": "+plain(l.Text))
		}
		d.Section("conversation", lines...)
		var heard []string
		for _, l := range c.Heard[max(0, len(c.Heard)-recentLines):] {
			who := l.By
			if l.ByName != "" && !intent.AddressesMachine(l.ByName) {
				who = l.ByName
			}
			heard = append(heard, who+" said: "+plain(l.Text))
		}
		d.Section("heard_from_others", heard...)
	}
	d.Section("audit", audit...)
	if review != nil {
		var lines []string
		for _, i := range review.Issues[:min(len(review.Issues), maxItems)] {
			line := fmt.Sprintf("- claim: %s | issue: %s", i.Claim, i.Type)
			if i.Citation != "" {
				line += " | citation: " + i.Citation
			}
			if i.Correction != "" {
				line += " | correction: " + i.Correction
			}
			lines = append(lines, line)
		}
		d.Section("feedback", lines...)
	}
	if s.Turn.Scene != nil && s.Turn.Unasked() {
		return d.Section("occasion", "Another has answered this already. Add what you know of it, and repeat nothing.").
			Message(s.player(), s.Turn.Message)
	}
	if s.Turn.Unasked() {
		return d.Section("occasion", "Nobody has asked. You speak first, to "+s.player()+", and say what you know of this.").
			Message(s.NPC.Name, s.Turn.Message)
	}
	return d.Message(s.player(), s.Turn.Message)
}

// remembered are the memories that the turn brought to mind, under their ids.
func (s Scene) remembered() []string {
	var out []string
	for _, e := range s.Turn.Evidence {
		if strings.HasPrefix(e.Path, "memory:") {
			out = append(out, "["+e.ID+"] "+plain(e.Text))
		}
	}
	return out
}

// plain is a text without the sentences that speak to the machine.
func plain(s string) string {
	if !intent.AddressesMachine(s) {
		return s
	}
	return strings.Join(slices.DeleteFunc(text.Sentences(s), intent.AddressesMachine), " ")
}

// recentLines is how much of the conversation a prompt shows.
const recentLines = 8

// player is the player's name, where it is one and no order to the machine.
func (s Scene) player() string {
	if name := s.Turn.PlayerName; name != "" && !intent.AddressesMachine(name) && !intent.Read(name).Injected {
		return name
	}
	return "the player"
}

// Specs are actions as prompts list them.
func Specs(actions []schema.ActionSpec) []string {
	var out []string
	for _, a := range actions {
		parameters := string(a.Parameters)
		if parameters == "" {
			parameters = "{}"
		}
		out = append(out, a.Name+": "+parameters)
	}
	return out
}
