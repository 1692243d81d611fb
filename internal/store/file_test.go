package store

import (
	"os"
	"path/filepath"
	"testing"
)

// The new text takes the place of the old, for its owner alone, and nothing else is left.
func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "file.json")
	for _, text := range []string{"first", "second, and longer"} {
		if err := WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		info, failed := os.Stat(path)
		if err != nil || failed != nil || string(got) != text || info.Mode().Perm() != 0o600 {
			t.Errorf("%q, %v, %v", got, err, failed)
		}
	}
	if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}

// Where the file cannot be written the old one stays, and nothing lies beside it.
func TestWriteThatFails(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(taken, []byte("text")); err == nil {
		t.Error("a folder with files was replaced")
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}
