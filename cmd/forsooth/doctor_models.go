package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/mesh"
)

// modelLimit is how long doctor waits for a model: one that runs at home may
// have to be read from the disk first.
const modelLimit = 30 * time.Second

// models asks each configured model once.
func (d *diagnosis) models() {
	l := d.settings.LLM
	if !l.Configured() {
		d.add("models", statusFine, "", "no language model is configured: the extractive speaker answers, in the words of the evidence")
		if l.Model != "" {
			d.add("models", statusNote, "set llm.url, or --llm-url", "llm.model is %s, but no llm.url says where it is", l.Model)
		}
		return
	}
	d.model("llm", "model", l.Provider, l.Key)
	if l.Secondary.URL != "" {
		d.model("llm.secondary", "second", l.Secondary, l.SecondaryKey)
	}
}

// model asks one provider. Nothing that is said of it holds its key.
func (d *diagnosis) model(section, check string, p config.Provider, readKey func() (config.Secret, error)) {
	name := orText(p.Model, "the server's only model")
	key, err := readKey()
	if err != nil {
		d.add(check, statusBad, "", "%s at %s is not asked: %v", name, p.URL, err)
		return
	}
	if p.KeyFile != "" {
		d.keyFile(section, check, p.KeyFile)
	}
	ctx, cancel := context.WithTimeout(d.ctx, modelLimit)
	defer cancel()
	err = llm.Check(ctx, provider(section, p, key))
	switch {
	case err == nil:
		d.add(check, statusFine, "", "%s at %s answers as it should", name, p.URL)
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil:
		d.add(check, statusBad, fmt.Sprintf("look at the server there, or name another in %s.url", section), "%s at %s gave no answer within %v", name, p.URL, modelLimit)
	default:
		d.add(check, statusBad, "", "%s at %s: %s; until it is mended, %s", name, p.URL, withoutKey(err.Error(), key), d.instead(section))
	}
}

// instead is who answers while a model does not.
func (d *diagnosis) instead(section string) string {
	if section == "llm" && d.settings.LLM.Secondary.URL != "" {
		return "llm.secondary is asked, else the extractive speaker answers"
	}
	return "the extractive speaker answers in the words of the evidence"
}

// withoutKey folds a message into one line; some servers repeat the key.
func withoutKey(s string, key config.Secret) string {
	s = strings.Join(strings.Fields(s), " ")
	if key.IsZero() {
		return s
	}
	return strings.ReplaceAll(s, key.Reveal(), key.String())
}

// keyFile says when others of this machine can read a key.
func (d *diagnosis) keyFile(section, check, path string) {
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		d.add(check, statusNote, "chmod 600 "+path, "the file of %s.key_file can be read by others (%v)", section, info.Mode().Perm())
	}
}

// modelSwitch says how the switch of a running mesh stands.
func (d *diagnosis) modelSwitch(ctx context.Context, c *mesh.Client) {
	stored, err := c.Flag(ctx, mesh.FlagLLM)
	switch {
	case err != nil:
		d.add("switch", statusNote, "look at the server's log", "the switch of the models cannot be read: %v", err)
	case switchState(stored) == mesh.FlagOff:
		d.add("switch", statusNote, "forsooth llm on", "the switch is off: no model is called, turns are answered in the words of the evidence")
	default:
		d.add("switch", statusFine, "", "the switch is on: models speak where they are configured")
	}
}
