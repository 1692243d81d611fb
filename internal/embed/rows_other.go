//go:build !amd64

package embed

func dotRows(sums []int32, rows []int8, asked []int16) { portableDotRows(sums, rows, asked) }
