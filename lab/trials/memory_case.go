package trials

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Fabrication is a memory that an extractor made up of somebody's words.
type Fabrication struct {
	Words []struct {
		Speaker string `json:"speaker"`
		Text    string `json:"text"`
	} `json:"words"`
	Candidate struct {
		Kind       schema.MemoryKind `json:"kind"`
		Subject    string            `json:"subject"`
		Predicate  string            `json:"predicate"`
		Object     string            `json:"object"`
		Content    string            `json:"content"`
		Confidence float64           `json:"confidence"`
	} `json:"candidate"`
	True struct {
		Content string `json:"content"`
	} `json:"true"` // what the words do say
	Reason string `json:"reason"` // how it was made up
}

// ReadFabrications reads them, one a line. name is what errors call the file.
func ReadFabrications(name string, r io.Reader) ([]Fabrication, error) {
	return readLines(name, "fabrications", r, (*Fabrication).check)
}

// readLines reads one JSON object a line, each of them sound. name is what errors
// call the file, what its lines.
func readLines[T any](name, what string, r io.Reader, check func(*T) error) ([]T, error) {
	var out []T
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var one T
		err := json.Unmarshal(lines.Bytes(), &one)
		if err == nil {
			err = check(&one)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		out = append(out, one)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: holds no %s", name, what)
	}
	return out, nil
}

func (f *Fabrication) check() error {
	for _, w := range f.Words {
		if w.Speaker != extract.SpeakerPlayer && w.Speaker != extract.SpeakerNPC && w.Speaker != extract.SpeakerGame {
			return fmt.Errorf("speaker is %q; write player, npc or game", w.Speaker)
		}
	}
	c := &f.Candidate
	switch {
	case len(f.Words) == 0:
		return errors.New("words are missing")
	case c.Content == "" || c.Subject == "" || c.Predicate == "" || c.Object == "":
		return errors.New("candidate needs subject, predicate, object and content")
	case f.True.Content == "":
		return errors.New("true.content is missing: what the words do say")
	}
	return nil
}

// said is all that one speaker says.
func (f *Fabrication) said(speaker string) []string {
	var out []string
	for _, w := range f.Words {
		if w.Speaker == speaker {
			out = append(out, w.Text)
		}
	}
	return out
}

// reply is the turn in which the words were spoken.
func (f *Fabrication) reply(s scene, player, turn string, at time.Time) *schema.Reply {
	r := &schema.Reply{World: s.world, NPC: s.npc, NPCName: s.npcName, Player: player, PlayerName: s.playerName,
		TurnID: turn, AcceptedAt: at,
		Status: schema.StatusAnswered, Message: strings.Join(f.said(extract.SpeakerPlayer), " ")}
	for i, text := range f.said(extract.SpeakerNPC) {
		r.Sentences = append(r.Sentences, schema.Sentence{Seq: i + 1, Text: text, Hash: protocol.HashText(text)})
	}
	return r
}

// context is what the words stand in. What the game saw comes before them.
func (f *Fabrication) context(s scene, player, turn string, at time.Time) extract.Context {
	x := s.context(player, at)
	if seen := f.said(extract.SpeakerGame); len(seen) > 0 {
		x.Previous = &extract.Utterance{EventID: "seen-" + turn, Speaker: extract.SpeakerGame, Text: strings.Join(seen, " "),
			At: at}
	}
	return x
}

// proposals are the candidate as a model gives it that also has to quote the words
// it rests on: those that lie nearest, and all that their speaker said. What lets
// either pass lets the fabrication pass.
func (f *Fabrication) proposals() []extract.Proposal {
	nearest, share := f.Words[0], -1.0
	for _, w := range f.Words {
		if v := entail.Closeness(w.Text, f.Candidate.Content); v > share {
			nearest, share = w, v
		}
	}
	out := []extract.Proposal{f.proposal([]string{nearest.Text})}
	if all := f.said(nearest.Speaker); len(all) > 1 {
		out = append(out, f.proposal(all))
	}
	return out
}

func (f *Fabrication) proposal(spans []string) extract.Proposal {
	c := &f.Candidate
	return extract.Proposal{Kind: c.Kind, Subject: c.Subject, Predicate: c.Predicate, Object: c.Object, Content: c.Content,
		Confidence: c.Confidence, Spans: spans}
}
