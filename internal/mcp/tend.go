package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

type lintInput struct {
	World string `json:"world,omitempty" jsonschema:"name of the world; not needed where there is only one"`
}

type findings struct {
	World    string          `json:"world"`
	Errors   int             `json:"errors"`
	Warnings int             `json:"warnings"`
	Findings []world.Problem `json:"findings"`
	More     int             `json:"more,omitempty" jsonschema:"findings that are not listed"`
}

type draftInput struct {
	World    string   `json:"world,omitempty" jsonschema:"name of the world; not needed where there is only one"`
	Name     string   `json:"name" jsonschema:"of the file, without folder and ending: letters, digits, - and _"`
	Text     string   `json:"text" jsonschema:"plain sentences in the third person, each of which can be quoted by itself"`
	Type     string   `json:"type,omitempty" jsonschema:"such as note, report, letter"`
	Summary  string   `json:"summary,omitempty" jsonschema:"one line; the first sentence otherwise"`
	Keywords []string `json:"keywords,omitempty" jsonschema:"words to find it by; taken from the text otherwise"`
	KnownBy  []string `json:"known_by,omitempty" jsonschema:"all, handles of NPCs, faction:x, region:x; all otherwise"`
	By       string   `json:"by,omitempty" jsonschema:"who wrote it, for the person who reads the draft"`
}

type draftOutput struct {
	Path     string          `json:"path" jsonschema:"of the draft, in the world's folder"`
	Findings []world.Problem `json:"findings" jsonschema:"warnings of lint"`
	Promote  string          `json:"promote" jsonschema:"the command by which a person makes it lore"`
}

// tend are the tools over the files of a world.
func (d *desk) tend() {
	add(d, access.Read, &sdk.Tool{Name: "lint_world", Annotations: reading("Lint a world"),
		Description: "Says what is wrong with the files of a world, with file and line."}, d.lint)
	if slices.ContainsFunc(slices.Collect(maps.Values(d.o.Folders)), func(f Folder) bool { return f.Dir != "" }) {
		add(d, access.Operate, &sdk.Tool{Name: "add_lore_draft", Annotations: adding("Propose lore"), Description: "Writes " +
			"a draft of lore into the folder drafts/ of a world. It is checked first, never overwrites anything, and is " +
			"no lore until a person promotes it."}, d.draft)
	}
	if d.o.Lore && d.caller.May(access.Read, "") == nil {
		d.lore()
	}
}

// folder is that of a world in which the caller has a right.
func (d *desk) folder(right access.Right, name string) (string, Folder, error) {
	all := slices.Sorted(maps.Keys(d.o.Folders))
	all = slices.DeleteFunc(all, func(w string) bool { return d.caller.May(right, w) != nil })
	if name == "" && len(all) == 1 {
		name = all[0]
	}
	if name == "" || !slices.Contains(all, name) {
		return "", Folder{}, &schema.FieldError{Field: "world", Reason: fmt.Sprintf("%.64q is no world whose files are "+
			"here; there is %s", name, listed(all))}
	}
	return name, d.o.Folders[name], nil
}

// mostFindings bounds what lint lists.
const mostFindings = 200

func (d *desk) lint(_ context.Context, in lintInput) (findings, error) {
	name, f, err := d.folder(access.Read, in.World)
	if err != nil {
		return findings{}, err
	}
	all := f.Lint()
	out := findings{World: name, Errors: len(world.Errors(all))}
	out.Warnings = len(all) - out.Errors
	out.More = max(0, len(all)-mostFindings)
	out.Findings = append([]world.Problem{}, all[:len(all)-out.More]...)
	return out, nil
}

func (d *desk) draft(_ context.Context, in draftInput) (draftOutput, error) {
	name, f, err := d.folder(access.Operate, in.World)
	if err != nil {
		return draftOutput{}, err
	}
	if f.Dir == "" {
		return draftOutput{}, &schema.FieldError{Field: "world", Reason: name + " is carried by the binary and cannot be " +
			"written; serve it from a folder"}
	}
	done, err := f.Draft(world.WriteDraft, in.Name, "an assistant", world.Promotion{Text: in.Text, Author: in.By,
		At: d.o.Now(), Type: in.Type, Summary: in.Summary, Keywords: in.Keywords, KnownBy: in.KnownBy})
	if err != nil {
		return draftOutput{}, err
	}
	return draftOutput{Path: done.Path, Findings: done.Findings,
		Promote: fmt.Sprintf("forsooth lore promote draft:%s --world DIR --file DIR/%s --path %s --author YOU", in.Name,
			done.Path, done.Target)}, nil
}

// Draft proposes lore for the world: do is world.WriteDraft, or world.CheckDraft, which writes
// nothing. Where the text names no author, otherwise is its author.
func (f Folder) Draft(do func(dir, name string, p world.Promotion) (world.Drafted, error), name, otherwise string,
	p world.Promotion) (world.Drafted, error) {
	p.Author = cmp.Or(strings.Join(strings.Fields(p.Author), " "), otherwise)
	p.Reject = f.Reject
	done, err := do(f.Dir, name, p)
	done.Findings = append([]world.Problem{}, done.Findings...) // a list in JSON, if empty
	return done, err
}

// scheme begins the address of a file of a world: lore://hollowmere/lore/mill.txt.
const scheme = "lore"

// lore are the documents of the worlds, as resources.
func (d *desk) lore() {
	for _, name := range slices.Sorted(maps.Keys(d.o.Folders)) {
		for _, doc := range d.o.Folders[name].Documents() {
			uri := url.URL{Scheme: scheme, Host: name, Path: "/" + doc}
			d.server.AddResource(&sdk.Resource{URI: uri.String(), Name: doc, Title: name + ": " + doc, MIMEType: mime(doc)},
				d.read)
		}
	}
	d.server.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: scheme + "://{world}/{+path}", Name: "lore",
		Description: "A file under lore/ or npcs/ of a world."}, d.read)
}

func mime(name string) string {
	switch path.Ext(name) {
	case ".md":
		return "text/markdown"
	case ".yaml":
		return "application/yaml"
	case ".json", ".jsonl":
		return "application/json"
	}
	return "text/plain"
}

// maxResource bounds a file that is read.
const maxResource = 1 << 20

// read gives a file of a world: of what the world is loaded from alone.
func (d *desk) read(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	missing := sdk.ResourceNotFoundError(r.Params.URI)
	uri, err := url.Parse(r.Params.URI)
	if err != nil || uri.Scheme != scheme {
		return nil, missing
	}
	_, f, err := d.folder(access.Read, uri.Host)
	name := strings.TrimPrefix(uri.Path, "/")
	if err != nil || !isLore(name) {
		return nil, missing
	}
	text, err := readFile(f.FS, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: mime(name),
		Text: text}}}, nil
}

// isLore says whether a path is one that a world is loaded from. The file system is kept to
// the folder besides, links included.
func isLore(name string) bool {
	if !fs.ValidPath(name) || strings.Contains(name, `\`) {
		return false
	}
	top, _, below := strings.Cut(name, "/")
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	return below && (top == "lore" || top == "npcs")
}

func readFile(fsys fs.FS, name string) (string, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return "", fs.ErrNotExist // also what leads out of the folder: nothing is said of it
	}
	defer f.Close() //nolint:errcheck // read only
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", fs.ErrNotExist
	}
	data, err := io.ReadAll(io.LimitReader(f, maxResource+1))
	if err == nil && len(data) > maxResource {
		err = fmt.Errorf("is over %d bytes", maxResource)
	}
	return strings.ToValidUTF8(string(data), "�"), err
}
