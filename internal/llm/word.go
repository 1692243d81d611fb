package llm

import (
	"fmt"
	"math"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// Word asks for an answer of a word or two, as models do that judge and do not talk.
// Where the server gives the probabilities of the tokens, they come with the answer.
type Word struct {
	Messages []Message
	Validate func(text string, tokens []Token) error
}

// Message is one message as the server's chat template takes it.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Token is a token of an answer, with what else could have stood there.
type Token struct {
	Text string
	Odds map[string]float64 // the probability of each alternative, itself among them
}

const (
	alternatives = 5    // that are asked for beside a token
	coldest      = 1e-6 // the temperature of a judge: 0 would be left out, and mean the server's own
)

func (w *Word) messages() []openai.ChatCompletionMessage {
	out := make([]openai.ChatCompletionMessage, len(w.Messages))
	for i, m := range w.Messages {
		out[i] = openai.ChatCompletionMessage{Role: m.Role, Content: m.Content}
	}
	return out
}

// fit takes an answer as it is, where the asker can read it.
func (w *Word) fit(out spoken) ([]byte, error) {
	text := strings.ToValidUTF8(strings.TrimSpace(out.text), "")
	if text == "" {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, errEmpty)
	}
	if err := w.Validate(text, out.tokens); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return []byte(text), nil
}

// jsonOf is how JSON is asked for: not at all, where a word is.
func jsonOf(w *Word, json int32) int32 {
	if w != nil {
		return asPlain
	}
	return json
}

// tokensIn reads the probabilities of an answer; nil where there are none. What is no
// probability is left out.
func tokensIn(given *openai.LogProbs) []Token {
	if given == nil {
		return nil
	}
	var out []Token
	for _, t := range given.Content {
		odds := map[string]float64{}
		for _, o := range append(t.TopLogProbs, openai.TopLogProbs{Token: t.Token, LogProb: t.LogProb}) {
			if o.LogProb <= 0 { // so that what is no number is refused too
				odds[o.Token] = math.Exp(o.LogProb)
			}
		}
		out = append(out, Token{Text: t.Token, Odds: odds})
	}
	return out
}
