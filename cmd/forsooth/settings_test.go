package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// docs/settings.md says of each flag that sets something which setting it sets.
func TestTheReferenceOfSettingsNamesEveryFlag(t *testing.T) {
	doc := string(readCheckout(t, "docs/settings.md"))
	var c struct{ common }
	parser, err := kong.New(&c, kong.Name("forsooth"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range parser.Model.Flags {
		if f.Name != "help" && f.Name != "json" && !strings.Contains(doc, "`--"+f.Name+"`") {
			t.Errorf("docs/settings.md does not name --%s; name it above the field of internal/config", f.Name)
		}
	}
}
