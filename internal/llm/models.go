// Package llm asks language models over OpenAI's protocol, and alone imports
// go-openai: structured calls with what each server can do found once, repair and
// one retry of an answer that is nearly right, streams that a cancel reaches, a
// breaker per provider, and a ladder from the first provider to the second. It
// counts a turn's calls, tokens and cost and refuses beyond their limits. It knows
// no prompt and no evidence, and of the passes only how many calls each may make;
// it believes nothing that it is told: what an answer may be used for is decided
// elsewhere.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/forsooth-npc/forsooth/internal/limits"
)

// The errors a caller may test for. On each of them a turn goes on without a model.
var (
	ErrOff         = errors.New("the models are switched off")
	ErrBudget      = errors.New("the budget of the day is spent")
	ErrSpent       = errors.New("the turn has made all the calls it may")
	ErrUnavailable = errors.New("no model answers")
	ErrCut         = errors.New("the answer broke off")
	// ErrAnswer is a model that answers, and not with what was asked for.
	ErrAnswer = errors.New("the answer does not fit its schema")
)

// Provider is one server with one model.
type Provider struct {
	Name              string // as errors and events call it
	URL               string // the part before /chat/completions
	Model             string
	Key               string
	CAFile            string       // certificates trusted besides the system's
	Hosts             limits.Hosts // that may be asked
	PriceIn, PriceOut float64      // of a million tokens
}

// Limits bound one call; zero means the default.
type Limits struct {
	Model     string // of the first provider; the second speaks with its own
	Timeout   time.Duration
	MaxTokens int
}

// Config says whom to ask. Without a secondary the ladder has one rung.
type Config struct {
	Primary, Secondary Provider
	Calls              map[string]Limits // by the name of the call
	Temperature        float32
	RetryShare         float64 // retries a call, over all calls; default 0.2
}

// Options are what a client needs besides its configuration.
type Options struct {
	Now    func() time.Time
	Rand   func() float64
	Off    func() bool // the switch, read at each call; nil is on
	Ledger Ledger      // what was spent; nil: no budget holds
	Report func(Event) // nil: nobody is told

	Observer Observer // told of every request; nil: nobody
	// Record is shown every request with its answer, from several goroutines; nil: nobody.
	Record func(Exchange)
}

// Event is something that went wrong, in one line that holds no key and says how
// to mend it.
type Event struct{ Provider, Name, Line string }

// Request is one call.
type Request struct {
	Name          string // of the schema
	Schema        json.RawMessage
	System, User  string
	Word          *Word  // the answer is a word and not JSON; it takes the place of Schema, System and User
	Limits        Limits // over the configuration's
	World, Player string
	Budget        Budget
	Meter         *Meter
	Validate      func(answer []byte) error // beyond the schema; its error goes back to the model once
}

// Answer is what came back: JSON that fits the schema.
type Answer struct {
	JSON            []byte // what the model said, where a word was asked for
	Tokens          []Token
	Model, Provider string
	Attempts        int // how often a model was asked for it
}

// Models is the client. It is safe for many callers. A nil *Models has no model.
type Models struct {
	config  Config
	options Options
	rungs   []*rung // primary, then secondary
	schemas schemas
	retries *limits.Retries
	budgets *budgets
}

// New makes a client; it calls nobody.
func New(c Config, o Options) (*Models, error) {
	if c.Primary.URL == "" {
		return nil, errors.New("no URL of a model's server is given; set llm.url or --llm-url")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = func() float64 { return 0.5 }
	}
	if o.Report == nil {
		o.Report = func(Event) {}
	}
	if c.RetryShare <= 0 {
		c.RetryShare = 0.2
	}
	m := &Models{config: c, options: o, retries: limits.NewRetries(c.RetryShare, firstRetries, mostRetries),
		budgets: &budgets{o.Ledger, o.Now}}
	for i, p := range []Provider{c.Primary, c.Secondary} {
		if p.URL == "" {
			continue
		}
		if p.Name == "" {
			p.Name = []string{"primary", "secondary"}[i]
		}
		r, err := newRung(p, breakerRest)
		if err != nil {
			return nil, err
		}
		m.rungs = append(m.rungs, r)
	}
	return m, nil
}

// Close ends idle connections.
func (m *Models) Close() {
	if m == nil {
		return
	}
	for _, r := range m.rungs {
		r.http.CloseIdleConnections()
	}
}

// Complete makes a call, down the ladder until a provider gives an answer that
// fits.
func (m *Models) Complete(ctx context.Context, q Request) (Answer, error) {
	return m.climb(ctx, q, nil)
}

// Stream is Complete whose text is given as it comes, from the brace that begins
// the JSON. An error of onText ends the model's work and comes back as it is. Once
// text was given nothing is asked again: a stream that breaks then is ErrCut. The
// text of a server that does not stream is given at once, when it fits.
func (m *Models) Stream(ctx context.Context, q Request, onText func(delta string) error) (Answer, error) {
	if onText == nil {
		return Answer{}, errors.New("a stream needs somebody who reads it")
	}
	return m.climb(ctx, q, onText)
}

// defaults are the limits of calls for which nothing is set.
var defaults = map[string]Limits{
	"citation_query": {Timeout: 3 * time.Second, MaxTokens: 200}, "rerank": {Timeout: 3 * time.Second, MaxTokens: 200},
	"compact": {Timeout: 8 * time.Second, MaxTokens: 3000}, "monologue": {Timeout: 10 * time.Second, MaxTokens: 800},
	"decision": {Timeout: 6 * time.Second, MaxTokens: 500}, "speech": {Timeout: 20 * time.Second, MaxTokens: 900},
	"lean": {Timeout: 20 * time.Second, MaxTokens: 1000}, "actions": {Timeout: 5 * time.Second, MaxTokens: 500},
	"judge": {Timeout: 4 * time.Second, MaxTokens: 600}, "claims": {Timeout: 3 * time.Second, MaxTokens: 600},
	"memories": {Timeout: 10 * time.Second, MaxTokens: 800}, "cluster": {Timeout: 6 * time.Second, MaxTokens: 200},
}

// limits of a call: the caller's, else the configuration's, else the defaults.
func (m *Models) limits(q Request) Limits {
	out := Limits{Timeout: 10 * time.Second, MaxTokens: 1000}
	for _, l := range []Limits{defaults[q.Name], m.config.Calls[q.Name], q.Limits} {
		if l.Model != "" {
			out.Model = l.Model
		}
		if l.Timeout > 0 {
			out.Timeout = l.Timeout
		}
		if l.MaxTokens > 0 {
			out.MaxTokens = l.MaxTokens
		}
	}
	return out
}
