package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/store"
)

// shown is what a judge has shown, as the data folder keeps it.
type shown struct {
	At    time.Time     `json:"at"`
	Of    string        `json:"of"` // the judge and the pairs: another judge has shown nothing
	Skill *review.Skill `json:"skill"`
}

func shownPath(o Options) string {
	if o.Data == "" {
		return ""
	}
	return filepath.Join(o.Data, "judge.json")
}

// judgeOf names the judge of these options, with the pairs that it is tested by.
func judgeOf(o Options) string {
	at := o.JudgeAt
	if at.URL == "" {
		at = o.LLM.Primary
	}
	return protocol.HashText(fmt.Sprintf("%s%s %s %s", o.JudgeKind, at.URL,
		cmp.Or(o.LLM.Calls[prompt.Judge].Model, at.Model), review.PairsHash()))
}

// readShown is what this judge has shown within the day; nil: nothing that is kept. A file
// that cannot be read costs one more test and nothing else.
func readShown(o Options) *shown {
	data, err := os.ReadFile(shownPath(o))
	if err != nil {
		return nil
	}
	var s shown
	if json.Unmarshal(data, &s) != nil || s.Skill == nil || s.Of != judgeOf(o) {
		return nil
	}
	if age := o.now().Sub(s.At); age < 0 || age >= qualifyEvery {
		return nil
	}
	return &s
}

// writeShown keeps what a judge has shown.
func writeShown(o Options, skill *review.Skill) error {
	path := shownPath(o)
	if path == "" {
		return nil
	}
	data, err := json.Marshal(shown{At: o.now(), Of: judgeOf(o), Skill: skill})
	if err != nil {
		return err
	}
	return store.WriteFile(path, data)
}

func (o *Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}
