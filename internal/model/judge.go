package model

import (
	"context"
	"errors"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/prompt"
)

// checksAtOnce is how many claims a judge that takes one a call is asked about at a time.
const checksAtOnce = 4

// checkTokens is how long the answer of a judge that says one word may be.
const checkTokens = 8

// JudgeSentences asks about sentences of the turn's speech and gives a judgement each; one
// without an answer is zero. share is how much of the time that is left it may take. A
// judge that takes one claim a call has several of them at once: together they count as
// one call of the turn.
func (a *Turn) JudgeSentences(ctx context.Context, sentences []string, share float64) ([]prompt.Judgement, error) {
	if a.m.options.Judge.OneByOne() {
		return a.checkEach(ctx, sentences, share)
	}
	data := a.Speak
	if a.Lean() {
		data = func() *prompt.Data { return a.SpeakLean(deed.Allowed(a.t.AllowedActions, a.npc.Actions)) }
	}
	var said []prompt.Judgement
	_, err := a.Ask(ctx, Asked{Name: prompt.Judge, Share: share, Data: data().Numbered(sentences),
		Validate: func(answer []byte) (err error) {
			said, err = prompt.Judged(answer, len(sentences))
			return err
		}})
	return said, err
}

// checkEach puts one claim a call. It fails only where no claim was answered.
func (a *Turn) checkEach(ctx context.Context, sentences []string, share float64) ([]prompt.Judgement, error) {
	if err := a.meter.Batch(); err != nil {
		return nil, err
	}
	defer a.clock()()
	ctx, cancel := a.within(ctx, share)
	defer cancel()
	document := a.Document(a.Lean())
	out, failed := make([]prompt.Judgement, len(sentences)), make([]error, len(sentences))
	meters := make([]*llm.Meter, len(sentences))
	var group errgroup.Group
	group.SetLimit(checksAtOnce)
	for i, s := range sentences {
		meters[i] = llm.Apart(prompt.Judge)
		group.Go(func() error {
			out[i], failed[i] = a.m.check(ctx, document, prompt.Claim(a.t.Message, s),
				llm.Request{World: a.t.World, Player: a.t.Player,
					Limits: a.m.limits(a.npc, prompt.Judge), Budget: budget(a.w), Meter: meters[i]})
			return nil
		})
	}
	_ = group.Wait() // each claim has its own error
	a.meter.Include(meters...)
	for i := range out {
		if out[i].N > 0 {
			return out, nil
		}
	}
	return nil, errors.Join(failed...)
}

// within is the time that a call may take of what the turn has left.
func (a *Turn) within(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	left := time.Until(deadline) - reserve
	if share > 0 {
		left = time.Duration(float64(left) * share)
	}
	return context.WithTimeout(ctx, left)
}

// JudgeOne asks about one sentence that belongs to no turn, as the qualification of a
// judge does.
func (m *Model) JudgeOne(ctx context.Context, evidence, question, sentence string) (prompt.Judgement, error) {
	request := llm.Request{Limits: llm.Limits{Model: m.named}, Meter: llm.Apart(prompt.Judge)}
	if m.options.Judge.OneByOne() {
		return m.check(ctx, prompt.WithoutIDs(evidence), prompt.Claim(question, sentence), request)
	}
	data := new(prompt.Data).Section("evidence", strings.Split(evidence, "\n")...).Message("player",
		question).Numbered([]string{sentence})
	p, err := m.base.Build(prompt.Judge,
		prompt.Persona{Name: "the speaker", Unknown: "I don't know.", Words: 90, Sentence: 4}, data)
	if err != nil {
		return prompt.Judgement{}, err
	}
	var said []prompt.Judgement
	request.Name, request.Schema, request.System, request.User = p.Name, p.Schema, p.System, p.User
	request.Validate = func(answer []byte) (err error) {
		said, err = prompt.Judged(answer, 1)
		return err
	}
	if _, err = m.llm.Complete(ctx, request); err != nil {
		return prompt.Judgement{}, err
	}
	return said[0], nil
}

// check asks a judge that takes one claim a call.
func (m *Model) check(ctx context.Context, document, claim string, request llm.Request) (prompt.Judgement, error) {
	kind := m.options.Judge
	var out prompt.Judgement
	word := &llm.Word{Validate: func(text string, tokens []llm.Token) (err error) {
		odds := make([]prompt.Odds, len(tokens))
		for i, t := range tokens {
			odds[i] = t.Odds
		}
		out, err = kind.Judgement(text, odds)
		return err
	}}
	for _, part := range kind.Messages(document, claim) {
		word.Messages = append(word.Messages, llm.Message(part))
	}
	request.Name, request.Word = prompt.Judge, word
	if kind == prompt.JudgeMiniCheck {
		request.Limits.MaxTokens = checkTokens
	}
	if _, err := m.llm.Complete(ctx, request); err != nil {
		return prompt.Judgement{}, err
	}
	return out, nil
}

// Aside is the access for taking sentences apart and judging their claims: its calls are
// counted apart from those of the pass.
func (a *Turn) Aside() *Turn {
	out := *a
	out.meter = a.meter.Aside()
	return &out
}

// CallsLeft is how many more calls this access may make.
func (a *Turn) CallsLeft() int { return a.meter.Left() }

// Splits says whether the model may be asked to take a sentence apart. A judge that takes one
// claim a call says one word, and no sentence.
func (a *Turn) Splits() bool { return !a.m.options.Judge.OneByOne() }

// SplitSentences has the model take sentences of the turn's speech apart into their claims.
// share is how much of the time that is left it may take.
func (a *Turn) SplitSentences(ctx context.Context, sentences []string, share float64) (told [][]string, err error) {
	if !a.Splits() {
		return nil, llm.ErrUnavailable
	}
	_, err = a.Ask(ctx, Asked{Name: prompt.Claims, Share: share, Data: new(prompt.Data).Numbered(sentences),
		Validate: func(answer []byte) (err error) {
			told, err = prompt.ReadClaims(answer, len(sentences))
			return err
		}})
	return told, err
}
