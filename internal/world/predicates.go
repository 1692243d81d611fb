package world

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/memory/predicate"
)

// predicatesFile is a world's own predicates of memories, on top of the shipped ones.
const predicatesFile = "predicates.yaml"

// predicates reads the file. One that is not sound is left out whole: half a table would
// call a value that changes a contradiction.
func (ld *loader) predicates() *predicate.Table {
	data, err := readFile(ld.fsys, predicatesFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return predicate.Default()
	case err != nil:
		ld.errorf(predicatesFile, "cannot be read: %v", unwrapPath(err))
		return predicate.Default()
	}
	ld.predicatesData = data
	table, err := predicate.Load(predicate.Default(), data, predicatesFile)
	var refused *predicate.Error
	switch {
	case errors.As(err, &refused):
		reason := refused.Reason
		if near := nearest(refused.Unknown, slices.Clone(refused.Known)); refused.Unknown != "" && near != "" {
			reason += "; did you mean " + near + "?"
		}
		ld.problems = append(ld.problems, Problem{Severity: SeverityError, File: predicatesFile, Line: refused.Line,
			Message: reason + "; the shipped predicates are in use until it is mended"})
		return predicate.Default()
	case err != nil:
		ld.errorf(predicatesFile, "%v", err)
		return predicate.Default()
	}
	return table
}
