package llmtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The labels of a sentence.
const (
	Supported   = "supported"
	Unsupported = "unsupported"
	NoClaim     = "no_claim"
)

// Speech is one speech.
type Speech struct {
	ID        string           `json:"id"`
	World     string           `json:"world"`
	NPC       string           `json:"npc"`
	Name      string           `json:"name"`
	Message   string           `json:"message"`
	Style     string           `json:"style"` // good or careless
	Self      string           `json:"self"`
	Evidence  []SpeechBlock    `json:"evidence"`
	Sentences []SpeechSentence `json:"sentences"`
}

// SpeechBlock is a block of the evidence that was shown.
type SpeechBlock struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// SpeechSentence is what was said, with its label.
type SpeechSentence struct {
	Text  string       `json:"text"`
	Cites []string     `json:"cites"`
	Label string       `json:"label"`
	Kind  string       `json:"kind"` // world, self or social, where the writer says
	Judge *SpeechJudge `json:"judge"`
}

// SpeechJudge is the verdict of a second reader who did not see the labels.
type SpeechJudge struct {
	Kind       string  `json:"kind"`
	Verdict    string  `json:"verdict"` // supported, contradicted, unverifiable, or none
	Confidence float64 `json:"confidence"`
	Part       string  `json:"part"`
}

// Refuses says whether the reader found the sentence unsupported.
func (j SpeechJudge) Refuses() bool {
	return j.Verdict == "contradicted" || j.Verdict == "unverifiable" || j.Verdict == Unsupported
}

// maxRow bounds a line of a file.
const maxRow = 4 << 20

// ReadSpeechFile reads a file of rows, one JSON object a line.
func ReadSpeechFile(path string) ([]Speech, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return ReadSpeeches(path, f)
}

// ReadSpeeches reads rows. A row of another shape is an error that names its line and field.
func ReadSpeeches(name string, r io.Reader) ([]Speech, error) {
	var out []Speech
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRow)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var row Speech
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, fmt.Errorf("%s:%d: is no speech: %w", name, n, inWords(err))
		}
		if what := row.fault(); what != "" {
			return nil, fmt.Errorf("%s:%d: %s", name, n, what)
		}
		out = append(out, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: holds no speeches", name)
	}
	return out, nil
}

// inWords names the field that has another type, as a person would.
func inWords(err error) error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return err
	}
	if kind.Field == "" {
		return fmt.Errorf("it is of JSON type %s; a line is an object", kind.Value)
	}
	return fmt.Errorf("%s: is of JSON type %s", kind.Field, kind.Value)
}

// fault is what is wrong with a row; "" where nothing is.
func (r *Speech) fault() string {
	known := map[string]bool{"self": true}
	for _, e := range r.Evidence {
		known[e.ID] = true
		if e.ID == "" || e.Text == "" {
			return "evidence: a block needs `id` and `text`"
		}
	}
	switch {
	case r.Name == "":
		return "name: is missing; it is the NPC's name"
	case r.Message == "":
		return "message: is missing; it is what the player said"
	case len(r.Sentences) == 0:
		return "sentences: there are none"
	}
	for i, s := range r.Sentences {
		if s.Text == "" {
			return fmt.Sprintf("sentences[%d].text: is missing", i)
		}
		if s.Label != Supported && s.Label != Unsupported && s.Label != NoClaim {
			return fmt.Sprintf("sentences[%d].label: is %q; it must be supported, unsupported or no_claim", i, s.Label)
		}
		for _, id := range s.Cites {
			if !known[id] {
				return fmt.Sprintf("sentences[%d].cites: %q is no block of `evidence`", i, id)
			}
		}
	}
	return ""
}

// Handle is a token of the NPC for subjects.
func (r *Speech) Handle() string {
	if r.NPC != "" {
		return r.NPC
	}
	return "npc"
}

// Backstory and Personality are the two parts of what the NPC is.
func (r *Speech) Backstory() string {
	before, _, _ := strings.Cut(r.Self, "\nPersonality:")
	before, _, _ = strings.Cut(before, " Personality:")
	return strings.TrimSpace(before)
}

// Personality is what stands behind the mark of it, or "plain-spoken".
func (r *Speech) Personality() string {
	if _, after, ok := strings.Cut(r.Self, "Personality:"); ok {
		return strings.TrimSpace(strings.Join(strings.Fields(after), " "))
	}
	return "plain-spoken"
}

// Shown are the row's blocks as evidence of its world.
func (r *Speech) Shown(world string, at time.Time) []protocol.Evidence {
	var out []protocol.Evidence
	for _, b := range r.Evidence {
		path := "lore/" + b.ID + ".txt"
		out = append(out, protocol.Evidence{ID: b.ID, SourceID: b.ID, ChunkID: path + "#1", Path: path, Text: b.Text,
			Private:    true,
			Provenance: protocol.Provenance{Source: schema.OriginCorpus, World: world, CreatedAt: at, IndexedAt: at}})
	}
	return out
}

// Drafted are the sentences as a speaker drafts them.
func (r *Speech) Drafted() []protocol.DraftSentence {
	var out []protocol.DraftSentence
	for _, s := range r.Sentences {
		d := protocol.DraftSentence{Text: s.Text}
		for _, id := range s.Cites {
			d.Citations = append(d.Citations, protocol.Citation{EvidenceID: id})
		}
		out = append(out, d)
	}
	return out
}

// Draft is the row as the review gets it, without a turn around it.
func (r *Speech) Draft() review.Draft {
	d := review.Draft{Sentences: r.Drafted(), Evidence: r.Shown("", time.Time{}), Class: protocol.ClassComplex,
		Context: grounding.Context{NPCName: r.Name, NPCHandle: r.Handle(), Message: r.Message}}
	for _, s := range text.Sentences(r.Self) {
		d.Self = append(d.Self, protocol.Evidence{Text: s, Path: "npc.yaml", Type: "backstory", Private: true,
			Provenance: protocol.Provenance{Source: schema.OriginCorpus}})
	}
	return d
}
