package secrecy

import "strings"

// numerals are digits and numbers in words, of several languages; each has the
// digits that it stands for.
var numerals = func() map[uint64]string {
	out := map[uint64]string{}
	for i, row := range []string{
		"zero nil nought null cero zéro zero nulla nul nolla",
		"one ein eins eine uno un une unum um een yksi",
		"two zwei zwo dos deux due duo dois twee kaksi",
		"three drei tres trois tre tria três drie kolme",
		"four vier cuatro quatre quattro quattuor quatro neljä",
		"five fünf cinco cinq cinque quinque vijf viisi",
		"six sechs seis sei sex zes kuusi",
		"seven sieben siete sept sette septem sete zeven",
		"eight acht ocho huit otto octo oito kahdeksan",
		"nine neun nueve neuf nove novem negen",
	} {
		for _, w := range strings.Fields(row) {
			out[exactOf(w)] = string(byte('0' + i))
		}
	}
	for i, w := range strings.Fields("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen") {
		out[exactOf(w)] = "1" + string(byte('0'+i))
	}
	for i, w := range strings.Fields("zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn") {
		out[exactOf(w)] = "1" + string(byte('0'+i))
	}
	for i, w := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
		out[exactOf(w)] = string(byte('2'+i)) + "0"
	}
	return out
}()

func exactOf(word string) uint64 {
	all := tokens(word)
	if len(all) != 1 {
		return 0
	}
	return all[0].exact()
}

// digits reads all digits in a row: with words, numbers that are written out too.
// "forty-four" is two digits, "four thousand four hundred" none but its fours.
func digits(earlier, now []token, words bool) reading {
	var out reading
	tens := false
	take := func(t *token, isNew bool) {
		wrote := ""
		for _, l := range t.letters {
			if l.digit >= 0 {
				wrote += string(byte('0' + l.digit))
			}
		}
		if wrote == "" && words {
			wrote = numerals[t.exact()]
		}
		if wrote != "" && wrote[0] != '0' && len(wrote) == 1 && tens {
			out.signs = out.signs[:len(out.signs)-1]
		}
		tens = len(wrote) == 2 && wrote[1] == '0' && wrote[0] >= '2' && t.letters[0].digit < 0
		if !isNew {
			out.from = len(out.signs) + len(wrote)
		}
		for i := range len(wrote) {
			out.signs = append(out.signs, uint64(wrote[i]))
		}
	}
	for i := range earlier {
		take(&earlier[i], false)
	}
	for i := range now {
		take(&now[i], true)
	}
	return out
}
