// Package prompt writes what a language model is asked, and reads what it
// answers: one system message of rules from a file per call, one user message of
// data between tags, and the JSON Schema of the answer. Player and lore text is
// data and is written so that it cannot end its tag. The package calls no model
// and judges no answer: a decoded answer is a draft for the reviews.
package prompt

import (
	"bytes"
	"embed"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// The calls, by the names of their schemas.
const (
	CitationQuery = "citation_query"
	Rerank        = "rerank"
	Compact       = "compact"
	Monologue     = "monologue"
	Decision      = "decision"
	Speech        = "speech"
	Lean          = "lean"
	Actions       = "actions"
	Judge         = "judge"
	Claims        = "claims"
	Memories      = "memories"
	Cluster       = "cluster"
)

// Names are the calls that have a prompt.
var Names = []string{CitationQuery, Rerank, Compact, Monologue, Decision, Speech, Lean, Actions, Judge, Claims,
	Memories, Cluster}

// Prompt is one call, ready to be sent.
type Prompt struct {
	Name         string
	System, User string
	Schema       json.RawMessage
}

//go:embed templates/*.txt
var files embed.FS

// Book holds the prompts' texts: those of the binary, some of them replaced by a
// world's own.
type Book struct{ texts map[string]*template.Template }

// rulesFile is the part that every answering prompt holds.
const rulesFile = "rules"

// Default is the book of the binary.
func Default() *Book {
	b, err := NewBook(nil)
	if err != nil {
		panic(err) // an embedded file is wrong
	}
	return b
}

// NewBook replaces prompts by name; the rules cannot be replaced, and a prompt
// that answers must include them with {{template "rules" .}}.
func NewBook(own map[string]string) (*Book, error) {
	b := &Book{texts: map[string]*template.Template{}}
	rules, err := fs.ReadFile(files, "templates/"+rulesFile+".txt")
	if err != nil {
		return nil, err
	}
	for name := range own {
		if !known(name) {
			return nil, fmt.Errorf("prompts/%s.txt: no call has this name; the calls are %s", name, strings.Join(Names, ", "))
		}
	}
	for _, name := range Names {
		text, mine := own[name]
		if !mine {
			data, err := fs.ReadFile(files, path.Join("templates", name+".txt"))
			if err != nil {
				return nil, err
			}
			text = string(data)
		}
		t, err := template.New(rulesFile).Option("missingkey=error").Parse(string(rules))
		if err == nil {
			t, err = t.New(name).Parse(text)
		}
		if err != nil {
			return nil, fmt.Errorf("prompts/%s.txt: %w", name, err)
		}
		b.texts[name] = t
		if err := b.tried(name); err != nil {
			return nil, fmt.Errorf("prompts/%s.txt: %w", name, err)
		}
	}
	return b, nil
}

// tried refuses a text that cannot be filled in, or that answers without the rules.
func (b *Book) tried(name string) error {
	const mark = "a name that no prompt has"
	said, err := b.system(name, Persona{Name: "N", Unknown: mark})
	if err != nil {
		return err
	}
	if answers(name) && !strings.Contains(said, mark) {
		return fmt.Errorf(`it answers without the rules; put {{template "rules" .}} into it`)
	}
	return nil
}

// answers says whether what a call writes may reach a player.
func answers(name string) bool { return name == Monologue || name == Speech || name == Lean }

func known(name string) bool {
	for _, n := range Names {
		if n == name {
			return true
		}
	}
	return false
}

// Persona is what the texts may name of an NPC.
type Persona struct {
	Name     string
	Style    string
	Unknown  string // the line the NPC says where it knows nothing
	Words    int    // how long the answer may be
	Sentence int    // how many sentences it may have
}

// Build writes a call.
func (b *Book) Build(name string, who Persona, data *Data) (Prompt, error) {
	p := Prompt{Name: name, User: data.String(), Schema: Schema(name)}
	from := name
	if name == Judge { // the same beginning as a speech: a server that keeps prefixes reads it once
		from = Speech
		asked, err := b.system(Judge, who)
		if err != nil {
			return Prompt{}, fmt.Errorf("prompt %s: %w", name, err)
		}
		p.User += "\n\n" + asked
	}
	var err error
	if p.System, err = b.system(from, who); err != nil {
		return Prompt{}, fmt.Errorf("prompt %s: %w", name, err)
	}
	return p, nil
}

func (b *Book) system(name string, who Persona) (string, error) {
	t := b.texts[name]
	if t == nil {
		return "", fmt.Errorf("no call is named %q", name)
	}
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, name, who); err != nil {
		return "", err
	}
	return strings.TrimSpace(out.String()), nil
}

// Data is the user message: sections of quoted text. A section without lines is
// left out.
type Data struct{ out strings.Builder }

// escape keeps data from ending its tag or opening another.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// unescape is what a model that copies a line gives back.
var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// Quote is a text as a line of data: escaped, white space folded.
func Quote(s string) string { return escape.Replace(strings.Join(strings.Fields(s), " ")) }

// Section adds lines between tags. The lines are quoted here.
func (d *Data) Section(tag string, lines ...string) *Data {
	if len(lines) == 0 {
		return d
	}
	fmt.Fprintf(&d.out, "<%s>\n", tag)
	for _, line := range lines {
		d.out.WriteString(Quote(line))
		d.out.WriteByte('\n')
	}
	fmt.Fprintf(&d.out, "</%s>\n", tag)
	return d
}

// Message adds the player's words; line ends stay, for they are part of them.
func (d *Data) Message(from, message string) *Data {
	fmt.Fprintf(&d.out, "<message from=%q>\n%s\n</message>\n", Quote(from), escape.Replace(strings.TrimSpace(message)))
	return d
}

// String is the user message.
func (d *Data) String() string { return strings.TrimRight(d.out.String(), "\n") }

// filledIn is what a template fills in: it is no fixed text.
var filledIn = regexp.MustCompile(`\{\{[^}]*\}\}`)

// minFixed is how many words a stretch of a prompt has at least before finding it
// elsewhere is no chance: people say "carry out the plan" too.
const minFixed = 6

// Lines are the fixed stretches of the prompts of a world, whose own prompts replace
// those of the binary by name: instructions, formats, and the examples that an author
// wrote there. They are folded. None of them is evidence, and no NPC speaks them.
func Lines(own map[string]string) []string {
	rules, _ := fs.ReadFile(files, "templates/"+rulesFile+".txt") // embedded
	texts := []string{string(rules)}
	for _, name := range Names {
		s, mine := own[name]
		if !mine {
			data, _ := fs.ReadFile(files, path.Join("templates", name+".txt"))
			s = string(data)
		}
		texts = append(texts, s)
	}
	var out []string
	for _, s := range texts {
		for _, stretch := range filledIn.Split(s, -1) {
			out = append(out, fixedIn(stretch)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func fixedIn(stretch string) []string {
	var out []string
	for _, line := range strings.Split(stretch, "\n") {
		for _, sentence := range text.Sentences(line) {
			out = append(out, long(sentence)...)
			if _, example, ok := strings.Cut(sentence, ": "); ok {
				out = append(out, long(example)...)
			}
		}
	}
	return out
}

func long(s string) []string {
	if len(text.WordSpans(s)) < minFixed {
		return nil
	}
	return []string{text.Fold(s)}
}

// quotesText is the speech of the experiment in which a model quotes by document id, as the
// first paper's first version did. No world and no setting asks for it.
//
//go:embed quotes.txt
var quotesText string

// Quoting is a world's prompts with the speech of that experiment.
func Quoting(own map[string]string) (*Book, error) {
	texts := map[string]string{}
	for name, text := range own {
		texts[name] = text
	}
	texts[Speech] = quotesText
	return NewBook(texts)
}

// documents adds the sources whole, under their numbers, where evidence would stand.
func (s Scene) documents(d *Data) {
	var lines []string
	for _, src := range s.Turn.Sources {
		if src.Beside {
			continue
		}
		lines = append(lines, "["+src.ID+"] "+plain(src.Content))
	}
	d.Section("evidence", lines...)
}
