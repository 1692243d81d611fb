package world

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/memory"
)

// predicatesFile is a world's own predicates of memories, on top of the shipped ones.
const predicatesFile = "predicates.yaml"

// predicates reads the file. One that is not sound is left out whole: half a table would
// call a value that changes a contradiction.
func (ld *loader) predicates() *memory.PredicateTable {
	data, err := readFile(ld.fsys, predicatesFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return memory.DefaultPredicates()
	case err != nil:
		ld.errorf(predicatesFile, "cannot be read: %v", unwrapPath(err))
		return memory.DefaultPredicates()
	}
	ld.predicatesData = data
	table, err := memory.LoadPredicates(memory.DefaultPredicates(), data, predicatesFile)
	var refused *memory.PredicateError
	switch {
	case errors.As(err, &refused):
		reason := refused.Reason
		if near := nearest(refused.Unknown, slices.Clone(refused.Known)); refused.Unknown != "" && near != "" {
			reason += "; did you mean " + near + "?"
		}
		ld.problems = append(ld.problems, Problem{Severity: SeverityError, File: predicatesFile, Line: refused.Line,
			Message: reason + "; the shipped predicates are in use until it is mended"})
		return memory.DefaultPredicates()
	case err != nil:
		ld.errorf(predicatesFile, "%v", err)
		return memory.DefaultPredicates()
	}
	return table
}
