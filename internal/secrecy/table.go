package secrecy

// gram is how many signs in a row are looked up at once.
const gram = 8

// place is where a gram stands: the at-th sign of a unit.
type place struct {
	unit int32
	at   int32
}

// table finds runs of the signs of units, one sentence of a closed text each, in a
// row of signs. What an NPC may say anyway is marked as public.
type table struct {
	size   int
	places map[uint64][]place
	public map[uint64]bool
	seen   [1 << 10]uint64 // which hashes there are, roughly: most rows hold none
	length []int32         // of each unit
	secret []int32         // its grams that are not public
}

func newTable(size int) *table {
	return &table{size: size, places: map[uint64][]place{}, public: map[uint64]bool{}}
}

const prime = 0x9E3779B97F4A7C15

// grams gives the hash of each gram of a row, by where it begins.
func (t *table) grams(row []uint64, yield func(at int, hash uint64)) {
	if len(row) < t.size {
		return
	}
	var h, drop uint64 = 0, 1
	for range t.size {
		drop *= prime
	}
	for i, s := range row {
		h = h*prime + s + 1
		if i >= t.size {
			h -= drop * (row[i-t.size] + 1)
		}
		if i >= t.size-1 {
			yield(i-t.size+1, h)
		}
	}
}

func (t *table) bit(h uint64) (int, uint64) {
	x := h * prime >> 48
	return int(x >> 6), 1 << (x & 63)
}

// add makes a row findable as a unit, and gives its number.
func (t *table) add(row []uint64) int32 {
	unit := int32(len(t.length))
	t.length = append(t.length, int32(len(row)))
	t.secret = append(t.secret, 0)
	t.grams(row, func(at int, h uint64) {
		t.places[h] = append(t.places[h], place{unit, int32(at)})
		i, b := t.bit(h)
		t.seen[i] |= b
	})
	return unit
}

// publish marks what of the units stands in a row that may be said.
func (t *table) publish(row []uint64) {
	t.grams(row, func(_ int, h uint64) {
		i, b := t.bit(h)
		if t.seen[i]&b != 0 && len(t.places[h]) > 0 {
			t.public[h] = true
		}
	})
}

// settle counts what is secret of each unit, when all is added and published.
func (t *table) settle() {
	for h, all := range t.places {
		if t.public[h] {
			continue
		}
		for _, p := range all {
			t.secret[p.unit]++
		}
	}
}

// run is a stretch of a unit that a row holds.
type run struct {
	place      // where in the unit it ends
	first      int32
	begin, end int // in the row, half open
	secret     int32
}

// runs finds them in a row. closed says which units are secret now; a gram that an
// open one holds too is no secret.
func (t *table) runs(row []uint64, closed, open func(unit int32) bool, yield func(run) bool) bool {
	var active, next []run
	done := false
	last := -1
	flush := func() {
		for _, r := range active {
			if !done && yield(r) {
				done = true
			}
		}
		active = active[:0]
	}
	t.grams(row, func(at int, h uint64) {
		i, b := t.bit(h)
		if done || t.seen[i]&b == 0 {
			return
		}
		all := t.places[h]
		if len(all) == 0 {
			return
		}
		if last != at-1 {
			flush()
		}
		last = at
		told := t.public[h]
		for _, p := range all {
			told = told || open(p.unit)
		}
		next = next[:0]
		for _, p := range all {
			if !closed(p.unit) {
				continue
			}
			r := run{place: p, first: p.at, begin: at}
			for j := range active {
				if active[j].unit == p.unit && active[j].at == p.at-1 {
					r.first, r.begin, r.secret = active[j].first, active[j].begin, active[j].secret
					active[j].unit = -1
					break
				}
			}
			r.end = at + t.size
			if !told {
				r.secret++
			}
			next = append(next, r)
		}
		for _, r := range active {
			if r.unit >= 0 && !done && yield(r) {
				done = true
			}
		}
		active, next = next, active
	})
	if !done {
		flush()
	}
	return done
}
