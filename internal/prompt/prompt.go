// Package prompt writes what a language model is asked, and reads what it
// answers: one system message of rules from a file per call, one user message of
// data between tags, and the JSON Schema of the answer. Player and lore text is
// data and is written so that it cannot end its tag. The package calls no model
// and judges no answer: a decoded answer is a draft for the reviews.
package prompt

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"text/template"
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
