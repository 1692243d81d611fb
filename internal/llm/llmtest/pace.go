package llmtest

import (
	"time"
	"unicode/utf8"
)

// Pace is the stated speed of the server: the first token First after the
// request came in, each further one 1/Rate later. The zero pace is as fast as
// can be.
type Pace struct {
	First time.Duration
	Rate  float64 // tokens a second; 0: all at once
}

// Due is when the token of this index is sent, from the arrival of the request.
func (p Pace) Due(index int) time.Duration {
	if p.Rate <= 0 || index <= 0 {
		return p.First
	}
	return p.First + time.Duration(float64(index)/p.Rate*float64(time.Second))
}

// Ready is how many of n tokens are due after this time. A sender that comes late
// sends all of them at once, and so is on the schedule again.
func (p Pace) Ready(elapsed time.Duration, n int) int {
	if elapsed < p.First {
		return 0
	}
	if p.Rate <= 0 {
		return n
	}
	k := int((elapsed-p.First).Seconds()*p.Rate) + 1
	// The division may round the other way than Due does, by one token.
	for k < n && p.Due(k) <= elapsed {
		k++
	}
	for k > 1 && p.Due(k-1) > elapsed {
		k--
	}
	return min(k, n)
}

// tokenSize is how many characters count as one token.
const tokenSize = 4

// Tokens is how many tokens a text counts as.
func Tokens(s string) int { return (utf8.RuneCountInString(s) + tokenSize - 1) / tokenSize }

// pieces cuts a text into its tokens.
func pieces(s string) []string {
	var out []string
	start, count := 0, 0
	for i := range s {
		if count == tokenSize {
			out, start, count = append(out, s[start:i]), i, 0
		}
		count++
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
