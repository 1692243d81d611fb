package extract

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// lemma gives the base of the verbs that the rules know, by their forms.
var lemma = map[string]string{}

// pastForms are the forms that only tell of the past, or complete a perfect.
var pastForms = map[string]bool{}

func init() {
	for _, line := range strings.Split(verbTable, "\n") {
		base, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		if base == "" {
			continue
		}
		present, past, _ := strings.Cut(rest, "/")
		lemma[base] = base
		for _, f := range strings.Fields(present) {
			lemma[f] = base
		}
		for _, f := range strings.Fields(past) {
			lemma[f] = base
			if f != base {
				pastForms[f] = true
			}
		}
	}
	for _, base := range strings.Fields(regularVerbs) {
		for form, past := range regularForms(base) {
			if _, known := lemma[form]; !known {
				lemma[form] = base
			}
			if past {
				pastForms[form] = true
			}
		}
	}
}

// regularForms are the forms of a regular verb; true marks the past.
func regularForms(base string) map[string]bool {
	last := base[len(base)-1]
	switch {
	case strings.HasSuffix(base, "e"):
		return map[string]bool{base: false, base + "s": false, base[:len(base)-1] + "ing": false, base + "d": true}
	case last == 'y' && !strings.ContainsRune("aeiou", rune(base[len(base)-2])):
		stem := base[:len(base)-1]
		return map[string]bool{base: false, stem + "ies": false, base + "ing": false, stem + "ied": true}
	case strings.HasSuffix(base, "s"), strings.HasSuffix(base, "sh"), strings.HasSuffix(base, "ch"),
		strings.HasSuffix(base, "x"):
		return map[string]bool{base: false, base + "es": false, base + "ing": false, base + "ed": true}
	}
	return map[string]bool{base: false, base + "s": false, base + "ing": false, base + "ed": true,
		base + string(last) + "ing": false, base + string(last) + "ed": true} // "stopping", "stopped"
}

// verbTable: base: present forms / past forms.
const verbTable = `
come: comes coming / came
go: goes going / went gone
grow: grows growing / grew grown
sleep: sleeps sleeping / slept
leave: leaves leaving / left
take: takes taking / took taken
give: gives giving / gave given
get: gets getting / got gotten
make: makes making / made
find: finds finding / found
lose: loses losing / lost
buy: buys buying / bought
sell: sells selling / sold
steal: steals stealing / stole stolen
see: sees seeing / saw seen
hear: hears hearing / heard
meet: meets meeting / met
know: knows knowing / knew known
think: thinks thinking / thought
say: says saying / said
tell: tells telling / told
speak: speaks speaking / spoke spoken
fight: fights fighting / fought
drink: drinks drinking / drank drunk
eat: eats eating / ate eaten
ride: rides riding / rode ridden
swim: swims swimming / swam swum
sing: sings singing / sang sung
run: runs running / ran
hold: holds holding / held
keep: keeps keeping / kept
bring: brings bringing / brought
lend: lends lending / lent
swear: swears swearing / swore sworn
become: becomes becoming / became
break: breaks breaking / broke broken
build: builds building / built
burn: burns burning / burnt burned
fall: falls falling / fell fallen
feel: feels feeling / felt
flee: flees fleeing / fled
hide: hides hiding / hid hidden
lead: leads leading / led
teach: teaches teaching / taught
wear: wears wearing / wore worn
win: wins winning / won
write: writes writing / wrote written
mean: means meaning / meant
bear: bears bearing / bore borne
stand: stands standing / stood
send: sends sending / sent
set: sets setting / set
put: puts putting / put
cut: cuts cutting / cut
quit: quits quitting / quit
catch: catches catching / caught
slay: slays slaying / slew slain
lie: lies lying / lay lain lied
die: dies dying / died
forge: forges forging / forged
read: reads reading / read
wake: wakes waking / woke
rise: rises rising / rose
pay: pays paying / paid
seek: seeks seeking / sought
be: is am are being / was were been
have: has having / had
do: does doing / did done
`

const regularVerbs = `live work move serve study like love enjoy adore prefer hate dislike detest loathe despise ` +
	`trust fear owe promise vow pledge kill
want need wish dream hope plan intend aim decide believe reckon suspect suppose guess worship pray follow marry ` +
	`visit travel arrive return carry
stay lodge camp reside dwell settle hail head sail walk look search hunt join belong play cook fish hunt farm trade ` +
	`smoke gamble dance paint
own possess use rob murder discover purchase witness watch notice spot overhear finish start stop help save rescue ` +
	`burn collapse happen
learn train wander escape survive deliver fetch repair mend forge raise name call turn miss visit remember forget ` +
	`attack defend guard
accuse betray blame bury cross climb open close lock unlock drop throw pick hire employ retire desert abandon ` +
	`inherit borrow
argue agree refuse admit confess disappear vanish vote cure heal poison curse bless haunt rain snow freeze flood ` +
	`claim swear smell gather
wound hurt attend apologize apologise finish touch recall praise`

// kin are words for relatives, with the predicate from the player's side: "my
// brother" makes the player a sibling of him.
var kin = map[string]string{
	"brother": "sibling_of", "sister": "sibling_of", "twin": "sibling_of", "sibling": "sibling_of",
	"brothers": "sibling_of", "sisters": "sibling_of",
	"father": "child_of", "mother": "child_of", "dad": "child_of", "mum": "child_of", "mom": "child_of",
	"parents": "child_of", "da": "child_of", "ma": "child_of", "papa": "child_of", "mama": "child_of",
	"son": "parent_of", "daughter": "parent_of", "child": "parent_of", "sons": "parent_of", "daughters": "parent_of",
	"children": "parent_of", "boy": "parent_of", "girl": "parent_of", "kids": "parent_of",
	"wife": "spouse_of", "husband": "spouse_of", "spouse": "spouse_of",
	"betrothed": "betrothed_to", "fiance": "betrothed_to", "sweetheart": "betrothed_to",
	"uncle": "kin_of", "aunt": "kin_of", "cousin": "kin_of", "nephew": "kin_of", "niece": "kin_of",
	"grandfather": "kin_of", "grandmother": "kin_of", "grandson": "kin_of", "granddaughter": "kin_of", "grandpa": "kin_of",
	"grandma": "kin_of",
	"friend":  "friend_of", "companion": "friend_of", "comrade": "friend_of", "partner": "friend_of",
	"enemy": "enemy_of", "rival": "enemy_of", "foe": "enemy_of",
	"master": "apprentice_of", "teacher": "apprentice_of", "mentor": "apprentice_of", "apprentice": "master_of",
	"pupil": "master_of",
	"dog":   "has", "horse": "has", "cat": "has", "mule": "has", "donkey": "has", "hound": "has", "hawk": "has",
	"ship": "has", "boat": "has", "sword": "has", "pony": "has", "wolf": "has",
}

// elderly are words that may stand before a word for kin.
var elderly = text.Set(`older elder younger little big eldest youngest late dear old poor twin only best good dearest
	closest own step half first second late new worst greatest sworn faithful trusty beloved`)

// Base is the base form of a verb that the rules know, or empty.
func Base(word string) string { return lemma[word] }

// Past says whether a word is a verb's form of the past.
func Past(word string) bool { return pastForms[word] }
