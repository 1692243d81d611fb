package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"
)

// Secret is a text that no log, trace, error or dump shows: whoever needs it asks
// for it by Reveal.
type Secret struct{ value string }

// NewSecret hides a text.
func NewSecret(value string) Secret { return Secret{value} }

const redacted = "[redacted]"

// Reveal is the text itself, for the one place that sends it.
func (s Secret) Reveal() string { return s.value }

// IsZero says whether there is nothing to hide.
func (s Secret) IsZero() bool { return s.value == "" }

func (s Secret) String() string { return redacted }

// Format hides the text from every verb, %#v and %x among them.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalJSON hides the text.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalText hides the text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// maxKeyBytes is more than any key has.
const maxKeyBytes = 16 << 10

// keyFromFile reads a key. An error does not repeat the name: who writes the key
// itself where its file belongs would see it in a log.
func keyFromFile(setting, path string) (Secret, error) {
	f, err := os.Open(path)
	if err != nil {
		return Secret{}, &Error{setting, "names a file that cannot be read: " + reason(err) +
			"; mend the path or its permissions"}
	}
	defer f.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxKeyBytes+1))
	if err != nil {
		return Secret{}, &Error{setting, "names a file that cannot be read: " + reason(err)}
	}
	return checkKey(setting, string(data))
}

// keyFromVariable reads a key from the environment.
func keyFromVariable(setting, name string) (Secret, error) {
	value, ok := os.LookupEnv(name)
	if !ok || strings.TrimSpace(value) == "" {
		return Secret{}, &Error{setting, "names a variable of the environment that is not set; export it, or name another"}
	}
	return checkKey(setting, value)
}

// checkKey refuses what no server takes for a key, before an HTTP library
// refuses it with the key in its error.
func checkKey(setting, raw string) (Secret, error) {
	key := strings.TrimSpace(strings.TrimPrefix(raw, "\ufeff"))
	switch {
	case key == "":
		return Secret{}, &Error{setting, "holds no key; write the key alone, on one line"}
	case len(key) > maxKeyBytes, strings.ContainsFunc(key,
		func(r rune) bool { return r > unicode.MaxASCII || r <= ' ' || r == 0x7f }):
		return Secret{}, &Error{setting, "holds more than a key; write the key alone, on one line"}
	}
	return NewSecret(key), nil
}

// reason is what went wrong with a file, without its name.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return oneLine(err)
}
