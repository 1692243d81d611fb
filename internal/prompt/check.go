package prompt

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// JudgeKind is how a judge is asked, and what it answers.
type JudgeKind string

// Kinds of judges. The first reads a prompt of ours and gives several verdicts in one
// call. The others know one question alone: does a document say what a claim says?
const (
	JudgeChat      JudgeKind = "chat"
	JudgeMiniCheck JudgeKind = "minicheck" // Yes means supported
	JudgeGranite   JudgeKind = "granite"   // yes means a risk: not supported
)

// OneByOne says whether such a judge takes one claim a call.
func (k JudgeKind) OneByOne() bool { return k == JudgeMiniCheck || k == JudgeGranite }

// Part is one message to a judge that takes one claim a call.
type Part struct{ Role, Content string }

// Messages put a claim beside a document, as such a judge was trained to read them.
func (k JudgeKind) Messages(document, claim string) []Part {
	if k == JudgeGranite { // the system message names the risk, the others what is held against it
		return []Part{{"system", "groundedness"}, {"context", document}, {"assistant", claim}}
	}
	return []Part{{"user", "Document: " + document + "\nClaim: " + claim}}
}

// Odds are the probabilities of what could have stood at one place of an answer.
type Odds map[string]float64

// bareConfidence is the confidence of a word that comes without its probability: the
// least that counts as sure, for such a judge could not show any skill otherwise.
const bareConfidence = 0.7

var (
	ofThoughts = regexp.MustCompile(`(?s)<think>.*?</think>`)
	ofScore    = regexp.MustCompile(`(?i)^<score>\s*(yes|no)\s*</score>$`)
	ofWord     = regexp.MustCompile(`(?i)^\W*(yes|no)\W*(<confidence>\s*\w+\s*</confidence>)?$`)
)

// Judgement reads the answer about one claim, with the odds at each of its tokens, none
// where the server gives none.
func (k JudgeKind) Judgement(answer string, tokens []Odds) (Judgement, error) {
	word := strings.TrimSpace(ofThoughts.ReplaceAllString(answer, ""))
	m := ofWord.FindStringSubmatch(word)
	if k == JudgeGranite && m == nil {
		m = ofScore.FindStringSubmatch(word)
	}
	if m == nil {
		return Judgement{}, errors.New("the answer is neither Yes nor No")
	}
	yes, confidence := strings.EqualFold(m[1], "yes"), bareConfidence
	if p, ok := yesOf(tokens); ok {
		yes, confidence = p >= 0.5, max(p, 1-p)
	}
	j := Judgement{N: 1, Kind: "world", Verdict: schema.Unverifiable, Difference: "the sentence as a whole",
		Confidence: confidence}
	if yes == (k == JudgeMiniCheck) {
		j.Verdict, j.Difference = schema.Supported, ""
	}
	return j, nil
}

// yesOf is p(yes) / (p(yes) + p(no)) where the last yes or no of the answer stands.
func yesOf(tokens []Odds) (p float64, ok bool) {
	for i := len(tokens) - 1; i >= 0; i-- {
		var yes, no, most float64
		for token, odds := range tokens[i] {
			switch most = max(most, odds); strings.ToLower(strings.TrimSpace(token)) {
			case "yes":
				yes += odds
			case "no":
				no += odds
			}
		}
		if yes+no >= most && yes+no > 0 {
			return yes / (yes + no), true
		}
	}
	return 0, false
}

// shortClaim is how many words a sentence has that may be no claim without its question.
const shortClaim = 6

// Claim is a sentence as such a judge is asked about it: a short one with its question.
func Claim(question, sentence string) string {
	if question = strings.TrimSpace(question); strings.HasSuffix(question, "?") &&
		len(text.WordSpans(sentence)) < shortClaim {
		return question + " " + sentence
	}
	return sentence
}

// Document is what grounds this NPC's speech, as text: what it is, and what was shown. The
// player's words are no part of it, for they ground nothing.
func (s Scene) Document(all bool) string {
	var shared []string
	if !all {
		shared = s.Turn.Decision.Share
	}
	lines := []string{fmt.Sprintf("I am %s. %s", s.NPC.Name, s.NPC.Backstory)}
	for _, e := range s.shown(shared) {
		line := Spoken(e, s.Person)
		if what := described(e, s.Person); what != "" {
			line = "(" + what + ") " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

var ofID = regexp.MustCompile(`(?m)^\[\w+\] `)

// WithoutIDs is evidence as plain text.
func WithoutIDs(evidence string) string { return ofID.ReplaceAllString(evidence, "") }
