package llmtest

import (
	"encoding/json"
	"io"
	"maps"
	"sync"
)

// The two truths of a sentence.
const (
	True = "true"
	Lie  = "lie"
)

// Entry is one sentence that the server sent as speech, with its truth.
type Entry struct {
	Call     int      `json:"call"`
	Schema   string   `json:"schema"`
	Persona  string   `json:"persona"`
	NPC      string   `json:"npc"`
	Message  string   `json:"message"`
	Text     string   `json:"text"`
	Truth    string   `json:"truth"`
	Of       string   `json:"of"`                   // the id of the block it is true of, or the kind of lie
	False    string   `json:"false_part,omitempty"` // of a lie that is true in part: what was invented
	Evidence string   `json:"evidence,omitempty"`   // the block it is true of, or that it twists, as it was shown
	Cited    []string `json:"cited"`
}

// Stats is what the server has done so far.
type Stats struct {
	Calls     int            `json:"calls"`
	Sentences int            `json:"sentences"`
	Lies      int            `json:"lies"`
	Tokens    int64          `json:"tokens"` // sent
	Cancelled int            `json:"cancelled"`
	Open      int            `json:"open"`
	BySchema  map[string]int `json:"by_schema"`
	ByPersona map[string]int `json:"by_persona"`
}

// book is the truth log and the counts.
type book struct {
	lock    sync.Mutex
	entries []Entry
	stats   Stats
	seen    map[uint64]int // how often a prompt came
	out     io.Writer
	err     error
}

func newBook(out io.Writer) *book {
	return &book{out: out, seen: map[uint64]int{}, stats: Stats{BySchema: map[string]int{}, ByPersona: map[string]int{}}}
}

// maxSeen bounds what is remembered of prompts.
const maxSeen = 1 << 17

// open counts a call and gives its number and how often its prompt came before.
func (b *book) open(schema string, prompt uint64) (call, again int) {
	b.lock.Lock()
	defer b.lock.Unlock()
	if len(b.seen) > maxSeen {
		clear(b.seen)
	}
	again = b.seen[prompt]
	b.seen[prompt]++
	b.stats.Calls++
	b.stats.Open++
	b.stats.BySchema[schema]++
	return b.stats.Calls, again
}

func (b *book) as(persona string) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.stats.ByPersona[persona]++
}

func (b *book) close(cancelled bool) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.stats.Open--
	if cancelled {
		b.stats.Cancelled++
	}
}

func (b *book) sent(tokens int) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.stats.Tokens += int64(tokens)
}

func (b *book) add(entries ...Entry) {
	b.lock.Lock()
	defer b.lock.Unlock()
	for _, e := range entries {
		b.stats.Sentences++
		if e.Truth == Lie {
			b.stats.Lies++
		}
		if b.out == nil {
			continue
		}
		line, err := json.Marshal(e)
		if err == nil {
			_, err = b.out.Write(append(line, '\n'))
		}
		if err != nil && b.err == nil {
			b.err = err
		}
	}
	b.entries = append(b.entries, entries...)
}

func (b *book) after(n int) []Entry {
	b.lock.Lock()
	defer b.lock.Unlock()
	n = max(0, min(n, len(b.entries)))
	return append([]Entry(nil), b.entries[n:]...)
}

func (b *book) snapshot() Stats {
	b.lock.Lock()
	defer b.lock.Unlock()
	s := b.stats
	s.BySchema, s.ByPersona = maps.Clone(s.BySchema), maps.Clone(s.ByPersona)
	return s
}
