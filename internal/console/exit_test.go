package console

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
		{"nothing is wrong", nil, ExitFine, ""},
		{"an error without a code", errors.New("it broke"), ExitFailed, "forsooth: it broke\n"},
		{"one of usage", WithExit(ExitUsage, errors.New("no such\nflag")), ExitUsage, "forsooth: no such flag\n"},
		{"the first code stands", WithExit(ExitFailed, WithExit(ExitDependency, errors.New("away"))), ExitDependency,
			"forsooth: away\n"},
		{"it is found where it is wrapped", fmt.Errorf("ask: %w", WithExit(ExitUsage, errors.New("what"))), ExitUsage,
			"forsooth: ask: what\n"},
		{"one that was told already", WithExit(ExitFailed, errors.New("")), ExitFailed, ""},
	} {
		var out strings.Builder
		if code := ExitCode("forsooth", c.err, &out); code != c.code || out.String() != c.told {
			t.Errorf("%s: code %d, told %q", c.name, code, out.String())
		}
	}
	if WithExit(ExitFailed, nil) != nil {
		t.Error("no error became one")
	}
}
