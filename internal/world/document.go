package world

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"github.com/forsooth-npc/forsooth/pkg/schema"
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

// companionSuffix makes NAME.meta.yaml the companion of NAME.
const companionSuffix = ".meta.yaml"

// claimKinds are what allowed_for may list.
var claimKinds = []string{string(schema.ClaimWorld), string(schema.ClaimState),
	string(schema.ClaimSharedPast), string(schema.ClaimSelf)}

// readMetadata reads a companion into the document it belongs to.
func readMetadata(l *log, d *Document, data []byte) {
	f, ok := newFields(l, data)
	if !ok {
		return
	}
	if !f.has("created_at") {
		l.errorf(f.line, "`created_at` is missing; add unix seconds or a date such as 1402-05-03")
	}
	d.CreatedAt = f.time("created_at")
	d.Author = f.need("author", "who wrote it, or unknown")
	d.Type = f.need("type", "book, letter, note, mail, log or the like")
	d.Summary = f.need("summary", "one line on what it is about")
	if !f.has("keywords") {
		l.errorf(f.line, "`keywords` is missing; add a list such as [mill, fire]")
	}
	d.Keywords = f.list("keywords")
	d.AllowedFor = f.someList("allowed_for")
	for _, kind := range d.AllowedFor {
		if !slices.Contains(claimKinds, kind) {
			f.wrong("allowed_for", "lists %q; the kinds of claim are %s", kind, strings.Join(claimKinds, ", "))
		}
	}
	d.KnownBy = f.someList("known_by")
	for _, who := range d.KnownBy {
		if msg := checkAudience(who); msg != "" {
			f.wrong("known_by", "lists %q; %s", who, msg)
		}
	}
	d.ValidFrom, d.ValidTo = f.time("valid_from"), f.time("valid_to")
	if !d.ValidFrom.IsZero() && !d.ValidTo.IsZero() && d.ValidTo.Before(d.ValidFrom) {
		f.wrong("valid_to", "lies before valid_from; swap them")
	}
	d.Requires, d.Condition = f.condition("requires")
	d.Belief, d.Language = readBelief(f), f.text("language")
	d.Promoted = f.text("promoted_from")
	d.knownByLine = f.at("known_by")
	f.warnUnknown()
}

// BeliefRumour marks a document that is spoken only as hearsay.
const BeliefRumour = "rumour"

// readBelief takes the other spelling too: a rumour must not be told as a fact
// for the want of a letter.
func readBelief(f *fields) string {
	belief := strings.ToLower(f.text("belief"))
	switch belief {
	case "rumor", "rumours", "rumors", "hearsay", "gossip":
		return BeliefRumour
	case "", BeliefRumour:
		return belief
	}
	f.log.warnf(f.at("belief"), "`belief` is %q; only %s changes how a thing is told", belief, BeliefRumour)
	return belief
}

// someList is a list that, where it is given, must not be empty: an empty list
// must not read as "no limit".
func (f *fields) someList(key string) []string {
	out := f.list(key)
	if seq, ok := f.nodes[key].(*ast.SequenceNode); ok && len(seq.Values) == 0 {
		f.wrong(key, "is empty; name at least one or leave it out")
	}
	return out
}

// time is an instant as unix seconds, RFC 3339, or a date and time without zone
// (UTC).
func (f *fields) time(key string) time.Time {
	n := f.take(key)
	if n == nil {
		return time.Time{}
	}
	s, ok := scalar(n)
	if !ok {
		f.wrong(key, "is %s; write unix seconds or a date such as 1402-05-03", kindOf(n))
		return time.Time{}
	}
	t, err := ParseTime(strings.TrimSpace(s))
	if err != nil {
		f.wrong(key, "%v", err)
		return time.Time{}
	}
	if _, number := n.(*ast.IntegerNode); number && t.Year() == 1970 && t.YearDay() == 1 && t.Unix() > 0 {
		f.log.warnf(f.at(key), "`%s%s` %s is read as unix seconds, which is %s; for a year write %q",
			f.where, key, s, t.Format(time.DateTime), fmt.Sprintf("%04s-01-01", s))
	}
	return t
}

var timeForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"}

// ParseTime reads unix seconds, RFC 3339, or a date with or without a time of
// day (UTC). Years run from 1 to 9999, so that every instant can be written as
// RFC 3339 again.
func ParseTime(s string) (time.Time, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		t := time.Unix(n, 0).UTC()
		if t.Year() < 1 || t.Year() > 9999 || t.IsZero() {
			return time.Time{}, fmt.Errorf("is %s seconds, outside the years 1 to 9999", s)
		}
		return t, nil
	}
	for _, form := range timeForms {
		t, err := time.Parse(form, s)
		if err != nil {
			continue
		}
		if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 || t.IsZero() {
			break
		}
		return t, nil
	}
	return time.Time{}, fmt.Errorf("is %q; write unix seconds or a date such as 1402-05-03 or 1402-05-03T18:00:00Z", s)
}
