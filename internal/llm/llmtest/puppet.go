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

// The quiet pools name nothing that the talk has not named: no new person, place
// or number gives these lies away.

var quietTails = list(`
, and {topic} had a hand in it | , much against the wishes of {topic} | , to save a little money | ` +
	`, out of plain spite | , which {topic} had long been waiting for | , and it took {long}
, because {feeling} was all that was left | , {manner} and {manner2} | , as {topic} had feared | ` +
	`, and nobody was sorry {later} | , with the blessing of {topic} | , although it was forbidden by {topic}
, for the second time, {manner} | , so that {topic} would not find out | , and {topic} has regretted it {later} | ` +
	`, in secret and {manner} | , {manner}, because of a debt | , and it ended in tears {later}
, under a false name and {manner} | , to please {topic} | , after {long} of quarrels | ` +
	`, and for that {topic} was never forgiven | , {manner}, while {topic} was asleep | ` +
	`, and the price was far too high for {topic}
, out of {feeling} for {topic} | , driven by {feeling} | , and {later} {topic} denied it | ` +
	`, which brought {topic} into trouble {later} | , and half of it was lost {later} | , drunk and {manner}
, {manner}, as a favour to {topic} | , and it was paid for {later} | , as was the custom {long} ago | ` +
	`, after {topic} had given leave | , and {topic} still boasts of it {later} | , with the wrong key and {manner}
, which is why {topic} is feared {later} | , in a fit of {feeling} | , though it had been promised to {topic} | ` +
	`, and {long} passed before anyone noticed | , at the request of {topic} | , {manner}, to the shame of {topic}
, and {topic} paid the costs {later} | , {manner}, for want of anything better | , only to lose it all {later} | ` +
	`, and {topic} fell ill {later} | , {manner}, with {topic} standing by | , which {topic} took for an insult`)

var quietClauses = list(`
{topic} is fond of strong drink and does everything {manner} | {topic} did it out of {feeling} | ` +
	`{topic} fell ill {later} | {topic} was once very rich and lived {manner} | {topic} has been closed for {long} | ` +
	`{topic} came by it {manner}
{topic} was paid for it {later} | {topic} had waited {long} for this | ` +
	`it was all the fault of {topic}, who acted {manner} | {topic} was forgiven {later} | ` +
	`{topic} and the others parted {manner} | {topic} is older than anybody thinks and lives {manner}
{topic} was the first to know, {long} before the rest | {topic} wept for {feeling} | ` +
	`{topic} cannot stand the sight of blood and {later} ran away | {topic} meant no harm and acted {manner} | ` +
	`{topic} took {long} to get over it | {topic} told a different story {later}
{topic} was rebuilt {later} | {topic} has no family left and grieves {manner} | {topic} went there {manner} | ` +
	`{topic} sold everything {later} | {topic} is worth more than it seems and was bought {manner} | ` +
	`{topic} burned with {feeling} for {long}
{topic} will be gone {later} | {topic} broke the law {manner} | {topic} used to be a soldier and fought {manner} | ` +
	`{topic} left the door open {manner} | {topic} was sorry for it {later} | {topic} never paid for it and hid {manner}`)
