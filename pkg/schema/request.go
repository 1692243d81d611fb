package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Request is what a game backend publishes on turn.<world>.<npc>.<player>.
// Only TurnID, World, NPC, Player and Message are required.
type Request struct {
	SchemaVersion  string         `json:"schema_version,omitempty"`
	TurnID         string         `json:"turn_id"`
	World          string         `json:"world"`
	NPC            string         `json:"npc"`
	Player         string         `json:"player"`
	PlayerName     string         `json:"player_name,omitempty"`
	Message        string         `json:"message"`
	GameTime       *time.Time     `json:"game_time,omitempty"`
	State          map[string]any `json:"state,omitempty"`
	Flags          []string       `json:"flags,omitempty"`
	Trust          *int           `json:"trust,omitempty"`
	Witnesses      []string       `json:"witnesses,omitempty"`
	AllowedActions []ActionSpec   `json:"allowed_actions,omitempty"`
	DeadlineMS     int            `json:"deadline_ms,omitempty"`
	Locale         string         `json:"locale,omitempty"`
	Supersedes     string         `json:"supersedes,omitempty"`
	Begin          *Begin         `json:"begin,omitempty"` // the NPC speaks first; the mesh alone sets it
	Scene          *Scene         `json:"scene,omitempty"` // the request is one of a scene: npc may be left out
}

// ActionSpec declares an action that an NPC may take.
type ActionSpec struct {
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters,omitempty"` // a JSON Schema
	Requires   string          `json:"requires,omitempty"`   // a condition over trust, flags and state
	Confirm    bool            `json:"confirm,omitempty"`    // the game confirms before the NPC speaks of it
	SpeechActs []string        `json:"speech_acts,omitempty"`

	// Without a model, a request in ordinary words is understood by these.
	Description string              `json:"description,omitempty"` // what the action does
	Phrasings   []string            `json:"phrasings,omitempty"`   // how players may ask for it
	Words       map[string][]string `json:"words,omitempty"`       // what else players call a value of a parameter
	Asks        []string            `json:"asks,omitempty"`        // lines that ask back what is wanted
}

// Validate says what is wrong with a request, field first.
func (r *Request) Validate() error {
	if err := CheckVersion(r.SchemaVersion); err != nil {
		return err
	}
	for _, id := range []struct{ field, value string }{
		{"turn_id", r.TurnID}, {"world", r.World}, {"npc", r.NPC}, {"player", r.Player},
	} {
		if id.value == "" && r.Scene != nil && (id.field == "npc" || id.field == "player" && r.Scene.Moves()) {
			continue
		}
		if err := CheckToken(id.field, id.value); err != nil {
			return err
		}
	}
	if r.Scene != nil {
		if err := r.Scene.validate(); err != nil {
			return err
		}
		if r.Scene.Moves() && r.Message != "" {
			return invalid("message", "stands in a request that has somebody enter or leave; send it in one of its own")
		}
	}
	if r.Supersedes != "" {
		if err := CheckToken("supersedes", r.Supersedes); err != nil {
			return err
		}
		if r.Supersedes == r.TurnID {
			return invalid("supersedes", "names this turn itself; name an earlier turn or leave it out")
		}
	}
	switch {
	case (r.Begin != nil || r.Scene.Moves()) && r.Message == "":
	case strings.TrimSpace(r.Message) == "":
		return invalid("message", "is empty; send what the player said")
	case len(r.Message) > MaxMessageBytes:
		return invalid("message", "is %d bytes; at most %d are taken", len(r.Message), MaxMessageBytes)
	case !utf8.ValidString(r.Message):
		return invalid("message", "is not valid UTF-8")
	}
	if r.DeadlineMS != 0 && (r.DeadlineMS < MinDeadlineMS || r.DeadlineMS > MaxDeadlineMS) {
		return invalid("deadline_ms", "is %d; it must lie between %d and %d, or be left out for %d",
			r.DeadlineMS, MinDeadlineMS, MaxDeadlineMS, DefaultDeadline)
	}
	if r.Trust != nil && (*r.Trust < MinTrust || *r.Trust > MaxTrust) {
		return invalid("trust", "is %d; it must lie between %d and %d", *r.Trust, MinTrust, MaxTrust)
	}
	for i, a := range r.AllowedActions {
		if err := CheckToken(fmt.Sprintf("allowed_actions[%d].name", i), a.Name); err != nil {
			return err
		}
	}
	return nil
}

// Deadline is the time the turn may take.
func (r *Request) Deadline() time.Duration {
	ms := r.DeadlineMS
	if ms == 0 {
		ms = DefaultDeadline
	}
	return time.Duration(ms) * time.Millisecond
}

// DecodeRequest parses and validates a request.
func DecodeRequest(data []byte) (*Request, error) {
	if len(data) > MaxTurnBytes {
		return nil, invalid("request", "is %d bytes; at most %d are taken", len(data), MaxTurnBytes)
	}
	var r Request
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, invalid("request", "is not the JSON of a turn: %v", err)
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return &r, nil
}

// CheckVersion takes this build's major and any minor; empty means this build's.
func CheckVersion(v string) error {
	if v == "" {
		return nil
	}
	major, minor, ok := strings.Cut(v, ".")
	if _, err := strconv.Atoi(minor); !ok || err != nil {
		return invalid("schema_version", "is %q; write major.minor, such as %q", v, Version)
	}
	if own, _, _ := strings.Cut(Version, "."); major != own {
		return invalid("schema_version", "is %q; this build speaks major %s", v, own)
	}
	return nil
}

// CheckToken says whether a value may stand in a subject: [A-Za-z0-9_-]{1,64},
// and not "_" alone, which stands for "no player" in memory subjects.
func CheckToken(field, value string) error {
	switch {
	case value == "":
		return invalid(field, "is missing")
	case value == "_":
		return invalid(field, `is "_", which is reserved`)
	case len(value) > 64:
		return invalid(field, "is %d characters; at most 64 are taken", len(value))
	}
	for _, c := range []byte(value) {
		if !isTokenByte(c) {
			return invalid(field, "holds %q; only letters, digits, - and _ are taken", rune(c))
		}
	}
	return nil
}

func isTokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// GuestPrefix begins the id of a player whom nobody knows: an NPC keeps no memory of
// one beyond the conversation.
const GuestPrefix = "guest-"

// IsGuest says whether a player is one.
func IsGuest(player string) bool { return strings.HasPrefix(player, GuestPrefix) }
