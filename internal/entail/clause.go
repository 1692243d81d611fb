package entail

import "slices"

// clauses splits a sentence at its semicolons, and at a comma with "and" or "but" behind
// which a subject stands: each part says something alone.
func (s *sentence) clauses() []sentence {
	var out []sentence
	start := 0
	for i := 0; i+1 < len(s.words); i++ {
		next, gap := i+1, s.words[i].gap
		joins := s.at(next) == "and" || s.at(next) == "but"
		if joins {
			next++
		}
		if gap != ";" && (gap != "," || !joins || !s.startsClause(next)) || i+1-start < 2 || len(s.words)-next < 2 {
			continue
		}
		out = append(out, s.cut(start, i+1))
		start = next
	}
	if start == 0 {
		return []sentence{*s}
	}
	return append(out, s.cut(start, len(s.words)))
}

var subjects = wordSet(`i he she it we they you there this that these those the a an my your his her our their its nobody everybody
	someone everyone no some every all most both each many few`)

// startsClause says whether a subject stands at i: a pronoun, a determiner, or a
// name.
func (s *sentence) startsClause(i int) bool {
	return i < len(s.words) && (subjects[s.at(i)] || contractions[s.at(i)] != "" || s.words[i].upper)
}

func hasNot(w string) bool { return len(w) > 3 && w[len(w)-3:] == "n't" }

// cut is the sentence's words from i up to j as a sentence.
func (s *sentence) cut(i, j int) sentence {
	out := sentence{lower: s.lower, words: slices.Clone(s.words[i:j]), question: s.question && j == len(s.words), quoted: s.quoted}
	out.start = s.words[i].start
	out.text = s.text[s.words[i].start-s.start : s.words[j-1].end-s.start]
	if i == 0 {
		out.lead = s.lead
	}
	out.words[len(out.words)-1].gap = ""
	return out
}
