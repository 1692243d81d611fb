package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/recorded"
	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// SpeechOptions say how recorded speeches are reviewed.
type SpeechOptions struct {
	Grounding *grounding.Settings // nil: those of a process that sets none
	Now       func() time.Time
}

// Spoken counts the sentences of a label.
type Spoken struct {
	N      int `json:"n"`
	Spoken int `json:"spoken"` // its words reached the reply
}

// Refusals counts what one cause kept back.
type Refusals struct {
	Cause string `json:"cause"`
	True  int    `json:"true"`  // supported sentences, and those without a claim
	False int    `json:"false"` // unsupported sentences
}

// SpeechResult is what became of the sentences of recorded speeches.
type SpeechResult struct {
	Speeches int               `json:"speeches"`
	Heard    int               `json:"turns_with_model_speech"`
	ByLabel  map[string]Spoken `json:"by_label"`
	ByStyle  map[string]Spoken `json:"by_style"`
	Refused  []Refusals        `json:"refused_by"`
}

// Speech lets the review judge recorded speeches, as they stream in production. Each
// row is a turn whose evidence are the row's blocks and whose NPC is the row's, so
// retrieval plays no part. No judge is asked, and no speech is written a second time.
func Speech(ctx context.Context, rows []recorded.Row, o SpeechOptions) (SpeechResult, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	out := SpeechResult{ByLabel: map[string]Spoken{}, ByStyle: map[string]Spoken{}, Refused: []Refusals{}}
	dir, err := os.MkdirTemp("", "forsooth-speech-")
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of temporary files
	refused := map[string]*Refusals{}
	for i := range rows {
		log, err := reviewed(ctx, filepath.Join(dir, fmt.Sprint(i)), &rows[i], o)
		if err != nil {
			return out, fmt.Errorf("speech %s: %w", rows[i].ID, err)
		}
		out.add(&rows[i], log, refused)
	}
	for _, r := range refused {
		out.Refused = append(out.Refused, *r)
	}
	slices.SortFunc(out.Refused, func(a, b Refusals) int {
		if n := b.True + b.False - a.True - a.False; n != 0 {
			return n
		}
		return strings.Compare(a.Cause, b.Cause)
	})
	return out, nil
}

// add counts one speech.
func (r *SpeechResult) add(row *recorded.Row, log *replay.Log, refused map[string]*Refusals) {
	r.Speeches++
	if len(log.Sentences) > 0 {
		r.Heard++
	}
	for i, s := range row.Sentences {
		said := slices.ContainsFunc(log.Sentences, func(x schema.Sentence) bool { return x.Text == s.Text })
		for _, count := range []struct {
			of  map[string]Spoken
			key string
		}{{r.ByLabel, s.Label}, {r.ByStyle, row.Style + " " + s.Label}} {
			c := count.of[count.key]
			c.N++
			if said {
				c.Spoken++
			}
			count.of[count.key] = c
		}
		if said {
			continue
		}
		cause := causeOf(log, i+1)
		if refused[cause] == nil {
			refused[cause] = &Refusals{Cause: cause}
		}
		if s.Label == recorded.Unsupported {
			refused[cause].False++
		} else {
			refused[cause].True++
		}
	}
}

// causeOf is the type of the first issue by which a sentence was refused, and the tier
// that said so.
func causeOf(log *replay.Log, part int) string {
	for _, r := range log.Records {
		if r.Part != part || len(r.Refused) == 0 {
			continue
		}
		cause := string(r.Refused[0].Type)
		for _, c := range r.Claims {
			if c.Verdict.Label != schema.Supported {
				return cause + " by " + c.Verdict.Tier
			}
		}
		return cause
	}
	return "not judged"
}

// reviewed sends one speech through the review, sentence by sentence, and then its end.
func reviewed(ctx context.Context, dir string, row *recorded.Row, o SpeechOptions) (*replay.Log, error) {
	w, err := worldOf(dir, row)
	if err != nil {
		return nil, err
	}
	log := replay.NewLog(nil)
	composed := app.Options{Worlds: []*world.World{w}, Data: dir, Index: filepath.Join(dir, "index.db"),
		Meaning: app.MeaningOff, Grounding: o.Grounding, Now: o.Now}
	passes, done, err := app.OffMesh(ctx, composed, log)
	if err != nil {
		return nil, err
	}
	defer done()
	review := func(ctx context.Context, t *schema.Turn, attempt int) error {
		t.Passes = append(t.Passes, schema.PassRecord{Pass: schema.PassReviewSpeech, Hop: t.Hop, Attempt: attempt})
		_, err := passes[schema.PassReviewSpeech](ctx, t)
		return err
	}
	log.Reviewed(review)
	t := turnOf(w, row, o.Now())
	whole := t.Speech.Sentences
	for n := range whole {
		t.Speech.Sentences = whole[:n+1]
		if err := log.Emit(ctx, t, n+1); err != nil {
			return nil, err
		}
	}
	err = log.Deliver(ctx, t, func(attempt int) error { return review(ctx, t, attempt) })
	if failed := log.Wait(); err == nil {
		err = failed
	}
	return log, err
}

// speechWorld is the name of a world that holds the NPC of one row.
const speechWorld = "recorded"

// worldOf writes the world of one row and loads it.
func worldOf(dir string, row *recorded.Row) (*world.World, error) {
	quoted := func(s string) string {
		data, _ := json.Marshal(s) // a JSON string is a YAML string; a text has no other error
		return string(data)
	}
	npc := filepath.Join(dir, "world", "npcs", row.Handle())
	if err := os.MkdirAll(npc, 0o755); err != nil {
		return nil, err
	}
	const rest = "\ntitle: Recorded\nlanguage: en\nlicense: Apache-2.0\n"
	files := map[string]string{
		filepath.Join(dir, "world", "world.yaml"): "name: " + speechWorld + rest,
		filepath.Join(npc, "npc.yaml"): fmt.Sprintf("handle: %s\nname: %s\nbackstory: %s\npersonality: %s\n",
			row.Handle(), quoted(row.Name), quoted(row.Backstory()), quoted(row.Personality())),
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	w, _, err := world.LoadDir(filepath.Join(dir, "world"))
	if err == nil && w.NPCs[row.Handle()] == nil {
		err = fmt.Errorf("npc: %q makes no NPC", row.Name)
	}
	return w, err
}

// turnOf is the turn whose speech is under way.
func turnOf(w *world.World, row *recorded.Row, now time.Time) *schema.Turn {
	t := &schema.Turn{
		Request: schema.Request{TurnID: "recorded", World: w.Name, NPC: row.Handle(), Player: "player",
			Message: row.Message},
		AcceptedAt: now, DeadlineAt: now.Add(time.Minute), Hop: 5, Class: schema.ClassComplex,
		Retrieval: &schema.Retrieval{Query: row.Message, Intent: schema.IntentQuestion, Zone: schema.ZoneModel,
			Confidence: 1, LoreHash: w.Version},
		Speech: &schema.Speech{Attempt: 1, Speaker: "recorded", Run: "5.1", Sentences: row.Drafted()},
	}
	t.Evidence = row.Shown(w.Name, now.Add(-time.Hour))
	d := &schema.Decision{Kind: schema.KindAnswer}
	for i := range t.Evidence {
		t.Evidence[i].Provenance.NPC = row.Handle()
		d.Share = append(d.Share, t.Evidence[i].ID)
	}
	t.Decision = d
	return t
}
