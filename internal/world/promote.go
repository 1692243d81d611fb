package world

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// promotionLog is the audit of promotions: one JSON object a line, no document.
const promotionLog = loreDir + "/.promotions.log"

// Promotion is a text that a person makes lore. ID, Text, Author and At are
// required; what else is left out is derived from the text.
type Promotion struct {
	ID        string // what it was until now, such as gen:…
	Text      string
	Author    string    // the person who answers for it
	At        time.Time // now, by the wall clock
	CreatedAt time.Time // game time; zero: the world's now, else At
	Path      string    // under lore/, ending in .txt or .md
	Type      string
	Summary   string
	Keywords  []string
	KnownBy   []string
	Reject    Reject // the provenance filter
}

// Promoted says what a promotion wrote.
type Promoted struct {
	ID        string    `json:"id"`
	Path      string    `json:"path"`
	Companion string    `json:"companion"`
	Author    string    `json:"author"`
	At        time.Time `json:"at"`
	CreatedAt time.Time `json:"created_at"`
	Hash      string    `json:"hash"` // of the text
}

// companion is what a promotion writes beside the text.
type companion struct {
	CreatedAt    string   `yaml:"created_at"`
	Author       string   `yaml:"author"`
	Type         string   `yaml:"type"`
	Summary      string   `yaml:"summary"`
	Keywords     []string `yaml:"keywords,flow"`
	KnownBy      []string `yaml:"known_by,flow,omitempty"`
	PromotedFrom string   `yaml:"promoted_from"`
}

// Promote writes a text and its companion under lore/ of the world in dir, and
// an entry to the audit. It overwrites nothing, and takes back what it wrote
// when the world does not load with it.
func Promote(dir string, p Promotion) (Promoted, error) {
	w, _, err := LoadDir(dir)
	if err != nil {
		return Promoted{}, err
	}
	if err := p.complete(w); err != nil {
		return Promoted{}, fmt.Errorf("promote %s: %w", p.ID, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Promoted{}, fmt.Errorf("promote %s: %w", p.ID, err)
	}
	defer root.Close() //nolint:errcheck // files are closed, and synced, by themselves
	done := Promoted{ID: p.ID, Path: p.Path, Companion: p.Path + companionSuffix, Author: p.Author,
		At: p.At.UTC(), CreatedAt: p.CreatedAt, Hash: protocol.HashText(p.Text)}
	if err := p.write(root, dir, done); err != nil {
		return Promoted{}, fmt.Errorf("promote %s: %w", p.ID, err)
	}
	return done, nil
}

// complete checks a promotion and derives what was left out.
func (p *Promotion) complete(w *World) error {
	p.Text = strings.TrimSpace(p.Text)
	switch {
	case p.ID == "":
		return errors.New("has no id")
	case strings.TrimSpace(p.Author) == "":
		return errors.New("has no author; name the person who answers for it")
	case p.Text == "" || !utf8.ValidString(p.Text):
		return errors.New("has no text that is UTF-8")
	case len(p.Text) >= maxFile:
		return fmt.Errorf("is %d bytes long; at most %d are taken", len(p.Text), maxFile-1)
	case p.At.IsZero():
		return errors.New("has no time")
	}
	if p.CreatedAt.IsZero() {
		p.CreatedAt = w.Now
	}
	if p.CreatedAt.IsZero() {
		p.CreatedAt = p.At
	}
	p.CreatedAt = p.CreatedAt.UTC().Truncate(time.Second)
	if p.Type == "" {
		p.Type = "note"
	}
	if len(p.Keywords) == 0 {
		p.Keywords = keywordsOf(p.Text)
	}
	if p.Summary == "" {
		p.Summary = clip(strings.Join(strings.Fields(text.Sentences(p.Text)[0]), " "))
	}
	if p.Path == "" {
		p.Path = path.Join(loreDir, "promoted", slug(strings.Join(p.Keywords, " "))+"-"+
			protocol.HashText(p.ID + p.Text)[:8]+".txt")
	}
	return p.checkPath()
}

func (p *Promotion) checkPath() error {
	clean := path.Clean(p.Path)
	ext := path.Ext(clean)
	switch {
	case !fs.ValidPath(clean) || !strings.HasPrefix(clean, loreDir+"/") || !isPlainName(clean):
		return fmt.Errorf("path %q does not lie under %s/", p.Path, loreDir)
	case ext != ".txt" && ext != ".md":
		return fmt.Errorf("path %q does not end in .txt or .md", p.Path)
	case strings.Contains(clean, "/."):
		return fmt.Errorf("path %q has a hidden part, which is never read", p.Path)
	}
	p.Path = clean
	return nil
}

// write writes both files, checks them by loading, and appends to the audit.
func (p *Promotion) write(root *os.Root, dir string, done Promoted) (err error) {
	meta, err := p.companion()
	if err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(p.Path), 0o755); err != nil {
		return err
	}
	var written []string
	defer func() {
		if err != nil {
			for _, name := range written {
				err = errors.Join(err, root.Remove(name))
			}
		}
	}()
	// The companion first: a text without one would be a fault of the world.
	for _, f := range []struct {
		name string
		data []byte
	}{{done.Companion, meta}, {p.Path, []byte(p.Text + "\n")}} {
		if err := createFile(root, f.name, f.data); err != nil {
			return err
		}
		written = append(written, f.name)
	}
	if err := p.verify(dir); err != nil {
		return err
	}
	return appendAudit(root, done)
}

// companion is the file beside the text.
func (p *Promotion) companion() ([]byte, error) {
	return yaml.Marshal(companion{CreatedAt: p.CreatedAt.Format(time.RFC3339), Author: p.Author, Type: p.Type,
		Summary: p.Summary, Keywords: p.Keywords, KnownBy: p.KnownBy, PromotedFrom: p.ID})
}

var errTaken = errors.New("is there already; name another path")

// createFile refuses a file that is there.
func createFile(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %w", name, errTaken)
	}
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}

// verify loads the world with the new document in it.
func (p *Promotion) verify(dir string) error {
	w, problems, err := LoadDir(dir)
	if err != nil {
		return err
	}
	return p.fits(w, problems)
}

// fits says why a text of a world that was loaded with it is no lore.
func (p *Promotion) fits(w *World, problems []Problem) error {
	for _, problem := range Errors(problems) {
		if problem.File == p.Path || problem.File == p.Path+companionSuffix {
			return errors.New(problem.String())
		}
	}
	at := slices.IndexFunc(w.Documents, func(d *Document) bool { return d.Path == p.Path })
	if at < 0 || len(w.Documents[at].Passages) == 0 {
		return errors.New("holds no sentence that could be cited")
	}
	for _, c := range w.chunksOf(w.Documents[at]) {
		if p.Reject == nil {
			break
		}
		if reason, rejected := p.Reject(c); rejected {
			return fmt.Errorf("would never be evidence (%s): %s", reason, clip(c.Text))
		}
	}
	return nil
}

func appendAudit(root *os.Root, done Promoted) error {
	line, err := json.Marshal(done)
	if err != nil {
		return err
	}
	f, err := root.OpenFile(promotionLog, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

const derivedKeywords = 6

// keywordsOf are the most frequent content words of a text, first come first.
func keywordsOf(s string) []string {
	count := map[string]int{}
	var order []string
	for _, w := range text.Words(s) {
		if text.IsStop(w) || len(w) < 3 {
			continue
		}
		if count[w]++; count[w] == 1 {
			order = append(order, w)
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	return order[:min(len(order), derivedKeywords)]
}

// slug is the first words of s as a file name.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(text.Unaccent(s)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := strings.Join(words[:min(len(words), 4)], "-")
	if name == "" {
		return "text"
	}
	return name[:min(len(name), 48)]
}
