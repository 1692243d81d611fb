package prompt

import (
	"encoding/json"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// Stream finds the sentences of a speech while its JSON is still coming: each
// element of the list "sentences" is given as soon as its closing brace is
// there. It reads nothing else, and takes the text as it is: an answer that is
// no JSON gives no sentence. The zero value is ready.
type Stream struct {
	buffer  strings.Builder
	at      int  // how far the buffer was read
	depth   int  // open braces and brackets
	quoted  bool // inside a string
	escaped bool // behind a backslash
	key     string
	start   int // of the string or the element under way
	list    int // depth of the list of sentences; 0: not in it
	element int // where the element under way begins; -1: none
	given   int
	began   bool
}

// Feed takes more of the answer and gives the sentences that it completes.
func (s *Stream) Feed(delta string) []protocol.DraftSentence {
	if !s.began {
		s.began, s.element = true, -1
	}
	if s.buffer.Len()+len(delta) > maxAnswer {
		return nil
	}
	s.buffer.WriteString(delta)
	text := s.buffer.String()
	var out []protocol.DraftSentence
	for ; s.at < len(text); s.at++ {
		if done := s.step(text, text[s.at]); done != "" && s.given < maxSentences {
			var d draftSentence
			if json.Unmarshal([]byte(done), &d) == nil {
				said := d.read()
				s.given += len(said)
				out = append(out, said...)
			}
		}
	}
	return out
}

// maxAnswer bounds what is kept of an answer.
const maxAnswer = 256 << 10

// step reads one byte and gives the element that it completes.
func (s *Stream) step(text string, c byte) string {
	switch {
	case s.escaped:
		s.escaped = false
	case s.quoted && c == '\\':
		s.escaped = true
	case c == '"' && !s.quoted:
		s.quoted, s.start = true, s.at+1
	case c == '"':
		s.quoted = false
		if s.depth == 1 {
			s.key = text[s.start:s.at]
		}
	case s.quoted:
	case c == '{' || c == '[':
		s.open(c)
	case c == '}' || c == ']':
		return s.close(text, c)
	case c == ',' && s.depth == 1:
		s.key = ""
	}
	return ""
}

func (s *Stream) open(c byte) {
	s.depth++
	switch {
	case c == '[' && s.depth == 2 && s.key == "sentences" && s.list == 0:
		s.list = s.depth
	case c == '{' && s.list > 0 && s.depth == s.list+1:
		s.element = s.at
	}
}

func (s *Stream) close(text string, c byte) string {
	s.depth = max(0, s.depth-1)
	switch {
	case c == '}' && s.list > 0 && s.depth == s.list && s.element >= 0:
		done := text[s.element : s.at+1]
		s.element = -1
		return done
	case s.list > 0 && s.depth < s.list:
		s.list, s.key = 0, ""
	}
	return ""
}
