package embed

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:noescape
func dotRowsAVX2(sums *int32, rows *int8, asked *int16, n, blocks int)

func dotRows(sums []int32, rows []int8, asked []int16) {
	if !cpu.X86.HasAVX2 || len(sums) == 0 || len(asked) == 0 {
		portableDotRows(sums, rows, asked)
		return
	}
	_ = rows[len(sums)*len(asked)-1]
	dotRowsAVX2(unsafe.SliceData(sums), unsafe.SliceData(rows), unsafe.SliceData(asked), len(sums), len(asked)/rowBlock)
}
