package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// fit makes an answer JSON that fits the schema and the caller's own check: as it
// is, else as the one object in it, else repaired. An answer that broke off is
// not repaired, for half a sentence may say what the whole does not.
func (m *Models) fit(q Request, out spoken) ([]byte, error) {
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
	repaired, err := repair(text[begin : end+1])
	if err != nil {
		return nil, errors.New("it is no JSON, and cannot be mended")
	}
	return []byte(repaired), nil
}

var (
	errEmpty = errors.New("it is empty")
	errBroke = errors.New("it broke off before its end")
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
	return out, err
}
