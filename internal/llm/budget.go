package llm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

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
