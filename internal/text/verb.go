package text

import (
	"strings"

	"github.com/kljensen/snowball/english"
)

// irregular are verbs with their forms of the past, and behind a slash those that only complete
// a perfect. homonyms are those of which a form is another word too: that form keeps its own stem.
const (
	irregular = `begin=began/begun bite=bit/bitten blow=blew/blown break=broke/broken bring=brought build=built
		burn=burnt/burned buy=bought catch=caught choose=chose/chosen come=came creep=crept deal=dealt dig=dug
		draw=drew/drawn drink=drank/drunk drive=drove/driven eat=ate/eaten fall=fell/fallen feed=fed feel=felt
		fight=fought find=found flee=fled fly=flew/flown forget=forgot/forgotten forgive=forgave/forgiven
		freeze=froze/frozen give=gave/given go=went/gone grow=grew/grown hang=hung hear=heard hide=hid/hidden
		hold=held keep=kept know=knew/known lead=led leave=left lend=lent light=lit lose=lost make=made mean=meant
		meet=met pay=paid ride=rode/ridden ring=rang/rung run=ran say=said see=saw/seen sell=sold send=sent
		shoot=shot sing=sang/sung sink=sank/sunk sit=sat slay=slew/slain sleep=slept speak=spoke/spoken spend=spent
		stand=stood steal=stole/stolen strike=struck swear=swore/sworn swim=swam/swum take=took/taken teach=taught
		tell=told think=thought throw=threw/thrown understand=understood wake=woke/woken wear=wore/worn win=won
		write=wrote/written`
	homonyms = `bear=bore/borne beat=beat/beaten become=became bend=bent bleed=bled breed=bred cling=clung cut=cut
		dwell=dwelt get=got/gotten hit=hit hurt=hurt kneel=knelt lay=laid leap=leapt let=let lie=lay/lied/lain put=put
		quit=quit read=read rise=rose/risen seek=sought set=set shake=shook/shaken shine=shone shrink=shrank/shrunk
		shut=shut slide=slid spin=spun spread=spread spring=sprang/sprung stick=stuck sweep=swept swing=swung
		tear=tore/torn weave=wove/woven weep=wept withdraw=withdrew/withdrawn be=was/were/been do=did/done have=had`
)

// irregularForms are the forms of those verbs, and pasts the ones that tell of the past by themselves.
var (
	irregularForms = map[string][]string{}
	pasts          = map[string]bool{}
)

func init() {
	for _, list := range []string{irregular, homonyms} {
		for _, verb := range strings.Fields(list) {
			base, forms, _ := strings.Cut(verb, "=")
			irregularForms[base] = strings.Split(forms, "/")
			for i, form := range irregularForms[base] {
				pasts[form] = pasts[form] || i == 0
				if list == irregular {
					irregulars[form] = english.Stem(base, true)
				}
			}
		}
	}
	delete(pasts, "was") // "be" has a form for each person
	delete(pasts, "read")
}

// IrregularPast says whether a lower-case word is the past of an irregular verb, which is the same for all persons.
func IrregularPast(word string) bool { return pasts[word] }

// Verbs gives the bases of verbs by their forms, and says which forms are of the past.
func Verbs(list string) (base map[string]string, past map[string]bool) {
	base, past = map[string]string{}, map[string]bool{}
	for _, verb := range strings.Fields(list) {
		forms := pastsOf(verb)
		for _, form := range append(presents(verb), append(forms, verb)...) {
			if base[form] == "" {
				base[form] = verb
			}
		}
		for _, form := range forms {
			past[form] = past[form] || form != verb
		}
	}
	return base, past
}

// pastsOf are the forms of a verb for the past, by the table or by the rules of spelling, its last
// letter doubled in one of them.
func pastsOf(verb string) []string {
	if forms := irregularForms[verb]; len(forms) > 0 {
		return forms
	}
	last, before := verb[len(verb)-1:], verb[len(verb)-2:len(verb)-1]
	switch {
	case last == "e":
		return []string{verb + "d"}
	case last == "y" && !strings.ContainsAny(before, "aeiou"):
		return []string{verb[:len(verb)-1] + "ied"}
	}
	return []string{verb + "ed", doubled(verb) + "ed"}
}

// presents are the forms of a verb in -s and -ing, its last letter doubled in one of them.
func presents(verb string) []string {
	switch verb {
	case "be":
		return []string{"is", "am", "are", "being"}
	case "have":
		return []string{"has", "having"}
	case "lie", "die":
		return []string{verb + "s", verb[:1] + "ying"}
	}
	last := verb[len(verb)-1:]
	s := "s"
	switch before := verb[len(verb)-2 : len(verb)-1]; {
	case last == "e" && before != "e":
		return []string{verb + "s", verb[:len(verb)-1] + "ing"}
	case last == "y" && !strings.ContainsAny(before, "aeiou"):
		return []string{verb[:len(verb)-1] + "ies", verb + "ing"}
	case strings.Contains("sxo", last), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "ch"):
		s = "es"
	}
	return []string{verb + s, verb + "ing", doubled(verb) + "ing"}
}

// WithPerson is a verb of the present with the -s of the third person: "runs", "watches".
func WithPerson(verb string) string {
	if len(verb) < 2 {
		return verb
	}
	return presents(strings.ToLower(verb))[0]
}

// doubled is a verb with its last letter twice, where that is one that doubles: "stopp".
func doubled(verb string) string {
	if last := verb[len(verb)-1:]; strings.Contains("bdglmnprt", last) {
		return verb + last
	}
	return verb
}
