package admin

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fields whose plain value is no id of a player: a player may well be called "player",
// or as an NPC is. An id that is no word of any language is looked for there all the
// same, but for the fields of NPCs.
var (
	words = []string{"speaker", "kind", "source", "status", "type", "tier", "predicate", "pass", "reason", "audit",
		"phase", "role", "form", "name", "locale"}
	ofNPC = []string{"npc", "handle", "heard_from", "default_npc"}
)

// free are fields in which the game has fields of its own, which may be called as any
// of the contract and hold anything.
var free = []string{"state", "parameters"}

// names says whether a message names a player: in a field of its own, as
// player:<id>, or as a word of a text where the id is no common word.
func names(data []byte, player string) bool { return naming(data, player, false) }

// naming is names for an id that may also be an NPC's handle: then only the field
// of the player and player:<id> mean the player.
func naming(data []byte, player string, handle bool) bool {
	if !bytes.Contains(data, []byte(player)) && !bytes.Contains(data, []byte(`"body"`)) {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	var v any
	if dec.Decode(&v) != nil {
		return hasWord(string(data), "player:"+player) || !handle && hasWord(string(data), player)
	}
	return namedIn("", v, player, handle)
}

func namedIn(field string, v any, player string, handle bool) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			of := key
			if slices.Contains(free, field) && key != "player" {
				of = field
			}
			if namedIn(of, inner, player, handle) || !handle && strings.HasPrefix(key, player+".") && isTelling(player) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(inner any) bool { return namedIn(field, inner, player, handle) })
	case string:
		switch {
		case hasWord(v, "player:"+player):
			return true
		case slices.Contains(ofNPC, field):
			return false
		case v == player && (!handle || field == "player") && !slices.Contains(words, field):
			return true
		case field == "body": // of a dead letter: the message itself
			body, err := base64.StdEncoding.DecodeString(v)
			return err == nil && naming(body, player, handle)
		}
		return !handle && isTelling(player) && hasWord(v, player)
	}
	return false
}

// isTelling says whether an id tells of a player wherever it stands: one with a
// digit in it and of some length is no word of any language.
func isTelling(player string) bool {
	return len(player) >= 4 && strings.ContainsAny(player, "0123456789")
}

// Names says whether a text holds one of these names as words of its own.
func Names(text string, names []string) bool {
	return slices.ContainsFunc(names,
		func(n string) bool { return n != "" && hasWord(strings.ToLower(text), strings.ToLower(n)) })
}

func hasWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(word):])
		if (i == 0 || !inWord(before)) && (i+len(word) == len(text) || !inWord(after)) {
			return true
		}
		from = i + 1
	}
}

func inWord(r rune) bool { return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) }
