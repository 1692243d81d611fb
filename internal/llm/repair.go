package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/kaptinlin/jsonrepair"
)

// fit makes an answer JSON that fits the schema and the caller's own check: as it
// is, else as the one object in it, else repaired. An answer that broke off is
// not repaired, for half a sentence may say what the whole does not.
func (m *Models) fit(q Request, out spoken) ([]byte, error) {
	if q.Word != nil {
		return q.Word.fit(out)
	}
	answer, err := parse(out.text, out.cut)
	if err == nil {
		answer, err = m.schemas.check(q.Name, q.Schema, answer)
	}
	if err == nil && q.Validate != nil {
		err = q.Validate(answer)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return answer, nil
}

// parse finds the JSON object of an answer. What stands before it and behind it
// is left away: thoughts, fences, friendly words.
func parse(text string, cut bool) ([]byte, error) {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	if text == "" {
		return nil, errEmpty
	}
	begin, end := begins(text), strings.LastIndexByte(text, '}')
	switch {
	case begin < 0:
		return nil, errors.New("it holds no JSON object")
	case end > begin && json.Valid([]byte(text[begin:end+1])):
		return []byte(text[begin : end+1]), nil
	case cut, end < begin:
		return nil, errBroke
	}
	if tangled(text[begin : end+1]) {
		return nil, errTangled
	}
	repaired, err := repair(text[begin : end+1])
	if err != nil {
		return nil, errTangled
	}
	return []byte(repaired), nil
}

var (
	errEmpty   = errors.New("it is empty")
	errBroke   = errors.New("it broke off before its end")
	errTangled = errors.New("it is no JSON, and cannot be mended")
)

// repair keeps a library's panic from being ours.
func repair(text string) (out string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("repair: %v", v)
		}
	}()
	if out, err = jsonrepair.Repair(text); err == nil && !json.Valid([]byte(out)) {
		err = errors.New("repair: not JSON")
	}
	return apostrophes(out, text), err
}

var quoteInWord = regexp.MustCompile(`\p{L}\\"\p{L}`)

// apostrophes puts back those that the library took for quotes: of said 'the crew's'
// it makes the crew\"s. A quote that was one in the answer stays one.
func apostrophes(mended, answer string) string {
	for from := 0; ; {
		at := quoteInWord.FindStringIndex(mended[from:])
		if at == nil {
			return mended
		}
		left, right, _ := strings.Cut(mended[from+at[0]:from+at[1]], `\"`)
		from += at[0] + len(left)
		for _, mark := range quotes[1] {
			if strings.Contains(answer, left+string(mark)+right) {
				mended = mended[:from] + "'" + mended[from+len(`\"`):]
				break
			}
		}
	}
}

// What is tried to be mended. The library's time grows with the third power of the
// quotes that end nowhere: some kilobytes of them would take it minutes.
const (
	maxMend   = 16 << 10
	maxStrays = 16
)

// tangled says whether a text is too long, or too far from JSON, to be mended:
// whether more than some quotes neither begin nor end anything. An apostrophe
// within double quotes does no harm where all else is in order.
func tangled(text string) bool {
	strays, foreign, quote, before, escaped := 0, 0, rune(0), '{', false
	for i, c := range text {
		begins, ends := strings.ContainsRune("{[,:", before), matches(quote, c)
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
			strays += one(quote == 0)
		case quote == 0 && isQuote(c) && begins:
			quote = c
		case ends && structural(text[i+utf8.RuneLen(c):]):
			quote = 0
		case ends, quote == 0 && isQuote(c), quote != 0 && c == '\n':
			strays++
		case isQuote(c):
			foreign++
		}
		if !strings.ContainsRune(blank, c) {
			before = c
		}
	}
	return len(text) > maxMend || quote != 0 || strays > maxStrays || strays > 0 && strays+foreign > maxStrays
}

const blank = " \t\r\n"

// structural says whether a text goes on as JSON does behind a string.
func structural(text string) bool {
	text = strings.TrimLeft(text, blank)
	return text == "" || strings.IndexByte("}],:", text[0]) >= 0
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// quotes are what the library takes for them, those of one kind together.
var quotes = []string{"\"“”", "'‘’`´"}

func isQuote(c rune) bool { return strings.ContainsRune(quotes[0]+quotes[1], c) }

// matches says whether a quote may end what another has begun.
func matches(open, c rune) bool {
	for _, kind := range quotes {
		if open != 0 && strings.ContainsRune(kind, open) {
			return strings.ContainsRune(kind, c)
		}
	}
	return false
}
