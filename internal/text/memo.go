package text

import (
	"slices"
	"sync"
)

// The passes of a turn look at the same few blocks again and again, and turns at
// the same documents: what was cut once is kept.
var wordMemo, sentenceMemo memo

// Limits of a memo: texts longer than a block are not kept, and a full memo
// starts anew.
const (
	memoText    = 700
	memoEntries = 16 << 10
)

// memo keeps the spans of short texts. The zero value is ready.
type memo struct {
	mu   sync.RWMutex
	kept map[string][]Span
}

// get is cut(s), kept.
func (m *memo) get(s string, cut func(string) []Span) []Span {
	if len(s) > memoText {
		return cut(s)
	}
	m.mu.RLock()
	spans, ok := m.kept[s]
	m.mu.RUnlock()
	if ok {
		return spans
	}
	spans = slices.Clip(cut(s))
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil || len(m.kept) >= memoEntries {
		m.kept = map[string][]Span{}
	}
	m.kept[s] = spans
	return spans
}
