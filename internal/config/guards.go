package config

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/guards"
)

// The section of the guards of memory. Its settings, their defaults and presets
// are internal/guards' own; here they only find their way from file, environment
// and flags.
const (
	guardsSection = "guards."

	// A file with a `guards:` section, or the name of a preset. What is written beside it
	// overrides it. Flag `--guards`.
	guardsFile = guardsSection + "file"
)

// addGuardsDefaults makes the section's keys known. What is written of it counts;
// the defaults themselves come with the preset.
func addGuardsDefaults(defaults map[string]any) map[string]any {
	d := guards.Default()
	for key, v := range d.Values() {
		defaults[guardsSection+key] = v
	}
	defaults[guardsFile] = ""
	return defaults
}

// canonical is the key of a setting by another of its names: paper 004 calls the
// section hallucination_guards.
func canonical(key string) string {
	if rest, ok := strings.CutPrefix(key, "hallucination_guards"); ok && (rest == "" || rest[0] == '.') {
		key = "guards" + rest
	}
	if inner, ok := strings.CutPrefix(key, guardsSection); ok {
		return guardsSection + guards.Canonical(inner)
	}
	return key
}

// readGuards are the guards' settings as the layers say, later ones over earlier:
// the file that is named, then what is written beside it.
func readGuards(layers ...map[string]any) (guards.Settings, error) {
	written := map[string]any{}
	for _, layer := range layers {
		for key, v := range layer {
			if inner, ok := strings.CutPrefix(key, guardsSection); ok {
				written[inner] = v
			}
		}
	}
	name, _ := written["file"].(string)
	delete(written, "file")
	if name == "" {
		return guards.Of(written)
	}
	if slices.Contains(guards.Presets(), name) {
		if _, set := written["preset"]; set {
			return guards.Settings{}, &Error{guardsFile, fmt.Sprintf("is the preset %s, and guards.preset is set as well; "+
				"keep one", name)}
		}
		written["preset"] = name
		return guards.Of(written)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return guards.Settings{}, &Error{guardsFile,
			fmt.Sprintf("%s; name a file with a guards: section, or %s", oneLine(err), strings.Join(guards.Presets(), ", "))}
	}
	return guards.Over(name, data, written)
}
