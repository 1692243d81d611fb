package world

import (
	"bytes"
	"net/mail"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jhillyerd/enmime/v2"
	"github.com/jhillyerd/enmime/v2/mediatype"
)

// mailParser takes the declared character set at its word: guessing would make
// the same file read differently as it grows.
var mailParser = enmime.NewParser(enmime.DisableCharacterDetection(true), enmime.MinCharsetDetectRunes(1<<30),
	enmime.SetCustomParseMediaType(undeclaredIsUTF8))

// maxParts bounds the lines that may begin a part: the parser takes time in the
// square of them.
const maxParts = 1000

// undeclaredIsUTF8 reads text that declares no character set, or ASCII, as UTF-8,
// which says the same of all that is ASCII.
func undeclaredIsUTF8(ctype string) (mtype string, params map[string]string, invalid []string, err error) {
	mtype, params, invalid, err = mediatype.Parse(ctype)
	if charset := strings.ToLower(params["charset"]); params != nil && strings.HasPrefix(mtype, "text/") &&
		(charset == "" || charset == "us-ascii" || charset == "ascii") {
		params["charset"] = "utf-8"
	}
	return mtype, params, invalid, err
}

// readMail reads a message (RFC 5322, MIME): the sender's own words, each
// passage with who wrote it and when. Quoted lines and what follows "On … wrote:"
// are another's words, and are cut off.
func readMail(l *log, d *Document, data []byte) []Passage {
	if bytes.Count(data, []byte("\n--")) > maxParts {
		l.errorf(1, "has over %d parts or ruled lines; split it into smaller mails", maxParts)
		return nil
	}
	env, err := mailParser.ReadEnvelope(bytes.NewReader(data))
	if err != nil {
		l.errorf(1, "is not a mail message: %s", oneLine(err.Error()))
		return nil
	}
	for _, e := range env.Errors {
		if e.Severe {
			l.errorf(1, "cannot be read as mail: %s", oneLine(e.Error()))
			return nil
		}
	}
	if env.GetHeader("From") == "" && env.GetHeader("Date") == "" && env.GetHeader("Subject") == "" {
		l.errorf(1, "has no From, Date or Subject; begin the file with mail headers and a blank line")
		return nil
	}
	body := strings.ReplaceAll(strings.ReplaceAll(env.Text, "\r\n", "\n"), "\r", "\n")
	if !utf8.ValidString(body) || strings.ContainsAny(body, "\x00\ufffd") {
		l.errorf(1, "holds text that is not in its declared character set; save it as UTF-8")
		return nil
	}
	sender, at := mailSender(env), mailDate(env, d)
	subject := mailSubject(env)
	shift := bodyLine(data)
	var out []Passage
	for _, b := range proseBlocks(ownWords(body), false) {
		b.line += shift
		if b.heading == "" {
			b.heading = subject
		}
		for _, p := range b.cut() {
			p.Speaker, p.At = sender, at
			out = append(out, p)
		}
	}
	return out
}

// bodyLine is how many lines of headers a message has, blank line included.
func bodyLine(data []byte) int {
	head := data
	if i := bytes.Index(data, []byte("\n\n")); i >= 0 {
		head = data[:i+2]
	} else if i := bytes.Index(data, []byte("\r\n\r\n")); i >= 0 {
		head = data[:i+4]
	}
	return bytes.Count(head, []byte("\n"))
}

func mailSender(env *enmime.Envelope) string {
	from := strings.TrimSpace(env.GetHeader("From"))
	if list, err := env.AddressList("From"); err == nil && len(list) > 0 {
		return senderName(list[0])
	}
	if a, err := mail.ParseAddress(from); err == nil {
		return senderName(a)
	}
	name, _, _ := strings.Cut(from, "<")
	return strings.Trim(name, `" `)
}

func senderName(a *mail.Address) string {
	if a.Name != "" {
		return a.Name
	}
	local, _, _ := strings.Cut(a.Address, "@")
	return local
}

// mailDate is the Date header, else when the document was made.
func mailDate(env *enmime.Envelope, d *Document) time.Time {
	value := strings.TrimSpace(env.GetHeader("Date"))
	if t, err := mail.ParseDate(value); err == nil && t.Year() >= 1 && t.Year() <= 9999 {
		return t.UTC()
	}
	if t, err := ParseTime(value); err == nil {
		return t
	}
	return d.CreatedAt
}

var replyMarks = regexp.MustCompile(`(?i)^\s*(?:(?:re|fwd?|aw|wg)\s*:\s*)+`)

func mailSubject(env *enmime.Envelope) string {
	return strings.TrimSpace(replyMarks.ReplaceAllString(env.GetHeader("Subject"), ""))
}

var (
	attribution = regexp.MustCompile(`(?i)^\s*(?:on\b.{4,200}\bwrote|.{1,80}\b(?:wrote|writes|schrieb|écrit))\s*:\s*$`)
	attribStart = regexp.MustCompile(`(?i)^\s*on\b.*\d`)
	otherMail   = regexp.MustCompile(`(?i)^\s*(?:-{2,}\s*(?:original|forwarded)\b.*|begin forwarded message:|_{10,})\s*$`)
	outlook     = regexp.MustCompile(`(?i)^\s*(?:from|sent|to|subject|date)\s*:\s`)
)

// ownWords blanks the lines that are another's words, so that lines keep their
// numbers.
func ownWords(body string) string {
	lines := strings.Split(body, "\n")
	for i := 0; i < len(lines); i++ {
		switch n := attributionLines(lines[i:]); {
		case strings.HasPrefix(strings.TrimSpace(lines[i]), ">"):
			lines[i] = ""
		case n > 0 && quotesFollow(lines[i+n:]):
			for j := range n {
				lines[i+j] = ""
			}
		case n > 0, otherMail.MatchString(lines[i]), isHeaderBlock(lines[i:]):
			return strings.Join(lines[:i], "\n")
		case strings.TrimRight(lines[i], "\r") == "-- ":
			lines[i] = "" // the mark of a signature, which is a paragraph of its own
		}
	}
	return strings.Join(lines, "\n")
}

// attributionLines is how many lines an "On … wrote:" takes: one, two or three.
func attributionLines(lines []string) int {
	if attribution.MatchString(lines[0]) && looksAttributed(lines[0]) {
		return 1
	}
	if !attribStart.MatchString(lines[0]) {
		return 0
	}
	joined := lines[0]
	for n := 1; n < len(lines) && n < 3 && strings.TrimSpace(lines[n]) != ""; n++ {
		joined += " " + strings.TrimSpace(lines[n])
		if attribution.MatchString(joined) {
			return n + 1
		}
	}
	return 0
}

// looksAttributed keeps "This is what she wrote:" with the sender's own words:
// an attribution carries a date, an address or begins with a name.
func looksAttributed(s string) bool {
	return strings.ContainsAny(s, "0123456789@") || len(strings.Fields(s)) <= 3
}

// quotesFollow says whether the next line with text is quoted.
func quotesFollow(lines []string) bool {
	for _, s := range lines {
		if s = strings.TrimSpace(s); s != "" {
			return strings.HasPrefix(s, ">")
		}
	}
	return false
}

// isHeaderBlock says whether three lines running are headers, as some programs
// write them above what they quote.
func isHeaderBlock(lines []string) bool {
	if len(lines) < 3 {
		return false
	}
	for _, s := range lines[:3] {
		if !outlook.MatchString(s) {
			return false
		}
	}
	return true
}
