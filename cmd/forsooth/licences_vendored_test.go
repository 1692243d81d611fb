package main

import (
	"os"
	"path/filepath"
	"testing"
)

// vendored are the files of others that the inspector carries as they were published, with
// the licences beside them. htm 3.1.1 (npm: htm/preact/standalone) holds Preact.
var vendored = map[string]map[string]string{
	"preact.js": {"preact.LICENSE": "MIT", "htm.LICENSE": "Apache-2.0"},
}

func TestEveryVendoredFileHasALicenceThatIsAllowed(t *testing.T) {
	const folder = "../../services/gateway/studio/static/vendor"
	files, err := filepath.Glob(filepath.Join(folder, "*.js"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		texts := vendored[filepath.Base(f)]
		if len(texts) == 0 {
			t.Errorf("%s has no licence in this list; put its licence beside it, and name it here", f)
		}
		for name, want := range texts {
			data, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			if got := licenceOf(string(data)); got != want {
				t.Errorf("%s has the licence %q, want %q", name, got, want)
			}
		}
	}
}
