package world

import (
	"path"
	"strings"
)

// promptsDir holds a world's own prompts for language models, one file a call.
const promptsDir = "prompts"

// prompts reads prompts/NAME.txt. Whether a call has that name, and whether the
// text can be used, the prompts' own package says.
func (ld *loader) prompts() map[string]string {
	out := map[string]string{}
	for _, e := range ld.entries(promptsDir) {
		name, ok := strings.CutSuffix(e.Name(), ".txt")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		file := path.Join(promptsDir, e.Name())
		data, err := readFile(ld.fsys, file)
		if err != nil {
			ld.errorf(file, "cannot be read: %v", unwrapPath(err))
			continue
		}
		out[name] = string(data)
	}
	return out
}
