package transformer

// Sequence is what the encoder reads: pieces between [CLS] and [SEP].
type Sequence struct {
	IDs   []int32
	Types []uint8 // of the token's text, 0 or 1; nil: all 0
}

// Pair is [CLS] premise [SEP] hypothesis [SEP], of at most so many tokens. The end
// of the premise is cut first; the hypothesis only where it alone is too long.
func Pair(v *Vocab, premise, hypothesis []int32, most int) Sequence {
	const special = 3
	hypothesis = hypothesis[:min(len(hypothesis), max(0, most-special))]
	premise = premise[:min(len(premise), max(0, most-special-len(hypothesis)))]
	n := len(premise) + len(hypothesis) + special
	ids := append(make([]int32, 0, n), v.cls)
	ids = append(append(ids, premise...), v.sep)
	types := make([]uint8, n)
	for i := len(ids); i < n; i++ {
		types[i] = 1
	}
	return Sequence{IDs: append(append(ids, hypothesis...), v.sep), Types: types}
}

// Single is [CLS] text [SEP], of at most so many tokens.
func Single(v *Vocab, ids []int32, most int) Sequence {
	const special = 2
	ids = ids[:min(len(ids), max(0, most-special))]
	out := append(make([]int32, 0, len(ids)+special), v.cls)
	return Sequence{IDs: append(append(out, ids...), v.sep)}
}
