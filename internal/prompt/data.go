package prompt

import (
	"fmt"
	"strings"
)

// Data is the user message: sections of quoted text. A section without lines is
// left out.
type Data struct{ out strings.Builder }

// escape keeps data from ending its tag or opening another.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// unescape is what a model that copies a line gives back.
var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// Quote is a text as a line of data: escaped, white space folded.
func Quote(s string) string { return escape.Replace(strings.Join(strings.Fields(s), " ")) }

// Section adds lines between tags. The lines are quoted here.
func (d *Data) Section(tag string, lines ...string) *Data {
	if len(lines) == 0 {
		return d
	}
	fmt.Fprintf(&d.out, "<%s>\n", tag)
	for _, line := range lines {
		d.out.WriteString(Quote(line))
		d.out.WriteByte('\n')
	}
	fmt.Fprintf(&d.out, "</%s>\n", tag)
	return d
}

// Message adds the player's words; line ends stay, for they are part of them.
func (d *Data) Message(from, message string) *Data {
	fmt.Fprintf(&d.out, "<message from=%q>\n%s\n</message>\n", Quote(from), escape.Replace(strings.TrimSpace(message)))
	return d
}

// String is the user message.
func (d *Data) String() string { return strings.TrimRight(d.out.String(), "\n") }
