package world

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// LoadDir loads the world in a folder. Links that lead out of it are not
// followed.
func LoadDir(dir string) (*World, []Problem, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("world %s: %w", dir, unwrapPath(err))
	}
	defer root.Close() //nolint:errcheck // read only
	w, problems, err := Load(root.FS(), ".")
	if w != nil {
		w.Dir = dir
	}
	if err != nil {
		err = fmt.Errorf("world %s: %w", dir, err)
	}
	return w, problems, err
}

// Load reads a world. The error is for the world's own frame only: world.yaml
// missing, broken, or with a policy that is refused. Every other fault is a
// problem of its file, which is left out while the rest loads.
func Load(fsys fs.FS, dir string) (*World, []Problem, error) { return loadWith(fsys, dir) }

// loadWith loads a world as it would be with more files in it.
func loadWith(fsys fs.FS, dir string, more ...*file) (*World, []Problem, error) {
	fsys, err := fs.Sub(fsys, path.Clean(dir))
	if err != nil {
		return nil, nil, err
	}
	frame := &log{file: frameFile}
	data, err := readFile(fsys, frameFile)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("is missing; a world's folder holds one with at least `name: …`")
		}
		return nil, nil, fmt.Errorf("%s %w", frameFile, err)
	}
	w := readFrame(frame, data)
	if errs := Errors(frame.problems); len(errs) > 0 {
		return nil, sortProblems(frame.problems), errors.New(errs[0].String())
	}
	ld := &loader{fsys: fsys, world: w, problems: frame.problems, files: more}
	ld.list()
	ld.read()
	ld.npcs()
	ld.documents()
	w.Prompts, w.Predicates = ld.prompts(), ld.predicates()
	ld.refuseNames()
	if w.DefaultNPC != "" && w.NPCs[w.DefaultNPC] == nil {
		ld.warnf(frameFile, "`default_npc` names %q, which is no NPC of this world", w.DefaultNPC)
	}
	w.Dir = path.Clean(dir)
	w.Version = ld.version(data)
	return w, sortProblems(ld.problems), nil
}

// loader reads the files of one world.
type loader struct {
	fsys     fs.FS
	world    *World
	files    []*file // in the order of their paths
	byPath   map[string]*file
	problems []Problem

	predicatesData []byte // of the world's own file
}

// file is a file of a world that may matter.
type file struct {
	path string
	data []byte
	err  error
	log  log
	doc  *Document
}

func (ld *loader) errorf(file, format string, args ...any) {
	ld.problems = append(ld.problems, Problem{Severity: SeverityError, File: file, Message: fmt.Sprintf(format, args...)})
}

func (ld *loader) warnf(file, format string, args ...any) {
	ld.problems = append(ld.problems,
		Problem{Severity: SeverityWarning, File: file, Message: fmt.Sprintf(format, args...)})
}

const (
	loreDir  = "lore"
	npcsDir  = "npcs"
	homeDir  = "home"
	npcFile  = "npc.yaml"
	maxDepth = 16
)

// list finds the files that may matter: lore/**, npcs/*/npc.yaml, npcs/*/home/**.
func (ld *loader) list() {
	ld.walk(loreDir, 1)
	for _, e := range ld.entries(npcsDir) {
		if strings.HasPrefix(e.Name(), ".") || !ld.isDir(e, path.Join(npcsDir, e.Name())) {
			continue
		}
		dir := path.Join(npcsDir, e.Name())
		if _, err := fs.Stat(ld.fsys, path.Join(dir, npcFile)); err != nil {
			ld.errorf(path.Join(dir, npcFile), "is missing; every folder under npcs/ holds one")
		} else {
			ld.files = append(ld.files, &file{path: path.Join(dir, npcFile)})
		}
		ld.walk(path.Join(dir, homeDir), 3)
	}
	slices.SortFunc(ld.files, func(a, b *file) int { return strings.Compare(a.path, b.path) })
	ld.byPath = make(map[string]*file, len(ld.files))
	for _, f := range ld.files {
		f.log.file = f.path
		ld.byPath[f.path] = f
	}
}

func (ld *loader) entries(dir string) []fs.DirEntry {
	entries, err := fs.ReadDir(ld.fsys, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		ld.errorf(dir, "cannot be listed: %v", unwrapPath(err))
	}
	return entries
}

func (ld *loader) walk(dir string, depth int) {
	if depth > maxDepth {
		ld.errorf(dir, "lies more than %d folders deep; move it up", maxDepth)
		return
	}
	for _, e := range ld.entries(dir) {
		name := path.Join(dir, e.Name())
		switch {
		case isHidden(e, dir), strings.HasSuffix(e.Name(), "~"):
		case !isPlainName(e.Name()):
			ld.errorf(dir, "holds a file named %q; rename it without #, \\ and characters that do not show", e.Name())
		case ld.isDir(e, name):
			ld.walk(name, depth+1)
		case ld.isFile(e, name):
			ld.files = append(ld.files, &file{path: name})
		}
	}
}

// isHidden says whether a name is a tool's and not the world's. An NPC's home may
// hold folders such as .irc: they are its own.
func isHidden(e fs.DirEntry, dir string) bool {
	if !strings.HasPrefix(e.Name(), ".") {
		return false
	}
	return !e.IsDir() || !strings.HasPrefix(dir, npcsDir+"/") || slices.Contains([]string{".git", ".svn", ".hg"}, e.Name())
}

// isPlainName says whether a name can stand in ids ("path#n"), messages and logs.
func isPlainName(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool {
		return r == '#' || r == '\\' || !unicode.IsPrint(r)
	})
}

// isDir refuses links to folders: they may run in circles.
func (ld *loader) isDir(e fs.DirEntry, name string) bool {
	if e.IsDir() {
		return true
	}
	if e.Type()&fs.ModeSymlink != 0 {
		if info, err := fs.Stat(ld.fsys, name); err == nil && info.IsDir() {
			ld.warnf(name, "is a link to a folder and is not followed; put the folder itself here")
		}
	}
	return false
}

// isFile takes regular files, and links to them that stay inside the world.
func (ld *loader) isFile(e fs.DirEntry, name string) bool {
	if e.Type().IsRegular() {
		return true
	}
	info, err := fs.Stat(ld.fsys, name)
	switch {
	case err != nil:
		ld.errorf(name, "cannot be read: %v", unwrapPath(err))
	case info.IsDir():
	case !info.Mode().IsRegular():
		ld.warnf(name, "is not a regular file and is left out")
	default:
		return true
	}
	return false
}

// read reads all files side by side and takes them apart.
func (ld *loader) read() {
	work := make(chan *file)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0)*2, len(ld.files)) {
		group.Go(func() {
			for f := range work {
				f.data, f.err = readFile(ld.fsys, f.path)
			}
		})
	}
	for _, f := range ld.files {
		if f.data == nil {
			work <- f
		}
	}
	close(work)
	group.Wait()
	for _, f := range ld.files {
		if f.err != nil {
			f.log.errorf(0, "%v", f.err)
		}
	}
}

// readFile reads a file that is not too large.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", unwrapPath(err))
	}
	defer f.Close() //nolint:errcheck // read only
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", unwrapPath(err))
	case len(data) > maxFile:
		return nil, fmt.Errorf("is over %d bytes; split it into smaller files", maxFile)
	}
	return data, nil
}

func unwrapPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// version is the hash of every file read.
func (ld *loader) version(frame []byte) string {
	var b strings.Builder
	b.WriteString(protocol.HashText(string(frame)))
	if len(ld.predicatesData) > 0 {
		fmt.Fprintf(&b, "%s %s\n", predicatesFile, protocol.HashText(string(ld.predicatesData)))
	}
	for _, f := range ld.files {
		fmt.Fprintf(&b, "%s %s\n", f.path, protocol.HashText(string(f.data)))
	}
	return protocol.HashText(b.String())
}
