package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// WriteFile writes a small file so that a crash leaves the old one or the new one whole. The file
// is for its owner alone, and its folder is made where there is none. It is for files that one
// process writes now and then.
func WriteFile(path string, data []byte) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	file, err := os.CreateTemp(folder, ".write-*") // for its owner alone
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
