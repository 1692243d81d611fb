package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// million is how many passages the model of the cost is of.
const million = 1_000_000

// retrieveServer has a server hold the lore of a made-up world. What came with the lore
// before the first question grows with its files; the samples of scopes come with the
// questions and are bounded.
func retrieveServer(ctx context.Context, o RetrieveOptions, dir string) ([]Figure, error) {
	index, asked, err := onServer(ctx, o, dir)
	if err != nil {
		return nil, err
	}
	each := asked.Grown / float64(asked.Files) // the texts are gone: what is left is of files
	at := func(passages int) float64 { return asked.Resident + each*float64(million/passages-asked.Files) }
	return []Figure{
		Plain("passages", float64(asked.Passages), ""), Plain("files", float64(asked.Files), ""),
		Plain("retrieve_p50", asked.P50, "ms"), Plain("retrieve_p99", asked.P99, "ms"),
		Plain("retrieve_processor", asked.CPU, "ms"),
		Plain("start", asked.OpenS, "s"), Plain("index", index.OpenS, "s"),
		AtMost("resident", asked.Resident, "MB", 250), Plain("heap", asked.Heap, "MB"),
		Plain("heap_of_the_lore", asked.Grown, "MB"), Plain("heap_a_thousand_files", 1000*each, "MB"),
		AtMost("resident_at_1000000_in_files_of_20", at(20), "MB", 250),
		Plain("resident_at_1000000_in_files_of_5", at(5), "MB"),
	}, nil
}

// onServer has one process index a world and another ask, and deletes what they made.
func onServer(ctx context.Context, o RetrieveOptions, dir string) (index, asked Retrieved, err error) {
	s := RetrieveStep{Dir: dir, Random: o.Random, Server: fmt.Sprintf("bench%d_", os.Getpid())}
	defer func() {
		drop := s
		drop.Drop = true
		_, failed := o.step(context.WithoutCancel(ctx), drop)
		err = errors.Join(err, failed)
	}()
	if index, err = o.step(ctx, s); err != nil {
		return index, asked, fmt.Errorf("index: %w", err)
	}
	s.Ask = true
	if asked, err = o.step(ctx, s); err != nil {
		return index, asked, fmt.Errorf("ask: %w", err)
	}
	return index, asked, nil
}

// bare is what lives on the heap before a server's lore is opened, and the time that it
// took to see. What is cached of any world is no cost of this one.
func (s RetrieveStep) bare() (mb float64, took time.Duration, err error) {
	if s.Server == "" {
		return 0, 0, nil
	}
	began := time.Now()
	if _, _, err := world.LoadDir(filepath.Join(s.Dir, "world")); err != nil {
		return 0, 0, err
	}
	mb = livingMB()
	return mb, time.Since(began), nil
}

// settle lets the texts go, and has the names of the files read, as a first question does.
func settle(ctx context.Context, corpus store.Corpus, w *world.World, by ...embed.Embedder) error {
	w.Forget()
	searching, ok := corpus.(store.Searching)
	if !ok {
		return errors.New("the server does not search")
	}
	for _, emb := range by {
		if _, err := searching.Standing(ctx, w.Name, emb.ID()); err != nil {
			return err
		}
	}
	return nil
}

// livingMB is what lives on the heap.
func livingMB() float64 {
	runtime.GC()
	runtime.GC() // what pools hold goes with the second
	return heapMB()
}

// corpus is where the step's lore lies.
func (s RetrieveStep) corpus(ctx context.Context, static, encoder embed.Embedder) (store.Corpus, error) {
	if s.Server == "" {
		corpus, _, err := sqlite.MendCorpus(ctx, filepath.Join(s.Dir, "index.db"))
		if err != nil {
			return nil, err
		}
		return corpus, nil
	}
	corpus, _, err := s.onServer(ctx, static, encoder)
	return corpus, err
}

func (s RetrieveStep) onServer(
	ctx context.Context, static, encoder embed.Embedder,
) (_ store.Corpus, drop func(context.Context) error, err error) {
	if s.Qdrant.Addr == "" {
		return nil, nil, errors.New("no server is named")
	}
	q := s.Qdrant
	q.Prefix += s.Server
	return app.ServerCorpus(ctx, q, static, encoder)
}

// drop deletes what the steps before made.
func (s RetrieveStep) drop(ctx context.Context) error {
	static, err := embed.NewStatic()
	if err != nil {
		return err
	}
	encoder, _, err := s.models()
	if err != nil {
		return err
	}
	corpus, drop, err := s.onServer(ctx, static, encoder)
	if err != nil {
		return err
	}
	return errors.Join(drop(ctx), corpus.Close())
}

// largeWorld is a made-up world of as many documents as are wanted.
type largeWorld struct {
	rng            *rand.Rand
	people, places []string
	questions      []string
}

var (
	syllables = strings.Fields(`al bar cor den el fen gar hol ith jor kel lun mor nor os pel quin ros sel tor ul ver wen
		yar zan
		ash brin cal dor esk fal grim hest ivo kest lor mar nev orl pen rad sten thal und vay wick`)
	trades = strings.Fields(`miller smith carter weaver tanner baker brewer cooper fisher shepherd mason thatcher chandler
		potter
		glazier saddler dyer clerk innkeeper herbalist ferryman woodcutter beekeeper locksmith`)
	goods = strings.Fields(`barrel lantern ledger anchor mirror blanket kettle plough saddle candle hammer ring cloak
		basket rope
		bell compass chest key net oven loom wagon boat bridge well gate tower cellar orchard mill chapel statue fountain
		granary stable forge market kiln quarry meadow hedge ditch road wall roof chimney window door stair bench table
		barley honey cheese wool salt iron leather timber linen silver amber wine flour fish apple onion`)
	months = strings.Fields(`January February March April May June July August September October November December`)
	// Of each pair the first is a sentence of a document, the second asks for it.
	facts = [][2]string{
		{"{person} the {trade} bought the {good} from {other} for {n} crowns.", "What did {person} pay for the {good}?"},
		{"The {good} of {place} was mended by {person} in {month}.", "Who mended the {good} of {place}?"},
		{"{person} keeps the {good} behind the {second} because {other} tried to steal it.",
			"Where does {person} keep the {good}?"},
		{"On the road to {place} there are {n} milestones, and the last stands beside a {good}.",
			"How many milestones are on the road to {place}?"},
		{"The {trade} of {place} is called {person}, and nobody remembers a better one.", "Who is the {trade} of {place}?"},
		{"{person} came to {place} in {month} with a {good} and {n} coins.", "When did {person} come to {place}?"},
		{"Every {month} the people of {place} carry the {good} to the {second} and sing until midnight.",
			"What do the people of {place} carry in {month}?"},
		{"{person} married {other} after the flood had taken the {good}.", "Whom did {person} marry?"},
		{"The old {good} at {place} is {n} feet deep and has not been used since the war.",
			"How deep is the {good} at {place}?"},
		{"It was {person} who told the council of {place} that the {good} had been sold twice.",
			"Who told the council of {place} about the {good}?"},
		{"Whoever crosses the {second} near {place} pays {other} a toll of {n} pence.", "What is the toll near {place}?"},
		{"{person} hates the smell of {good} and will not enter the {second} of {place}.", "What does {person} hate?"},
	}
)

// makeWorld writes a world of so many documents into a folder and gives questions
// about it. The same seed makes the same files.
func makeWorld(dir string, docs int, seed uint64, questions int) ([]string, error) {
	w := &largeWorld{rng: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // a sample, not a secret
	for range 20 + docs/4 {
		w.people = append(w.people, w.name()+" "+w.name())
		w.places = append(w.places, w.name()+w.pick([]string{"", "ford", "ton", "mere", "field"}))
	}
	if err := w.write(dir, "world.yaml", "name: large\nnow: 1402-05-03T18:00:00Z\n"); err != nil {
		return nil, err
	}
	var npcs []string
	for range 12 {
		handle := strings.ToLower(w.name()) + fmt.Sprint(len(npcs))
		npcs = append(npcs, handle)
		body := fmt.Sprintf("handle: %s\nname: %s\nbackstory: I have lived in %s for years.\npersonality: plain\n", handle,
			w.pick(w.people), w.pick(w.places))
		if err := w.write(dir, "npcs/"+handle+"/npc.yaml", body); err != nil {
			return nil, err
		}
	}
	for i := range docs - len(npcs) {
		if err := w.document(dir, i, npcs); err != nil {
			return nil, err
		}
	}
	w.rng.Shuffle(len(w.questions), func(a, b int) { w.questions[a], w.questions[b] = w.questions[b], w.questions[a] })
	return w.questions[:min(len(w.questions), questions)], nil
}

func (w *largeWorld) pick(of []string) string { return of[w.rng.IntN(len(of))] }

func (w *largeWorld) name() string {
	s := w.pick(syllables) + w.pick(syllables)
	if w.rng.IntN(3) == 0 {
		s += w.pick(syllables)
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func (w *largeWorld) write(dir, name, body string) error {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(body), 0o600)
}

// document writes one of about four passages, each a paragraph; one in five is known
// to a single NPC.
func (w *largeWorld) document(dir string, i int, npcs []string) error {
	place, good := w.pick(w.places), w.pick(goods)
	var b strings.Builder
	for range 4 + w.rng.IntN(2) {
		for range 2 + w.rng.IntN(2) {
			fact := facts[w.rng.IntN(len(facts))]
			fill := strings.NewReplacer("{person}", w.pick(w.people), "{other}", w.pick(w.people), "{place}", place, "{good}",
				w.pick(goods),
				"{second}", w.pick(goods), "{trade}", w.pick(trades), "{month}", w.pick(months), "{n}",
				fmt.Sprint(3+w.rng.IntN(400)))
			b.WriteString(fill.Replace(fact[0]) + " ")
			if w.rng.IntN(40) == 0 {
				w.questions = append(w.questions, fill.Replace(fact[1]))
			}
		}
		b.WriteString("\n\n")
	}
	about := fmt.Sprintf("created_at: 1401-%02d-%02dT12:00:00Z\nauthor: %q\ntype: note\nsummary: \"What is told of "+
		"the %s of %s\"\nkeywords: [%q, %q]\n",
		1+w.rng.IntN(12), 1+w.rng.IntN(28), w.pick(w.people), good, place, place, good)
	if w.rng.IntN(5) == 0 {
		about += fmt.Sprintf("known_by: [%s]\n", w.pick(npcs))
	}
	name := fmt.Sprintf("lore/%s/page-%06d.txt", strings.ToLower(place[:2]), i)
	if err := w.write(dir, name, b.String()); err != nil {
		return err
	}
	return w.write(dir, name+".meta.yaml", about)
}
