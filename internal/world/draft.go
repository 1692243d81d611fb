package world

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// DraftsDir is the folder of a world in which drafts wait for a person. Nothing in it is
// read as lore.
const DraftsDir = "drafts"

// maxDrafts bounds how many drafts wait.
const maxDrafts = 500

// Drafted says what was written for a draft.
type Drafted struct {
	Name      string    `json:"name"`
	Path      string    `json:"path"`      // of the text, under drafts/
	Companion string    `json:"companion"` // of its metadata, beside it
	Target    string    `json:"target"`    // where a promotion puts it
	Findings  []Problem `json:"findings"`  // warnings of lint, as if it were lore
}

// WriteDraft writes a text and its companion under drafts/ of the world in dir. It checks
// both as if they were lore, and refuses what could never be. It overwrites nothing. The
// name is that of a file, without folder and ending. What the caller can mend is a
// *schema.FieldError; any other error is one of the world's folder.
func WriteDraft(dir, name string, p Promotion) (Drafted, error) {
	done, err := writeDraft(dir, name, &p)
	if err != nil {
		return Drafted{}, fmt.Errorf("draft %.64q: %w", name, err)
	}
	return done, nil
}

// CheckDraft says of a draft what WriteDraft would, and writes nothing.
func CheckDraft(dir, name string, p Promotion) (Drafted, error) {
	done, root, err := checkDraft(dir, name, &p)
	if err == nil {
		err = root.Close()
	}
	if err != nil {
		return Drafted{}, fmt.Errorf("draft %.64q: %w", name, err)
	}
	return done, nil
}

// checkDraft looks at a draft as if it were lore. Without an error it leaves the world's
// folder open.
func checkDraft(dir, name string, p *Promotion) (done Drafted, _ *os.Root, err error) {
	if err := schema.CheckToken("name", name); err != nil {
		return done, nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return done, nil, unwrapPath(err)
	}
	done = Drafted{Name: name, Path: path.Join(DraftsDir, name+".txt"), Target: path.Join(loreDir, name+".txt")}
	done.Companion = done.Path + companionSuffix
	p.ID, p.Path = "draft:"+name, done.Target
	if done.Findings, err = p.lint(root); err != nil {
		return done, nil, errors.Join(err, root.Close())
	}
	return done, root, nil
}

func writeDraft(dir, name string, p *Promotion) (done Drafted, err error) {
	done, root, err := checkDraft(dir, name, p)
	if err != nil {
		return done, err
	}
	defer root.Close() //nolint:errcheck // files are closed, and synced, by themselves
	drafts, err := draftsOf(root)
	if err != nil {
		return done, err
	}
	defer drafts.Close() //nolint:errcheck // as above
	meta, err := p.companion()
	if err != nil {
		return done, err
	}
	if err := createDraft(drafts, done.Companion, meta); err != nil {
		return done, err
	}
	if err := createDraft(drafts, done.Path, []byte(p.Text+"\n")); err != nil {
		return done, errors.Join(err, drafts.Remove(path.Base(done.Companion)))
	}
	return done, nil
}

// createDraft has the caller mend a name that is taken.
func createDraft(drafts *os.Root, name string, data []byte) error {
	err := createFile(drafts, path.Base(name), data)
	if errors.Is(err, errTaken) {
		return refused("name", "%s is there already; take another name", name)
	}
	return err
}

// refused is what the caller can mend.
func refused(field, format string, args ...any) error {
	return &schema.FieldError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// lint completes a promotion, and looks at the world as it would be with it.
func (p *Promotion) lint(root *os.Root) ([]Problem, error) {
	w, _, err := Load(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	if err := p.complete(w); err != nil {
		return nil, refused("draft", "%v", err)
	}
	if _, err := root.Lstat(p.Path); err == nil {
		return nil, refused("name", "%s is lore already; take another name", p.Path)
	}
	meta, err := p.companion()
	if err != nil {
		return nil, err
	}
	companion := p.Path + companionSuffix
	w, problems, err := loadWith(root.FS(), ".", &file{path: p.Path, data: []byte(p.Text + "\n")},
		&file{path: companion, data: meta})
	if err != nil {
		return nil, err
	}
	if err := p.fits(w, problems); err != nil {
		return nil, refused("draft", "%v", err)
	}
	own := func(f Problem) bool { return f.File == p.Path || f.File == companion }
	return slices.DeleteFunc(Lint(w, problems, p.Reject), func(f Problem) bool { return !own(f) }), nil
}

// draftsOf opens the folder of drafts, and makes it where there is none. A link is not
// followed: it could lead among the lore.
func draftsOf(root *os.Root) (*os.Root, error) {
	if err := root.Mkdir(DraftsDir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	info, err := root.Lstat(DraftsDir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is a link or a file, and no folder of its own; remove it", DraftsDir)
	}
	drafts, err := root.OpenRoot(DraftsDir)
	if err != nil {
		return nil, err
	}
	folder, err := drafts.Open(".")
	if err != nil {
		return nil, errors.Join(err, drafts.Close())
	}
	names, err := folder.Readdirnames(-1)
	err = errors.Join(err, folder.Close())
	texts := 0
	for _, name := range names {
		if !strings.HasSuffix(name, companionSuffix) {
			texts++
		}
	}
	if err == nil && texts >= maxDrafts {
		err = refused("draft", "%d drafts wait already; promote or delete some", texts)
	}
	if err != nil {
		return nil, errors.Join(err, drafts.Close())
	}
	return drafts, nil
}
