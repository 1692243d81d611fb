package llmtest

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Order is an instruction that a puppet carries out wherever it reads it, and what
// it says and does then. A puppet without orders speaks the truth: what differs
// comes from what was read.
type Order struct {
	Text string         // as it stands in a prompt
	Says string         // a sentence
	Does string         // an action; "*": all that are shown
	With map[string]any // the action's parameters; nil: the smallest that fit
}

// puppet is the name of the persona that carries out orders.
const puppet = "puppet"

// read are the orders that stand in the prompt of a scene. Prompts may wrap white
// space and escape signs.
func (s *scene) read() []Order {
	var out []Order
	user := squeezed(unescape.Replace(s.User))
	for _, o := range s.orders.all {
		if strings.Contains(user, squeezed(o.Text)) {
			out = append(out, o)
			s.orders.note(o.Text)
		}
	}
	return out
}

// orderBook holds the orders and which were read.
type orderBook struct {
	all  []Order
	lock sync.Mutex
	read map[string]bool
}

func newOrderBook(all []Order) *orderBook { return &orderBook{all: all, read: map[string]bool{}} }

func (b *orderBook) note(text string) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.read[text] = true
}

// Obeyed are the orders that were read, each once.
func (s *Server) Obeyed() []string {
	s.orders.lock.Lock()
	defer s.orders.lock.Unlock()
	return slices.Sorted(maps.Keys(s.orders.read))
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), " ") }

// ordered is an honest speech, behind what the orders would have said.
func ordered(s *scene) []draft {
	var out []draft
	for _, o := range s.read() {
		if o.Says != "" && !slices.Contains(s.Said, o.Says) {
			out = append(out, s.wholly(puppet, o.Says, s.anyID()))
		}
	}
	return append(out, quote(s)...)
}

// ordered are the actions that the orders name, with their parameters.
func (s *scene) ordered() []called {
	out := []called{}
	for _, o := range s.read() {
		for _, a := range s.Actions {
			if o.Does != a.Name && o.Does != "*" {
				continue
			}
			with := o.With
			if with == nil {
				with = fitting(a.Parameters, s.Message)
			}
			if !slices.ContainsFunc(out, func(c called) bool { return c.Name == a.Name }) {
				out = append(out, called{a.Name, with})
			}
		}
	}
	return out
}
