package sayings

import "context"

// Agreement is how often the matcher says what a person says.
type Agreement struct {
	Pairs  int `json:"pairs"`
	Agreed int `json:"agreed"`
	// the matcher says that it holds where the person does not, and the other way round
	TooKind int `json:"too_kind"`
	TooHard int `json:"too_hard"`
}

// Share is the share of pairs on which they agree.
func (a *Agreement) Share() float64 { return share(a.Agreed, a.Pairs) }

// Agree holds the matcher against what a person said of pairs of one sort.
func Agree(ctx context.Context, m Matcher, pairs []Pair, of string) (Agreement, error) {
	var a Agreement
	for _, p := range pairs {
		if p.Of != of {
			continue
		}
		a.Pairs++
		holds := m.Says(p.Memory, p.Text)
		if of == "keep" {
			var err error
			if holds, err = m.Supports(ctx, p.Memory, p.Words, p.Text); err != nil {
				return a, err
			}
		}
		switch {
		case holds == p.Holds:
			a.Agreed++
		case holds:
			a.TooKind++
		default:
			a.TooHard++
		}
	}
	return a, nil
}
