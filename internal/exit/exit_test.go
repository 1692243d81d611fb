package exit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestWhatACommandEndsWith(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		code int
		told string
	}{
		{"nothing is wrong", nil, Fine, ""},
		{"an error without a code", errors.New("it broke"), Failed, "forsooth: it broke\n"},
		{"one of usage", With(Usage, errors.New("no such\nflag")), Usage, "forsooth: no such flag\n"},
		{"the first code stands", With(Failed, With(Dependency, errors.New("away"))), Dependency, "forsooth: away\n"},
		{"it is found where it is wrapped", fmt.Errorf("ask: %w", With(Usage, errors.New("what"))), Usage,
			"forsooth: ask: what\n"},
		{"one that was told already", With(Failed, errors.New("")), Failed, ""},
	} {
		var out strings.Builder
		if code := Code("forsooth", c.err, &out); code != c.code || out.String() != c.told {
			t.Errorf("%s: code %d, told %q", c.name, code, out.String())
		}
	}
	if With(Failed, nil) != nil {
		t.Error("no error became one")
	}
}
