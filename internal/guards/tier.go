package guards

import (
	"regexp"
	"strings"
)

// The tiers that verifier_model, judge_model and scorer_model choose from. Any other
// word is the name of a language model at the provider that is set.
const (
	TierRules     = "rules"     // the deterministic rules, and no model at all
	TierInProcess = "inprocess" // the verifier that the binary carries
	TierSidecar   = "sidecar"   // the larger verifier at grounding.nli.url
	TierLLM       = "llm"       // the language model at llm.url
)

// Chosen is who a *_model setting names.
type Chosen struct {
	Tier string // empty: nobody is named, and the default of the guard holds
	Name string // of the language model; empty: the one that the calls' own settings name
}

// Choose reads a *_model setting.
func Choose(word string) Chosen {
	switch strings.ToLower(word) {
	case "":
		return Chosen{}
	case TierRules, TierSidecar:
		return Chosen{Tier: strings.ToLower(word)}
	case TierInProcess, "in-process", "in_process":
		return Chosen{Tier: TierInProcess}
	case TierLLM, "judge":
		return Chosen{Tier: TierLLM}
	}
	return Chosen{Tier: TierLLM, Name: word}
}

// modelName is how a model may be called.
var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$`)

// chosen refuses a word that names nobody.
func chosen(key, word string) error {
	if word == "" || modelName.MatchString(word) {
		return nil
	}
	return fault(key, "is %q; write rules, inprocess, sidecar, llm, or the name of a model", word)
}

// CheckReach refuses a setting that names somebody who is not there: the sidecar
// without its URL, a language model without its own.
func (s *Settings) CheckReach(sidecar, llm bool) error {
	for _, x := range []struct{ key, word string }{
		{"grounding.verifier_model", s.Grounding.VerifierModel}, {"consistency_scan.judge_model", s.Consistency.JudgeModel},
		{"faithfulness.scorer_model", s.Faithfulness.Model},
	} {
		switch c := Choose(x.word); {
		case c.Tier == TierSidecar && x.key == "consistency_scan.judge_model":
			return fault(x.key, "is %q, and the sidecar compares no memories; write rules, inprocess, llm, or the name of "+
				"a model", x.word)
		case c.Tier == TierSidecar && !sidecar:
			return fault(x.key, "is %q, and no sidecar is set; set grounding.nli.url, or write inprocess", x.word)
		case c.Tier == TierLLM && !llm && x.key == "consistency_scan.judge_model":
			return fault(x.key, "is %q, which would be a language model, and none is set; set llm.url, or write rules or "+
				"inprocess", x.word)
		case c.Tier == TierLLM && !llm:
			return fault(x.key, "is %q, which would be a language model, and none is set; set llm.url, or write rules, "+
				"inprocess or sidecar", x.word)
		}
	}
	return nil
}
