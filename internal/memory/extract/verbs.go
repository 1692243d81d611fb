package extract

import "github.com/forsooth-npc/forsooth/internal/text"

// lemma gives the base of the verbs that the rules know, by their forms, and pastForms those
// that only tell of the past, or complete a perfect.
var lemma, pastForms = text.Verbs(verbs)

const verbs = `come go grow sleep leave take give get make find lose buy sell steal see hear meet know think say
	tell speak fight drink eat ride swim sing run hold keep bring lend swear become break build burn fall feel
	flee hide lead teach wear win write mean bear stand send set put cut quit catch slay lie die read wake rise
	pay seek be have do live work move serve study like love enjoy adore prefer hate dislike detest loathe despise
	trust fear owe promise vow pledge kill want need wish dream hope plan intend aim decide believe reckon suspect
	suppose guess worship pray follow marry visit travel arrive return carry stay lodge camp reside dwell settle
	hail head sail walk look search hunt join belong play cook fish farm trade smoke gamble dance paint own
	possess use rob murder discover purchase witness watch notice spot overhear finish start stop help save rescue
	collapse happen learn train wander escape survive deliver fetch repair mend forge raise name call turn miss
	remember forget attack defend guard accuse betray blame bury cross climb open close lock unlock drop throw
	pick hire employ retire desert abandon inherit borrow argue agree refuse admit confess disappear vanish vote
	cure heal poison curse bless haunt rain snow freeze flood claim smell gather wound hurt attend apologize
	apologise touch recall praise`

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
