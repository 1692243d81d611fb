package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
)

// modelLimit is how long doctor waits for a model: one that runs at home may
// have to be read from the disk first.
const modelLimit = 30 * time.Second

// models asks each configured model.
func (d *diagnosis) models() {
	l := d.settings.LLM
	if !l.Configured() {
		d.add("models", statusFine, "", "no language model is configured here: the extractive speaker answers, in the "+
			"words of the evidence")
		if l.Model != "" {
			d.add("models", statusNote, "set llm.url, or --llm-url", "llm.model is %s, but no llm.url says where it is", l.Model)
		}
		return
	}
	d.model("llm", "model", l.Provider, l.Key)
	if l.Secondary.URL != "" {
		d.model("llm.secondary", "second", l.Secondary, l.SecondaryKey)
	}
	d.otherJudge()
}

// model asks one provider, and then what it can do. Nothing that is said of it holds its key.
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
	asked := d.provider(name, p, key)
	if err := llm.Check(ctx, asked); err != nil {
		d.add(check, statusBad, "", "%s; until it is mended, %s", ofSection(section, withoutKey(err.Error(), key)),
			d.instead(section))
		return
	}
	d.add(check, statusFine, "", "%s at %s answers as it should", name, p.URL)
	if can, err := capability(ctx, asked); err == nil {
		d.capability(check, name, can)
	}
	if j := d.settings.Grounding.Judge; section == "llm" && j.On && j.URL == "" {
		d.judge("llm", name, asked, prompt.JudgeChat, key)
	}
}

// otherJudge asks the judge that has an endpoint of its own.
func (d *diagnosis) otherJudge() {
	j := d.settings.Grounding.Judge
	if !j.On || j.URL == "" {
		return
	}
	name := orText(j.Model, "the server's only model") + " at " + j.URL
	key, err := j.Key()
	if err != nil {
		d.add("judge", statusBad, "", "%s is not asked: %v", name, err)
		return
	}
	if j.KeyFile != "" {
		d.keyFile("grounding.judge", "judge", j.KeyFile)
	}
	if j.Kind != string(prompt.JudgeChat) {
		name += " (" + j.Kind + ")"
	}
	d.judge("grounding.judge", name, d.provider(name, j.Provider, key), prompt.JudgeKind(j.Kind), key)
}

// judgeLimit is how long doctor lets a model answer the pairs of a judge.
const judgeLimit = time.Minute

// judge tests a model as a judge of speeches, as a process does at its start.
func (d *diagnosis) judge(section, name string, p llm.Provider, kind prompt.JudgeKind, key config.Secret) {
	ctx, cancel := context.WithTimeout(d.ctx, judgeLimit)
	defer cancel()
	models, err := llm.New(llm.Config{Primary: p}, llm.Options{})
	if err != nil {
		d.add("judge", statusBad, "", "%s is not asked: %v", name, err)
		return
	}
	defer models.Close()
	m, err := model.New(models, nil, model.Options{Judge: kind})
	if err != nil {
		d.add("judge", statusBad, "", "%s is not asked: %v", name, err)
		return
	}
	const without = "without one the model in process decides alone; take a larger model, or set grounding.judge: false"
	skill, err := reviewer.Qualify(ctx, m)
	switch {
	case err != nil:
		d.add("judge", statusNote, without, "%s judges no speeches: %s", name,
			ofSection(section, withoutKey(err.Error(), key)))
	case !skill.Qualified():
		d.add("judge", statusNote, without, "%s is not believed as a judge: %s", name, skill)
	default:
		d.add("judge", statusFine, "", "%s judges speeches: %s", name, skill)
	}
}

// capability asks once more, for what the server cannot do.
func capability(ctx context.Context, p llm.Provider) (llm.Capability, error) {
	m, err := llm.New(llm.Config{Primary: p}, llm.Options{})
	if err != nil {
		return llm.Capability{}, err
	}
	defer m.Close()
	pieces := 0
	_, err = m.Stream(ctx, llm.Request{
		Name: prompt.Compact, Schema: prompt.Schema(prompt.Compact), Limits: llm.Limits{MaxTokens: 200},
		System: `Answer as JSON of the schema "compact": {"summary":"..."}. Repeat the message.`,
		User:   "The ferry leaves at dawn, and comes back when the bell is rung.",
		World:  "doctor", Player: "doctor",
		Meter: llm.NewMeter(&protocol.Turn{Passes: []schema.PassRecord{{Pass: schema.PassThink, Attempt: 1}}}),
	}, func(string) error { pieces++; return nil })
	can := m.Capabilities()[0]
	can.Stream = can.Stream && pieces > 1 // some take the wish to stream and answer in one piece
	return can, err
}

// capability names what works all the same, only not so well.
func (d *diagnosis) capability(check, name string, can llm.Capability) {
	if !can.Stream {
		d.add(check, statusNote, "take a server that streams if players are to hear the first sentence sooner",
			"%s comes without streaming: nothing is said before the whole answer is there", name)
	}
	switch can.JSON {
	case "object":
		d.add(check, statusNote, "take a server that takes response_format json_schema if answers are refused often",
			"%s refuses a JSON schema: it is asked for JSON, and told the schema in words", name)
	case "plain":
		d.add(check, statusNote, "take a server that takes response_format json_schema if answers are refused often",
			"%s refuses a JSON schema, and JSON mode as well: it is told the schema in words", name)
	}
}

// ofSection names in a mend the settings that belong to the provider.
func ofSection(section, line string) string {
	if section == "llm" {
		return line
	}
	var names []string
	for _, key := range []string{"url", "model", "key_file", "key_env", "ca_file"} {
		names = append(names, "llm."+key, section+"."+key)
	}
	variable := "FORSOOTH_LLM_SECONDARY_KEY"
	if section == "grounding.judge" {
		variable = "FORSOOTH_GROUNDING_JUDGE_KEY"
	}
	return strings.NewReplacer(append(names, "FORSOOTH_LLM_KEY", variable)...).Replace(line)
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
		d.add(check, statusNote, "chmod 600 "+path, "the file of %s.key_file can be read by others (%v)", section,
			info.Mode().Perm())
	}
}

// modelSwitch says how the switch of a running mesh stands.
func (d *diagnosis) modelSwitch(ctx context.Context, c *mesh.Client) {
	stored, err := c.Flag(ctx, mesh.FlagLLM)
	switch {
	case err != nil:
		d.add("switch", statusNote, "look at the server's log", "the switch of the models cannot be read: %v", err)
	case switchState(stored) == mesh.FlagOff:
		d.add("switch", statusNote, "forsooth llm on", "the switch is off: no model is called, turns are answered in "+
			"the words of the evidence")
	default:
		d.add("switch", statusFine, "", "the switch is on: models speak where they are configured")
	}
}

// verifiers looks at the tiers of the cascade and at the embeddings.
func (d *diagnosis) verifiers() {
	model, err := app.NLI()
	if err != nil {
		d.add("verifier", statusBad, "take a binary that was built whole; "+app.Released,
			"the model in process does not load: %v", err)
	} else {
		c := model.Calibration()
		d.add("verifier", statusFine, "", "rules and %s in process, kernel %s; supported from %.3f, for %.1f %% false "+
			"accepts on %d pairs",
			model.Name(), transformer.Kernels()[0], c.Thresholds.Entailment, 100*c.FalseRate, c.Pairs)
	}
	d.sidecar(model)
	if encoder, err := app.Encoder(); err != nil {
		d.add("embedder", statusNote, "", "%s, in process; the sentence encoder does not load: %v", app.EmbeddingModel(), err)
	} else {
		d.add("embedder", statusFine, "", "%s until the worlds are embedded with %s, both in process", app.EmbeddingModel(),
			encoder.ID())
	}
}

// sidecarWait is how long doctor waits for a sidecar.
const sidecarWait = 3 * time.Second

// sidecar looks at the larger verifier, where one is named. Without it the model in
// process has the last word, so where there is one, the sidecar's absence is bad only
// because it was asked for.
func (d *diagnosis) sidecar(model *nli.Model) {
	n := d.settings.Grounding.NLI
	if n.URL == "" {
		return
	}
	client, err := nli.NewSidecar(nli.SidecarOptions{URL: n.URL, Hosts: d.settings.Outbound.Hosts(), Timeout: sidecarWait})
	if err != nil {
		d.add("nli", statusBad, "write grounding.nli.url as http://HOST:PORT", "%v", err)
		return
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(d.ctx, sidecarWait)
	defer cancel()
	health, err := client.Health(ctx)
	if err != nil {
		mend := "start it, or leave grounding.nli.url out: the model in process decides"
		if model == nil {
			mend = "start it: the model in process is missing too"
		}
		d.add("nli", statusBad, mend, "%v", err)
		return
	}
	if model != nil && family(health.Model) == family(model.Name()) && health.SHA256 != model.Calibration().Weights {
		d.add("nli", statusBad, "restart it with the weights of this version",
			"%s at %s has the weights of another version, whose scores nobody measured", health.Model, n.URL)
		return
	}
	d.add("nli", statusFine, "", "%s at %s", health.Model, n.URL)
}

// family is the name of weights without the number that tells their versions apart.
func family(model string) string { return strings.TrimRight(model, "0123456789") }
