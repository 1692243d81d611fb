package config

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// docs/settings.md is made from the code: the comment above a field is what a setting
// does, and a setting that is no field has its text above the constant that names it.

var update = flag.Bool("update", false, "write docs/settings.md anew")

const reference = "../../docs/settings.md"

func TestTheReferenceIsCurrent(t *testing.T) {
	want := page(t)
	if *update {
		if err := os.WriteFile(reference, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(reference)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/settings.md is not current (%v); run make generate", err)
	}
}

// Whoever reads the page finds each setting, and its variable, type and defaults.
func TestEverySettingIsDocumented(t *testing.T) {
	doc := string(page(t))
	for _, key := range Keys() {
		if call, isCall := strings.CutPrefix(key, "llm.calls."); isCall {
			name, what, _ := strings.Cut(call, ".")
			if !strings.Contains(doc, "`"+name+"`") {
				t.Errorf("docs/settings.md does not name the call %s", name)
			}
			key = "llm.calls.NAME." + what // one row for all calls
		}
		if !strings.Contains(doc, "| `"+key+"` | `"+Variable(key)+"` |") {
			t.Errorf("docs/settings.md has no row for %s and %s", key, Variable(key))
		}
	}
	for _, name := range append(keyVariables(nil), keyVariableOfOpenAI) {
		if name != "" && !strings.Contains(doc, "`"+name+"`") {
			t.Errorf("docs/settings.md does not name the variable %s, which holds a secret", name)
		}
	}
}

// A sentence of a text has at most 25 words, as those of the pages have.
func TestTextsOfSettingsAreShort(t *testing.T) {
	for key, text := range newReader(t).texts() {
		for _, sentence := range strings.SplitAfter(text, ". ") {
			if n := len(strings.Fields(sentence)); n > 25 {
				t.Errorf("%s: %d words: %s", key, n, sentence)
			}
		}
	}
}

// opening has ' for what marks code.
const opening = `<!-- Made by make generate from internal/config and internal/guards: change the comments there. -->
# Settings

Settings come from four places, each of which overrides the one before:

1. The defaults of the profile: 'dev', or 'prod', whose other defaults the tables name.
2. 'forsooth.yaml' of the working folder, or the file of '--config'.
3. The environment.
4. Flags.

A dotted key is a nested one: 'log.level' is 'level' below 'log:'. An unknown key or variable is an error that names
the nearest known one. A list in the environment has commas between its entries.
Secrets are no settings: a file or a variable of the environment holds each.

The files 'world.yaml' and 'npc.yaml' may set 'thresholds' of their own. These are 'confidence_threshold',
'unknown_threshold', 'entailment_threshold', 'contradiction_threshold', 'max_unverifiable_ratio' and
'max_sources_per_claim'.

`

// page is docs/settings.md as it should be.
func page(t *testing.T) []byte {
	t.Helper()
	r := newReader(t)
	var b bytes.Buffer
	b.WriteString(strings.ReplaceAll(opening, "'", "`") + shortForms() + "\n## General\n\n")
	r.section(&b, "", reflect.TypeFor[Settings](), "##")
	return b.Bytes()
}

// shortForms says what plain does.
func shortForms() string {
	var b strings.Builder
	b.WriteString("Some settings have a short form:\n\n| short | variable | sets |\n|---|---|---|\n")
	for _, short := range slices.Sorted(maps.Keys(plain)) {
		fmt.Fprintf(&b, "| `%s: …` | `%s` | `%s` |\n", short, Variable(short), plain[short])
	}
	return b.String()
}

// reader has the comments of the settings' types.
type reader struct {
	t      *testing.T
	fields map[string]string // by package, type and field, such as config.NATS.URL
	consts map[string]string // by the constant's name
}

func newReader(t *testing.T) *reader {
	t.Helper()
	r := &reader{t, map[string]string{}, map[string]string{}}
	for _, dir := range []string{".", "../guards"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			r.read(file)
		}
	}
	return r
}

func (r *reader) read(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			r.consts[n.Names[0].Name] = oneText(n.Doc)
		case *ast.TypeSpec:
			s, ok := n.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					r.fields[file.Name.Name+"."+n.Name.Name+"."+name.Name] = oneText(f.Doc)
				}
			}
		}
		return true
	})
}

func oneText(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

// text is what a field's comment says.
func (r *reader) text(in reflect.Type, f reflect.StructField) string {
	r.t.Helper()
	text := r.fields[in.String()+"."+f.Name]
	if text == "" {
		r.t.Errorf("no comment stands above %s.%s; say there what the setting does", in, f.Name)
	}
	return strings.Replace(text, "CALLS", "`"+strings.Join(protocol.Calls, "`, `")+"`", 1)
}

func (r *reader) texts() map[string]string {
	out := maps.Clone(r.fields)
	for _, name := range []string{"workersKey", "workersOfPass", "workersOfMemory", "guardsFile"} {
		out[name] = r.consts[name]
	}
	return out
}

const head = "| key | variable | type | default | what |\n|---|---|---|---|---|\n"

// section writes a type's own settings as a table, and after it each group below it
// under a heading of its own.
func (r *reader) section(b *bytes.Buffer, prefix string, in reflect.Type, level string) {
	r.t.Helper()
	var rows bytes.Buffer
	var groups []func()
	r.walk(in, func(owner reflect.Type, f reflect.StructField, key string) {
		if f.Type.Kind() != reflect.Struct && f.Type.Kind() != reflect.Map {
			rows.WriteString(row(prefix+key, r.text(owner, f)))
			return
		}
		groups = append(groups, func() {
			fmt.Fprintf(b, "\n%s %s\n\n%s\n\n", level, prefix+key, r.text(owner, f))
			switch prefix + key {
			case "workers":
				b.WriteString(head + r.workers())
			case "llm.calls":
				r.section(b, "llm.calls.NAME.", f.Type.Elem(), level)
			default:
				r.section(b, prefix+key+".", f.Type, "###")
			}
		})
	})
	if prefix == guardsSection {
		rows.WriteString(row(guardsFile, r.consts["guardsFile"]))
	}
	if rows.Len() > 0 {
		b.WriteString(head + rows.String())
	}
	for _, group := range groups {
		group()
	}
}

// walk visits the fields of a type that are settings or hold some.
func (r *reader) walk(in reflect.Type, visit func(owner reflect.Type, f reflect.StructField, key string)) {
	r.t.Helper()
	for f := range in.Fields() {
		switch key := f.Tag.Get("koanf"); {
		case key == ",squash":
			r.walk(f.Type, visit)
		case f.Name == "Guards":
			visit(in, f, strings.TrimSuffix(guardsSection, "."))
		case key != "-":
			visit(in, f, key)
		}
	}
}

func (r *reader) workers() string {
	rows := row(workersKey, r.consts["workersKey"])
	for _, pass := range protocol.Passes {
		rows += row("workers."+string(pass), r.consts["workersOfPass"])
	}
	return rows + row(workersOfMemory, r.consts["workersOfMemory"])
}

func row(key, text string) string {
	sample := strings.Replace(key, ".NAME.", "."+protocol.Calls[0]+".", 1)
	value := profiles["dev"][sample]
	what := asWritten(value)
	if other, differs := profiles["prod"][sample]; differs && !reflect.DeepEqual(other, value) {
		what += ", in prod " + asWritten(other)
	}
	return fmt.Sprintf("| `%s` | `%s` | %s | %s | %s |\n", key, Variable(key), typeOf(value), what, text)
}

func typeOf(value any) string {
	return map[reflect.Kind]string{reflect.Bool: "true or false", reflect.Int: "whole number",
		reflect.Float64: "number",
		reflect.String:  "text", reflect.Slice: "list"}[reflect.TypeOf(value).Kind()]
}

// asWritten is a value as it is written in a settings file; nothing, where it is empty.
func asWritten(value any) string {
	switch v := value.(type) {
	case string:
		if v == "" {
			return "empty"
		}
		return "`" + v + "`"
	case []string:
		return asWritten(strings.Join(v, ", "))
	case float64:
		return "`" + strconv.FormatFloat(v, 'g', -1, 64) + "`"
	}
	return fmt.Sprintf("`%v`", value)
}
