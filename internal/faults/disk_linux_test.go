package faults

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestADiskIsFullAndHasRoomAgain(t *testing.T) {
	d, dir := DiskForTest(t, 8)
	write := func(name string) error { return os.WriteFile(filepath.Join(dir, name), make([]byte, 1<<20), 0o600) }
	for i, step := range []struct {
		before func() error
		want   error
	}{
		{func() error { return nil }, nil},
		{d.Fill, syscall.ENOSPC},
		{d.Fill, syscall.ENOSPC},
		{d.Empty, nil},
	} {
		if err := step.before(); err != nil {
			t.Fatal(err)
		}
		if err := write("a-" + string(rune('0'+i))); !errors.Is(err, step.want) {
			t.Errorf("step %d: %v, want %v", i, err, step.want)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a-0")); err != nil || len(data) != 1<<20 {
		t.Errorf("what was written before: %d bytes, %v", len(data), err)
	}
}
