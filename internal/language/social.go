package language

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// courtesies are what a message may consist of to be nothing but courtesy, by
// language and intent, as phrases of folded words.
var courtesies = map[string]map[string][]string{
	"de": {
		protocol.IntentGreeting: {"hallo", "hi", "hey", "moin", "servus", "guten tag", "guten morgen", "guten abend",
			"grüß gott", "grüß dich", "seid gegrüßt", "sei gegrüßt", "tag"},
		protocol.IntentFarewell: {"tschüss", "tschüß", "tschau", "ciao", "auf wiedersehen", "bis bald", "bis dann",
			"bis später", "leb wohl", "lebt wohl", "gute nacht", "mach's gut", "gute reise"},
		protocol.IntentThanks: {"danke", "danke schön", "dankeschön", "danke sehr", "vielen dank", "besten dank",
			"herzlichen dank", "habt dank", "hab dank"},
		protocol.IntentFeelings: {"wie geht es dir", "wie geht es euch", "wie geht es ihnen", "wie geht's", "wie gehts",
			"wie geht's dir", "wie gehts dir", "alles gut", "alles klar"},
		protocol.IntentWhoAreYou: {"wer bist du", "wer seid ihr", "wer sind sie", "wie heißt du", "wie heisst du",
			"wie heißt ihr", "wie ist dein name", "wie ist euer name", "was ist dein name"},
	},
	"fr": {
		protocol.IntentGreeting: {"bonjour", "bonsoir", "salut", "coucou", "hé", "bien le bonjour"},
		protocol.IntentFarewell: {"au revoir", "adieu", "à bientôt", "a bientot", "à plus tard", "à plus", "à demain",
			"bonne nuit", "bonne route", "bonne journée", "salut et adieu"},
		protocol.IntentThanks: {"merci", "merci beaucoup", "merci bien", "mille mercis", "grand merci", "je vous remercie",
			"je te remercie"},
		protocol.IntentFeelings: {"ça va", "ca va", "comment ça va", "comment ca va", "comment vas-tu", "comment vas tu",
			"comment allez-vous", "comment allez vous", "tu vas bien", "vous allez bien"},
		protocol.IntentWhoAreYou: {"qui es-tu", "qui es tu", "qui êtes-vous", "qui êtes vous", "tu es qui",
			"comment t'appelles-tu", "comment t'appelles tu", "comment vous appelez-vous", "comment vous appelez vous",
			"quel est ton nom", "quel est votre nom"},
	},
	"es": {
		protocol.IntentGreeting: {"hola", "buenos días", "buenos dias", "buen día", "buenas tardes", "buenas noches",
			"buenas", "saludos", "muy buenas"},
		protocol.IntentFarewell: {"adiós", "adios", "hasta luego", "hasta pronto", "hasta mañana", "hasta la vista",
			"nos vemos", "que te vaya bien", "buen viaje"},
		protocol.IntentThanks: {"gracias", "muchas gracias", "mil gracias", "te lo agradezco", "se lo agradezco"},
		protocol.IntentFeelings: {"qué tal", "que tal", "cómo estás", "como estas", "cómo está usted", "cómo está",
			"cómo te va", "cómo va todo", "qué tal estás", "estás bien"},
		protocol.IntentWhoAreYou: {"quién eres", "quien eres", "quién eres tú", "quién es usted", "cómo te llamas",
			"como te llamas", "cómo se llama usted", "cuál es tu nombre", "cual es tu nombre"},
	},
}

// fillers say nothing beside a courtesy.
var fillers = map[string]string{
	"de": "bitte mein meine lieber liebe guter gute freund freunde herr frau und denn so heute dir euch ihnen",
	"fr": "mon ma ami amie amis monsieur madame et à vous toi aujourd'hui cher chère",
	"es": "mi amigo amiga amigos señor señora y a usted ti tú hoy",
}

// Intent reads a message of a turn that is not verified, whose language the rules
// for English cannot read: one of the social intents where the message is nothing
// but courtesy, else a question.
func (r Rule) Intent(message string) string {
	if kinds := courtesies[r.Language]; kinds != nil {
		for _, kind := range []string{protocol.IntentWhoAreYou, protocol.IntentFeelings, protocol.IntentThanks,
			protocol.IntentFarewell, protocol.IntentGreeting} {
			if r.consists(message, kind) {
				return kind
			}
		}
	}
	return protocol.IntentQuestion
}

// consists says whether a message is made of phrases of a kind, with nothing beside
// them but greetings, names of the NPC and fillers.
func (r Rule) consists(message, kind string) bool {
	rest := " " + strings.Join(text.Words(message), " ") + " "
	rest, found := without(rest, courtesies[r.Language][kind])
	if !found {
		return false
	}
	rest, _ = without(rest, courtesies[r.Language][protocol.IntentGreeting])
	beside := append(strings.Fields(fillers[r.Language]), r.nameWords()...)
	return !slices.ContainsFunc(strings.Fields(rest), func(w string) bool { return !slices.Contains(beside, w) })
}

// without takes phrases out of a line of words, the longest first.
func without(line string, phrases []string) (string, bool) {
	phrases = slices.Clone(phrases)
	slices.SortStableFunc(phrases, func(a, b string) int { return len(b) - len(a) })
	found := false
	for _, p := range phrases {
		p = " " + strings.Join(text.Words(p), " ") + " "
		for strings.Contains(line, p) {
			line, found = strings.Replace(line, p, " ", 1), true
		}
	}
	return line, found
}

func (r Rule) nameWords() []string {
	if r.npc == nil {
		return nil
	}
	return text.Words(r.npc.Name)
}

// LineFor is the kind of authored line that answers an intent in a turn that is
// not verified and for which nothing can be quoted.
func LineFor(intent string) string {
	switch intent {
	case protocol.IntentGreeting:
		return world.LineGreeting
	case protocol.IntentFarewell:
		return world.LineFarewell
	case protocol.IntentThanks:
		return world.LineThanks
	case protocol.IntentFeelings:
		return world.LineFeelings
	case protocol.IntentWhoAreYou:
		return world.LineWhoAreYou
	case protocol.IntentKindness:
		return world.LineKindness
	}
	return world.LineUnknown
}
