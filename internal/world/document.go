package world

import (
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxFile bounds every file of a world.
const maxFile = 1 << 20

// Document is a file with valid metadata, or what an NPC's own file says of it.
type Document struct {
	Path       string
	Fragment   string // the part of npc.yaml that it is, such as "backstory", else empty
	NPC        string // the owner; empty for lore
	Type       string
	Author     string
	Summary    string
	Keywords   []string
	CreatedAt  time.Time
	ValidFrom  time.Time
	ValidTo    time.Time
	AllowedFor []string
	KnownBy    []string
	Requires   string
	Condition  Condition
	Belief     string
	Language   string
	Promoted   string // where the text came from, if a person promoted it to lore
	Passages   []Passage
	let        int    // how many passages it had when their texts were let go
	Hash       string // of the file and its companion

	knownByLine int
}

// ID is the document's path, with its fragment where it has one.
func (d *Document) ID() string {
	if d.Fragment == "" {
		return d.Path
	}
	return d.Path + "#" + d.Fragment
}

// Text is the document's passages, one a line.
func (d *Document) Text() string {
	parts := make([]string, len(d.Passages))
	for i, p := range d.Passages {
		parts[i] = p.Text
	}
	return strings.Join(parts, "\n")
}

// Passage is one to three whole sentences, verbatim in the file, white space
// aside.
type Passage struct {
	Text    string
	Speaker string    // who wrote or said it, where the document says so
	At      time.Time // when, where the document says so
	Page    int       // from 1; a form feed begins a new one
	Line    int       // in the file
	Heading string    // what it stands under: helps find it, grounds nothing
}

// documentKinds are the endings of documents, each with how it is read.
var documentKinds = map[string]func(*log, *Document, []byte) []Passage{
	".txt":  readProse,
	".md":   readProse,
	".eml":  readMail,
	".log":  readLog,
	".yaml": readRecords,
}

// readDocument cuts a file into passages.
func readDocument(l *log, d *Document, data []byte) {
	read := documentKinds[strings.ToLower(path.Ext(d.Path))]
	d.Passages = read(l, d, data)
	if len(d.Passages) == 0 && !l.failed {
		l.warnf(0, "holds no sentence that could be cited")
	}
}

// decodeText checks that a text is UTF-8 and brings its line ends to one form.
func decodeText(l *log, data []byte) (string, bool) {
	if line, ok := firstBadLine(data); !ok {
		l.errorf(line, "is not UTF-8; save it as UTF-8")
		return "", false
	}
	s := strings.TrimPrefix(string(data), "\ufeff")
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return s, true
}

// firstBadLine is the line of the first byte that is not UTF-8 text.
func firstBadLine(data []byte) (int, bool) {
	line := 1
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 || r == 0 {
			return line, false
		}
		if r == '\n' {
			line++
		}
		i += size
	}
	return 0, true
}

// isCitable says whether a passage says anything: it holds a letter or a digit.
func isCitable(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// Forget lets go of the texts of the documents and of what helps to find them, where a
// server holds both. What is told about each stays: see CatalogueOf.
func (w *World) Forget() {
	for _, d := range w.Documents {
		d.let = d.cuts()
		d.Passages, d.Keywords, d.Author, d.Hash = nil, nil, "", ""
		d.Type, d.Summary = strings.Clone(d.Type), strings.Clone(d.Summary) // not as parts of the whole file
	}
	w.forgotten = true
}

// Forgotten says whether the texts are gone.
func (w *World) Forgotten() bool { return w.forgotten }

// cuts is how many passages the document has, also where their texts are gone.
func (d *Document) cuts() int { return max(d.let, len(d.Passages)) }
