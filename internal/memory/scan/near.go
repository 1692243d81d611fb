package scan

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/memory"
)

// Buckets up to exactSize are compared pair by pair; in larger ones, trees that cut
// the space bring what is near into leaves of leafSize. One tree finds most of what
// is very alike, and so many nearly all.
const (
	exactSize = 384
	leafSize  = 48
	treeCount = 10
)

// bucket are the vectors of what one NPC remembers of one player. Memories of two
// players are never compared.
type bucket struct {
	at   []int     // of run.items
	rows []float32 // of length one, one after another
	tail []float32 // the length of each row's second half
	dim  int
	meet func(i, k int)
	cut  float32
}

// near is signal B: pairs of one bucket whose vectors are as near as the floor,
// without those that the words tell apart at sight.
func (r *run) near(structural []cluster) ([]cluster, error) {
	if r.Settings.Floor <= 0 {
		return nil, nil
	}
	in := map[int]int{}
	for n, c := range structural {
		for _, i := range c.members {
			in[i] = n + 1
		}
	}
	found := map[[2]int]link{}
	seen := map[[2]int]bool{}
	meet := func(i, k int) {
		p := [2]int{min(i, k), max(i, k)}
		if seen[p] || in[i] > 0 && in[i] == in[k] {
			return
		}
		seen[p] = true
		r.out.Report.Pairs++
		if l := r.compare(p[0], p[1]); l.verdict != Distinct && !r.settled(i, k) {
			found[p] = l
			return
		}
		r.out.Report.Dismissed++
	}
	for n, b := range r.buckets() {
		if err := r.ctx.Err(); err != nil {
			return nil, fmt.Errorf("scan of %s: %w", r.in.World, err)
		}
		b.meet, b.cut = meet, float32(r.Settings.Floor)
		r.search(b, uint64(n)) //nolint:gosec // an index
		clear(seen)            // pairs never cross buckets
	}
	return r.unite(found), nil
}

// buckets are those that hold at least two vectors, in order of their first.
func (r *run) buckets() []*bucket {
	type key struct {
		npc, player, model string
		dim                int
	}
	at := map[key]*bucket{}
	var all []*bucket
	for i, m := range r.items {
		if len(m.Vector) == 0 {
			continue
		}
		k := key{m.NPC, m.Player, m.Model, len(m.Vector)}
		b := at[k]
		if b == nil {
			b = &bucket{dim: k.dim}
			at[k] = b
			all = append(all, b)
		}
		b.at = append(b.at, i)
	}
	return slices.DeleteFunc(all, func(b *bucket) bool { return len(b.at) < 2 })
}

// fill copies the vectors of a bucket, each brought to length one.
func (b *bucket) fill(items []*Item) {
	b.rows = make([]float32, len(b.at)*b.dim)
	b.tail = make([]float32, len(b.at))
	for n, i := range b.at {
		v, row := items[i].Vector, b.row(n)
		if length := math.Sqrt(float64(embed.Dot(v, v))); length > 0 {
			for d := range v {
				row[d] = float32(float64(v[d]) / length)
			}
		}
		rest := row[b.dim/2:]
		b.tail[n] = float32(math.Sqrt(float64(embed.Dot(rest, rest))))
	}
}

func (b *bucket) row(n int) []float32 { return b.rows[n*b.dim : (n+1)*b.dim] }

// meets reports a pair if it is as near as the cut. What two rows can have in
// common in their second halves is at most the product of those halves' lengths,
// and for most pairs that is too little already.
func (b *bucket) meets(x, y int) {
	v, w, half := b.row(x), b.row(y), b.dim/2
	dot := embed.Dot(v[:half], w[:half])
	if dot+b.tail[x]*b.tail[y] < b.cut-1e-5 {
		return
	}
	if dot+embed.Dot(v[half:], w[half:]) >= b.cut {
		b.meet(b.at[x], b.at[y])
	}
}

// all compares every pair of some rows.
func (b *bucket) all(rows []int) {
	for x, i := range rows {
		for _, k := range rows[x+1:] {
			b.meets(i, k)
		}
	}
}

// search finds the near pairs of a bucket.
func (r *run) search(b *bucket, n uint64) {
	b.fill(r.items)
	rows := make([]int, len(b.at))
	for i := range rows {
		rows[i] = i
	}
	if len(rows) <= exactSize {
		b.all(rows)
	} else {
		r.bySubject(b)
		random := rand.New(rand.NewPCG(r.Settings.Seed, n)) //nolint:gosec // no secret
		for range treeCount {
			b.split(rows, random, make([]float32, len(rows)))
		}
	}
	b.rows, b.tail = nil, nil
}

// bySubject compares what is said of one subject and one value: where alike things
// are, whatever the trees cut.
func (r *run) bySubject(b *bucket) {
	for _, name := range []func(*Item) string{r.subject, func(m *Item) string { return r.vocab.fold(m.Object) }} {
		sets := map[string][]int{}
		for n, i := range b.at {
			if s := name(r.items[i]); s != "" {
				sets[s] = append(sets[s], n)
			}
		}
		for _, set := range sets {
			if len(set) > 1 && len(set) <= leafSize {
				b.all(set)
			}
		}
	}
}

// split cuts rows in two along the line between two of them, at the middle, and
// goes on until a leaf is small. at is room for where each row lies on the line.
func (b *bucket) split(rows []int, random *rand.Rand, at []float32) {
	if len(rows) <= leafSize {
		b.all(rows)
		return
	}
	// Half of the dimensions tell nearly as much, and a tree takes all of them by turns.
	from, to := 0, b.dim/2
	if random.IntN(2) == 1 || to == 0 {
		from, to = to, b.dim
	}
	one, other := b.row(rows[random.IntN(len(rows))])[from:to], b.row(rows[random.IntN(len(rows))])[from:to]
	line := make([]float32, to-from)
	flat := true
	for d := range line {
		line[d] = one[d] - other[d]
		flat = flat && line[d] == 0
	}
	for d := range line {
		if flat {
			line[d] = float32(random.NormFloat64())
		}
	}
	for _, n := range rows {
		at[n] = embed.Dot(b.row(n)[from:to], line)
	}
	middle := len(rows) / 2
	slices.SortFunc(rows, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	b.split(rows[:middle], random, at)
	b.split(rows[middle:], random, at)
}

// Thresholds of similarity are on the scale of a sentence model over plain
// sentences, as paper 004's 0.85 is. Memories are embedded with a table of token
// vectors, and begin with who told them, which makes any two more alike. The floor
// of each threshold is where the table finds as many of the paraphrases in
// testdata/paraphrases.txt, so told, as the sentence model does plain: 0.85 finds
// 82 % of them, and so does 0.807. TestFloors measures them again.
var floors = []struct{ threshold, static float64 }{
	{0.50, 0.50}, {0.70, 0.70}, {0.75, 0.722}, {0.80, 0.757}, {0.85, 0.807}, {0.90, 0.865}, {0.95, 0.942}, {1, 1},
}

// staticModel stands in the ids of such tables.
const staticModel = "-static-"

// Floor is the cosine of an embedding from which two memories are as alike as the
// threshold says.
func Floor(model string, threshold float64) float64 {
	if !strings.Contains(model, staticModel) {
		return threshold
	}
	for i := 1; i < len(floors); i++ {
		low, high := floors[i-1], floors[i]
		if threshold <= high.threshold {
			share := max(0, (threshold-low.threshold)/(high.threshold-low.threshold))
			return low.static + share*(high.static-low.static)
		}
	}
	return 1
}

// who is a subject of one NPC's memories of one player.
type who struct{ npc, player, subject string }

// named is how a relative's name is remembered: it stands in no field of its own.
var named = regexp.MustCompile(` told me that their ([\p{L}'-]+) is called ([^.]+)\.$`)

// relatives are those of players who have a name: "my cousin" is Ulric where this NPC
// was told of one cousin of that player's, and that he is called Ulric. Guard 1 holds a
// memory against its own words, which do not say so; only here do two memories meet.
func (r *run) relatives() map[who]string {
	out, several := map[who]string{}, map[who]bool{}
	for _, m := range r.items {
		said := named.FindStringSubmatch(m.Content)
		if said == nil || m.Player == "" || m.Subject != memory.PlayerPrefix+m.Player {
			continue
		}
		kin, name := strings.ToLower(said[1]), m.Object
		if first, rest, two := strings.Cut(name, " "); two && strings.EqualFold(first, kin) {
			name = rest // "dog Rex"
		}
		w := who{m.NPC, m.Player, kin + " of " + m.Subject}
		if before, known := out[w]; known && before != r.vocab.fold(name) {
			several[w] = true
		}
		out[w] = r.vocab.fold(name)
	}
	for w := range several {
		delete(out, w) // two brothers: nobody can tell which one is meant
	}
	return out
}

// subject is whom a memory is of, in the form in which two are compared.
func (r *run) subject(m *Item) string {
	if name, ok := r.kin[who{m.NPC, m.Player, m.Subject}]; ok {
		return name
	}
	return r.vocab.fold(m.Subject)
}
