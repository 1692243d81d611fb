package world

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// npcs reads every npc.yaml; one whose handle is not its folder's name, or is
// another's as well, is left out.
func (ld *loader) npcs() {
	read := map[*file]*NPC{}
	holders := map[string][]string{} // handle → the files that have it
	for _, f := range ld.files {
		if !isNPCFile(f.path) {
			continue
		}
		if f.err == nil {
			n := readNPC(&f.log, path.Base(path.Dir(f.path)), f.data)
			n.language = ld.world.Language
			read[f] = n
			holders[n.Handle] = append(holders[n.Handle], f.path)
		}
	}
	for _, f := range ld.files {
		n := read[f]
		if n != nil {
			ld.claim(f, n, holders[n.Handle])
		}
		if isNPCFile(f.path) {
			ld.problems = append(ld.problems, f.log.problems...)
		}
	}
}

// claim takes an NPC into the world. Where several have its handle, the one in
// the folder of that name keeps it.
func (ld *loader) claim(f *file, n *NPC, holders []string) {
	for _, other := range holders {
		if n.Handle != "" && other != f.path && path.Base(path.Dir(f.path)) != n.Handle {
			f.log.errorf(n.handleLine, "`handle` is %q, and so it is in %s; give each NPC a handle of its own", n.Handle, other)
		}
	}
	if !f.log.failed {
		ld.world.NPCs[n.Handle] = n
	}
}

func isNPCFile(name string) bool {
	return path.Base(name) == npcFile && strings.Count(name, "/") == 2 && strings.HasPrefix(name, npcsDir+"/")
}

// documents reads every file under lore and home together with its companion.
func (ld *loader) documents() {
	var docs []*file
	for _, f := range ld.files {
		if ld.isDocument(f) {
			docs = append(docs, f)
		}
	}
	work := make(chan *file)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(docs)) {
		group.Go(func() {
			for f := range work {
				ld.document(f)
			}
		})
	}
	for _, f := range docs {
		work <- f
	}
	close(work)
	group.Wait()
	ld.gather(docs)
}

// gather takes the valid documents, and the backstories, in the order of paths.
func (ld *loader) gather(docs []*file) {
	at := map[string]*Document{}
	for _, f := range docs {
		ld.problems = append(ld.problems, f.log.problems...)
		if f.doc != nil {
			at[f.path] = f.doc
		}
	}
	for _, f := range ld.files {
		if d := at[f.path]; d != nil {
			ld.world.Documents = append(ld.world.Documents, d)
		}
		if n := ld.world.NPCs[path.Base(path.Dir(f.path))]; n != nil && n.Path == f.path {
			ld.world.Documents = append(ld.world.Documents, ld.ownDocuments(n, f)...)
		}
	}
}

// ownDocuments are what an NPC's file says of it. What does not stand there as it reads could not be shown as evidence.
func (ld *loader) ownDocuments(n *NPC, f *file) []*Document {
	docs, source := n.ownDocuments(), withoutSpace(string(f.data))
	for _, d := range docs {
		if slices.ContainsFunc(d.Passages, func(p Passage) bool { return !isVerbatim(p.Text, source) }) {
			ld.problems = append(ld.problems, Problem{Severity: SeverityWarning, File: f.path, Line: n.lineOf[d.Fragment],
				Message: fmt.Sprintf("`%s` does not stand in the file as it reads, for its quotes or escapes; write it as a "+
					"block (`|`)", d.Fragment)})
		}
	}
	return docs
}

// isDocument says whether a file is one, and names what is none.
func (ld *loader) isDocument(f *file) bool {
	if base, ok := strings.CutSuffix(f.path, companionSuffix); ok {
		if ld.byPath[base] == nil {
			ld.warnf(f.path, "belongs to no file; there is no %s", path.Base(base))
		}
		return false
	}
	if isNPCFile(f.path) {
		return false
	}
	if documentKinds[strings.ToLower(path.Ext(f.path))] == nil {
		ld.warnf(f.path, "is no document: .txt, .md, .eml, .log and .yaml are read")
		return false
	}
	return true
}

// document reads one file with its companion; doc stays nil where either fails.
func (ld *loader) document(f *file) {
	d := &Document{Path: f.path, Language: ld.world.Language}
	if parts := strings.Split(f.path, "/"); parts[0] == npcsDir {
		d.NPC = parts[1]
	}
	companion := ld.byPath[f.path+companionSuffix]
	if companion == nil {
		f.log.errorf(0, "has no companion; add %s with created_at, author, type, summary and keywords",
			path.Base(f.path)+companionSuffix)
		return
	}
	meta := &log{file: companion.path}
	if companion.err != nil {
		meta.errorf(0, "%v", companion.err)
	} else {
		readMetadata(meta, d, companion.data)
	}
	if d.Language == "" {
		d.Language = ld.world.Language
	}
	if f.err == nil && !meta.failed {
		readDocument(&f.log, d, f.data)
	}
	bad := f.log.failed || meta.failed
	f.log.problems = append(f.log.problems, meta.problems...)
	if bad {
		return
	}
	d.Hash = protocol.HashText(protocol.HashText(string(f.data)) + protocol.HashText(string(companion.data)))
	f.doc = d
}
