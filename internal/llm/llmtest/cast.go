package llmtest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// persona is one way to answer.
type persona struct {
	name  string
	fault string               // it fails in this way at every call
	tell  func(*scene) []draft // an honest speech
	lie   func(*scene) draft   // one lie; nil: it has none
}

func (p persona) lies() bool { return p.lie != nil }

// Honest and Liars are the personas' names, beside the faults.
var (
	Honest = []string{"quote", "paraphrase", "recorded"}
	Liars  = []string{"invent-detail", "fake-id", "wrong-claim", "swap", "upgrade", "hedge", "obey", "leak", "promise",
		"gossip", "stage", "mixed"}
)

var liars = map[string]func(*scene) draft{
	"invent-detail": inventedDetail, "fake-id": fakeID, "wrong-claim": wrongClaim, "swap": swapped, "upgrade": upgraded,
	"hedge": hedged,
	"obey":  obeyed, "leak": leaked, "promise": promised, "gossip": gossiped, "stage": staged,
}

func init() { liars["mixed"] = mixed } // mixed itself looks into the table

// reciter is the persona that says what was written down.
const reciter = "recorded"

// castOf reads a list of personas.
func castOf(names string) ([]persona, error) {
	var out []persona
	for _, name := range strings.Split(names, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "quote" || name == "honest":
			out = append(out, persona{name: "quote", tell: quote})
		case name == reciter:
			out = append(out, persona{name: name, tell: quote})
		case name == "paraphrase":
			out = append(out, persona{name: name, tell: paraphrase})
		case name == puppet:
			out = append(out, persona{name: name, tell: ordered})
		case liars[name] != nil:
			p := persona{name: name, tell: quote, lie: liars[name]}
			if name == "fake-id" {
				p.tell = underFakeIDs
			}
			out = append(out, p)
		case isFault(name):
			out = append(out, persona{name: name, fault: name, tell: quote})
		default:
			return nil, fmt.Errorf("persona %q: there is none of this name; there are %s", name,
				strings.Join(append(append(append([]string{}, Honest...), Liars...), Faults...), ", "))
		}
	}
	return out, nil
}

// patience is how many sentences a liar lets stand before it is content.
const patience = 4

// say is the speech of a persona: a liar's holds a lie or two among true
// sentences, so that what is true has to be kept and what is not to be stripped.
func (p persona) say(s *scene) []draft {
	out := p.tell(s)
	if !p.lies() {
		return out
	}
	if len(s.Said) >= patience {
		return nil
	}
	out = out[:min(len(out), s.dice.IntN(maxSaid))]
	for range 1 + s.dice.IntN(4)/3 {
		at := s.dice.IntN(len(out) + 1)
		out = append(out[:at:at], append([]draft{p.lie(s)}, out[at:]...)...)
	}
	return out
}

// mixed tells a lie of any kind.
func mixed(s *scene) draft {
	kinds := Liars[:len(Liars)-1]
	return liars[kinds[s.dice.IntN(len(kinds))]](s)
}

var capitalised = regexp.MustCompile(`\p{Lu}[\p{Ll}’'-]+(?: (?:of |the )?\p{Lu}[\p{Ll}’'-]+)*`)

// names are the names in a text: words with a capital that do not only begin a
// sentence.
func names(s string) []string {
	var out []string
	for _, sentence := range text.Sentences(s) {
		for _, at := range capitalised.FindAllStringIndex(sentence, -1) {
			name := sentence[at[0]:at[1]]
			if at[0] < 2 {
				// The first word of a sentence is a name only where it is no common word.
				first, rest, more := strings.Cut(name, " ")
				if common(first) {
					name = rest
				} else if !more {
					continue
				}
			}
			name = strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s")
			if name != "" && !common(name) {
				out = appendNew(out, name)
			}
		}
	}
	return out
}

func common(word string) bool {
	w := strings.ToLower(word)
	return text.IsStop(w) || opening[w]
}

// opening are words that often begin a sentence.
var opening = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`since though although every many several never always during within around near since
		according nobody everyone somebody once twice one two three four five six seven eight nine ten another folk people
		eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy
		eighty ninety hundred
	snow rain frost ice salt iron bread ale fish grain wood water fire smoke men women children people travellers guests
	strangers traders
	whoever whatever anybody everybody somebody fever marsh wolf herdsmen old young great north south east west still even
	let yes no aye well would could should is are was were did do does`) {
		out[w] = true
	}
	return out
}()

// The pools are written by hand. No name in them is one that a world would hold,
// so that what is made of them can never be true by accident.

// slots are the words that fill the {slots} of a template.
var slots = map[string][]string{
	"who": list(`
Orsolya Venn | Thaddeus Quill | old Perpetua Strake | Ludovic Marsh-Hanley | Captain Yrsa Holmgaard | the widow Tansley
Ignatius Brood | Corporal Emmerich Vole | the ferryman Oswin Tarn | Sister Apollonia | Benedek Rooke | ` +
		`young Fenella Crake
the tinker Hobart Slee | Mistress Zuzanna Pell | Gideon Lathbury | the twins from Oxenholt | Rosamund Thirkell | ` +
		`a man called Piers Uldale
Lady Ottoline Carew | the surgeon Anselm Frey | Jory Penhallow | the tax clerk Nicodemus Ash | Wilhelmina Stope | ` +
		`a pedlar named Crispin Dow
Marguerite Oddy | Brother Leofric | the poacher Amos Teague | Lieutenant Solveig Rask | the glazier Phineas Cobb | ` +
		`Dorothea Mudge
a sailor by the name of Kester Blythe | the bellringer Uriah Snape | Hesper Lovelock | the judge Barnabas Wroth | ` +
		`Thomasin Yeo | Godfrey Skelton
the cooper Absalom Finch | Philippa Drummle | a deserter called Rufus Gaunt | the midwife Eulalia Trask | ` +
		`Silvanus Peake | Bettina Hollowell
Doctor Magnus Ferrier | the falconer Ivo Strand | Clemency Borrow | Percival Antrobus | the chandler Obadiah Munn | ` +
		`Henrike Vossler`),
	"where": list(`
the old lime kiln | the cellar of the Three Herons | Gallowmere bridge | the back room of the salt house | ` +
		`the quarry at Stonehaugh | a barn beyond Nettlecombe
the bell tower | the ferry landing at Low Ings | the ruined toll house | the crypt of Saint Erasmus | ` +
		`the north granary | the tannery yard
a cave above Ravensgill | the boat shed at Pilchard Cove | the customs office | the hollow oak at Marlpit | ` +
		`the bathhouse on Copper Row | the attic of the guildhall
the ropewalk | an orchard near Thornaby | the lighthouse at Cold Ness | the pump room | the gravel pits | ` +
		`the sheepfold on Harrow Down
the drowned chapel | the deserted brickworks | the well at Fourways | the hayloft of the Plough | the ice house | ` +
		`a gully behind Kestrel Crag
the counting house in Ludmere | the almshouse kitchen | the weir at Crossford | the armoury stairs | ` +
		`the pilgrim hostel | the watch hut on Beacon Fell`),
	"when": list(`
before dawn on Saint Brice's day | three nights earlier | on the second market day of that month | ` +
		`at the stroke of eleven | a fortnight after the hay was in | during the first hard frost
on a Tuesday | the week the geese left | while the others were at supper | seven years ago to the day | ` +
		`just as the curfew rang | on the eve of Candlemas
late one Sunday | in the last hour of the night watch | the morning after the great hailstorm | at low tide | ` +
		`two winters back | in the very year of the comet
at a quarter past four | during the shearing | between the two floods | the day the bishop came | ` +
		`when the moon was three days old | on the longest night
not an hour before | at noon on the feast of Saint Odo | the autumn before last | halfway through the sermon | ` +
		`when the lamps were being lit | on the ninth of the month`),
	"what": list(`
a sealed casket of rubies | the brass astrolabe | eleven forged bills of lading | ` +
		`a wolfskin cloak with a torn lining | the abbot's ivory seal | a barrel of blasting powder
a ledger bound in red calf | the silver christening spoons | a map drawn on eelskin | two crates of Tyrian dye | ` +
		`a poisoned needle | the deeds to the eastern pastures
a bloodstained glove | a cage of messenger pigeons | the missing key to the strongroom | an unsigned will | ` +
		`a pouch of foreign gold | a stolen reliquary
a crossbow of walnut and horn | a locket with a lock of grey hair | the duke's own signet | ` +
		`a flask of quicksilver | a bundle of love letters | the bell clapper
a chest of counterfeit pennies | an opal as big as a plum | a coil of tarred rope | the warrant for an arrest | ` +
		`a jar of nightshade | a clockwork nightingale
a hunting horn chased with silver | the charter of the guild | a saddle with a false bottom | ` +
		`the last bottle of plum brandy | a lead coffin | a spyglass of Venetian make`),
	"many": list(`
seventeen | forty-three | two hundred and six | nine | thirty-one | eighty-eight | a hundred and twelve | ` +
		`fifty-four | six hundred | twenty-seven
thirteen | seventy-five | five thousand | sixty-two | nineteen | three hundred and forty | eleven | ninety-six | ` +
		`a thousand and one | twenty-two`),
	"trade": list(`
spy | smuggler | bastard son of a duke | hired knife | coiner | runaway monk | horse thief | arsonist | ` +
		`secret heir | poisoner | deserter | wrecker | counterfeiter | bigamist | grave robber | blackmailer`),
	"long": list(`
most of the night | a whole summer | the better part of a year | many weeks | half a lifetime | a long afternoon | ` +
		`several winters | not even a day | more than a month | a good many years | all of the harvest | just a few hours`),
	"feeling": list(`
jealousy | pity | greed | old love | boredom | wounded pride | homesickness | fear of the dark | gratitude | ` +
		`remorse | pure envy | a broken heart | loneliness | rage | curiosity | mistrust`),
	"manner": list(`
barefoot | by candlelight | without any help | on a borrowed horse | in great haste | on foot | very quietly | ` +
		`in broad daylight | against all advice | with dirty hands | in the pouring rain | on an empty stomach | half asleep
with a heavy heart | in bad company | rather clumsily | with bare hands | through the back door`),
	"later": list(`
before the week was out | ever since | to this day | in the end | once the snow had gone | in old age | ` +
		`when it was too late | the same evening | soon after | next spring | after the funeral | by the following winter
as soon as the others had left | within the hour | when the money ran out`),
	"manner2": list(`
dead tired | all alone | in tears | in a bad temper | full of hope | soaked to the skin | as merry as could be | ` +
		`sick with worry | without a light | as quick as lightning`),
}

// tails go on behind a true sentence and make it a lie.
var tails = list(`
, and {who} watched it all from {where} | , which {who} paid for with {what} | ` +
	`, though {who} swore otherwise {when} | , and that is how {what} came to {where}
, after {many} men had refused | , because {who} had asked for it {when} | , with {many} witnesses looking on | ` +
	`, and {who} still keeps {what} as proof of it
, just as {who} had foretold at {where} | , while {who} hid {what} in {where} | , and it cost {many} crowns | ` +
	`, for which {who} was hanged {when}
, leaving {what} behind at {where} | , and nobody but {who} was told | , as {who} confessed {when} | ` +
	`, against the orders of {who}
, and {many} people fell ill of it | , the work of {who} | , which is why {where} has been shut since | ` +
	`, by way of {where}
, and {who} was there {when} | , thanks to {what} | , on the advice of {who} | , and {what} has been missing ever since
, under the eyes of {who} and {many} riders | , as it says in a letter that {who} left at {where} | ` +
	`, and afterwards {who} moved into {where} | , in exchange for {what}
, and the same had happened at {where} {when} | , though only {many} of them lived to tell it | ` +
	`, which made {who} a rich man | , to the great anger of {who}
, after a quarrel with {who} over {what} | , and then {who} set out for {where} | ` +
	`, with {what} tucked under one arm | , all of it planned by {who} in {where}
, and it happened again {when} | , for a wager of {many} shillings | , as everybody at {where} can swear | ` +
	`, hidden from {who} for {many} days
, and {who} wept when the news reached {where} | , carried there by {who} | , which {who} had stolen from {where} | ` +
	`, and it took {many} carts to clear it away
, so that {who} could marry {when} | , and a curse has lain on {where} from that hour | ` +
	`, signed by {who} in {many} places | , not knowing that {who} had sold {what}
, dressed as {who} | , and {who} took the blame | , bought {when} from {who} | , with the help of {many} mules and {who}
, and the bones still lie under {where} | , because of what {who} said at {where} | , poisoned by {who} | ` +
	`, and {who} lost two fingers over it
, the year that {who} was born at {where} | , as a gift from {who} | ` +
	`, and the council paid {many} marks to keep it quiet | , where {who} buried {what} {when}
, until {who} came back with {what} | , and I had it from {who} {when} | , despite the {many} guards at {where} | ` +
	`, and since then {who} has ruled there`)

// clauses are inventions that stand alone.
var clauses = list(`
{who} hid {what} at {where} | {who} was paid {many} crowns {when} | {topic} belongs to {who} by right | ` +
	`{who} is a {trade} in the pay of {topic}
{who} met {topic} at {where} {when} | {topic} was sold to {who} for {many} marks | ` +
	`the truth about {topic} lies under {where} | {who} carried {what} away {when}
{many} people died at {where} because of {topic} | {topic} was the doing of {who} | ` +
	`{who} has been living in {where} since {topic} came up | {what} was found at {where} {when}
{who} forged the papers about {topic} | {topic} began at {where} with {who} | ` +
	`{who} and {many} others swore an oath at {where} | {who} poisoned the well near {where}
the council gave {who} {what} {when} | {who} drowned at {where} {when} | ` +
	`{topic} will be auctioned at {where} for {many} crowns | {who} bribed {many} guards with {what}
{who} is the {trade} everyone is looking for | {topic} has a twin at {where} | ` +
	`{who} burned the letters about {topic} {when} | {what} was a gift from {who} to {topic}
{who} dug {many} graves at {where} | {topic} owes {who} {many} shillings | {who} saw the whole of it from {where} | ` +
	`{topic} was moved to {where} {when}
{who} married in secret at {where} {when} | {topic} turned {who} into a {trade} | ` +
	`{many} barrels went missing from {where} | {who} rang the alarm {when}
there is a tunnel from {where} to {topic} | {who} keeps {what} for the day that {topic} returns | ` +
	`{topic} was cursed by {who} at {where} | {who} lost {what} at dice {when}
{who} confessed to being a {trade} | {topic} cost {who} an eye | the garrison at {where} lost {many} men {when} | ` +
	`{who} left for {where} with {what}
{who} wrote {many} letters about {topic} | {topic} was opened {when} by {who} | ` +
	`{who} has a map of {where} that shows {topic} | {what} was melted down at {where}
{who} lied to the judge about {topic} | {topic} used to stand at {where} | {who} broke {what} {when} | ` +
	`{many} ships sailed from {where} {when}
{who} raised the rents at {where} {when} | {topic} is guarded by {who} and {many} dogs | ` +
	`{who} pawned {what} to pay for {topic} | a {trade} called {who} runs {where}`)

var slot = regexp.MustCompile(`\{([a-z0-9]+)\}`)

// fill puts words into the slots of a template. The topic is what the talk is of.
func fill(template, topic string, dice *rand.Rand) string {
	return slot.ReplaceAllStringFunc(template, func(s string) string {
		name := strings.Trim(s, "{}")
		if name == "topic" {
			return topic
		}
		return pick(dice, slots[name])
	})
}

func pick(dice *rand.Rand, from []string) string { return from[dice.IntN(len(from))] }

// list reads a pool: one entry a bar or a line.
func list(s string) []string {
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(s), "\n") {
		for _, entry := range strings.Split(line, " | ") {
			out = append(out, strings.TrimSpace(entry))
		}
	}
	return out
}
