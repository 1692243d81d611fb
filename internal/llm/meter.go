package llm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// MaxCalls is how many calls a turn may make in all; passCalls how many of them each
// pass: citation query and rerank 2 and compaction 1, thoughts 4, decision 1,
// speech 4, actions 1, judge 4: the first sentence and the rest, of two drafts.
const MaxCalls = 15

var passCalls = map[schema.Pass]int{
	schema.PassRetrieve: 3, schema.PassThink: 4, schema.PassDecide: 1, schema.PassSpeak: 4, schema.PassAct: 1,
	schema.PassReviewThought: 2, schema.PassReviewSpeech: 4,
	"memories": 2, "cluster": 1, "judge": 2, // see Apart
}

// asideCalls is how many calls of a turn take sentences apart and judge their claims: two
// for each of two reviews.
const asideCalls = 4

// MaxWaits is how often the end of a streamed speech may come back because it waits for
// the reviews of its sentences.
const MaxWaits = 22

// Meter counts the calls of a turn in the record of the pass that runs, and
// refuses beyond the limits. It is the one place that refuses, and belongs to one
// run of one pass.
type Meter struct {
	t     *protocol.Turn
	aside bool // see Aside
}

// NewMeter counts in the turn's last pass record.
func NewMeter(t *protocol.Turn) *Meter { return &Meter{t: t} }

// Aside is the meter of the calls that take sentences apart and judge their claims. They have
// a limit of their own, take nothing of that of their pass, and leave the turn the calls
// that its drafts and their reviews may still need.
func (m *Meter) Aside() *Meter { return &Meter{t: m.t, aside: true} }

// Apart is the meter of one question that belongs to no turn, by the name of its
// call: what to remember may be asked once more where the answer has to be repaired, a
// cluster is put once.
func Apart(name string) *Meter {
	return NewMeter(&protocol.Turn{Pass: schema.Pass(name)})
}

// Spent is how often a model was called in the pass that runs, and what it cost.
func (m *Meter) Spent() (calls int, cost float64) {
	r := m.record()
	return r.LLMCalls, r.Cost
}

func (m *Meter) record() *schema.PassRecord {
	if len(m.t.Passes) == 0 {
		m.t.Passes = append(m.t.Passes, schema.PassRecord{Pass: m.t.Pass, Attempt: 1})
	}
	return &m.t.Passes[len(m.t.Passes)-1]
}

// take counts a call, or refuses it.
func (m *Meter) take() error {
	if m.Left() == 0 {
		return ErrSpent
	}
	m.count(1)
	return nil
}

func (m *Meter) count(n int) {
	r := m.record()
	r.LLMCalls += n
	if m.aside {
		r.ClaimCalls += n
	}
}

// Left is how many more calls may be made. A run of the pass that died has called too,
// and nobody knows how often: each delivery before this one counts as a call. Of a
// sentence of a speech under way it counts for the turn only: most of these deliveries
// wait for the sentence before, and its reviewer makes one call in each.
func (m *Meter) Left() int {
	r := m.record()
	lost := max(0, r.Attempt-1)
	if endsStream(m.t, r.Pass) {
		lost = max(0, lost-MaxWaits) // these deliveries may have waited, and then they have asked nobody
	}
	inAll, aside := lost, 0
	inPass := map[schema.Pass]int{}
	for _, p := range m.t.Passes {
		inAll += p.LLMCalls
		aside += p.ClaimCalls
		inPass[group(p.Pass)] += p.LLMCalls - p.ClaimCalls
	}
	if m.aside {
		owed := passCalls[schema.PassAct]
		for _, p := range []schema.Pass{schema.PassSpeak, schema.PassReviewSpeech} {
			owed += max(0, passCalls[p]-inPass[p])
		}
		return max(0, min(asideCalls-aside, MaxCalls-inAll-owed))
	}
	if m.t.Part == 0 {
		inPass[group(r.Pass)] += lost
	}
	return max(0, min(passCalls[r.Pass]-inPass[group(r.Pass)], MaxCalls-inAll))
}

// endsStream says whether a message is the review of a whole speech that has streamed.
func endsStream(t *protocol.Turn, pass schema.Pass) bool {
	return pass == schema.PassReviewSpeech && t.Part == 0 && t.Speech != nil && t.Speech.Run != ""
}

// group counts the two reviews together.
func group(p schema.Pass) schema.Pass {
	if p == schema.PassReviewThought {
		return schema.PassReviewSpeech
	}
	return p
}

// giveBack takes back a call that the server refused unread.
func (m *Meter) giveBack() { m.count(-1) }

// Batch counts several questions that are put at once as one call of the turn, or
// refuses it. Each has a meter of its own, and Include adds what they took.
func (m *Meter) Batch() error { return m.take() }

// Include adds what the questions of a batch took.
func (m *Meter) Include(parts ...*Meter) {
	r := m.record()
	for _, p := range parts {
		of := p.record()
		r.Tokens += of.Tokens
		r.TokensOut += of.TokensOut
		r.Cost += of.Cost
	}
}

// add counts what a call took.
func (m *Meter) add(in, out int, cost float64) {
	r := m.record()
	r.Tokens += in + out
	r.TokensOut += out
	r.Cost += cost
}

// Budget is what may be spent in a day (UTC); 0 sets no bound.
type Budget struct {
	WorldTokensPerDay, PlayerTokensPerDay int
	WorldCostPerDay, PlayerCostPerDay     float64
}

// Ledger keeps what was spent, under world/<world>/<day> and
// player/<world>/<player>/<day>.
type Ledger interface {
	Spent(ctx context.Context, key string) (tokens int64, cost float64, err error)
	Add(ctx context.Context, key string, tokens int64, cost float64) error
}

type budgets struct {
	ledger Ledger
	now    func() time.Time
}

// errLedger is a sum that nobody can tell.
var errLedger = errors.New("nobody can tell what was spent")

// account is one sum and its bounds.
type account struct {
	key    string
	tokens int
	cost   float64
}

func (b *budgets) accounts(q Request) []account {
	day := b.now().UTC().Format("2006-01-02")
	var out []account
	if q.Budget.WorldTokensPerDay > 0 || q.Budget.WorldCostPerDay > 0 {
		out = append(out, account{"world/" + q.World + "/" + day, q.Budget.WorldTokensPerDay, q.Budget.WorldCostPerDay})
	}
	if q.Budget.PlayerTokensPerDay > 0 || q.Budget.PlayerCostPerDay > 0 {
		out = append(out, account{"player/" + q.World + "/" + q.Player + "/" + day, q.Budget.PlayerTokensPerDay,
			q.Budget.PlayerCostPerDay})
	}
	return out
}

// check refuses where a sum has reached its bound, or cannot be read: what a day
// has cost is then not known, and a bound that is not known to hold does not.
func (b *budgets) check(ctx context.Context, q Request) error {
	for _, a := range b.accounts(q) {
		if b.ledger == nil {
			return fmt.Errorf("%w: %w: no account is kept of %s", ErrBudget, errLedger, a.key)
		}
		tokens, cost, err := b.ledger.Spent(ctx, a.key)
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("%w: %w: the sum of %s cannot be read: %w", ErrBudget, errLedger, a.key, err)
		case a.tokens > 0 && tokens >= int64(a.tokens), a.cost > 0 && cost >= a.cost:
			return fmt.Errorf("%w: %s", ErrBudget, a.key)
		}
	}
	return nil
}

// add counts also what a call took that was cancelled: it was paid for.
func (b *budgets) add(ctx context.Context, q Request, tokens int64, cost float64) error {
	if b.ledger == nil || tokens == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	for _, a := range b.accounts(q) {
		if err := b.ledger.Add(ctx, a.key, tokens, cost); err != nil {
			return err
		}
	}
	return nil
}
