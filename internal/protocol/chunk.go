package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Chunk is a piece of a document as the index keeps it: a passage of whole
// sentences, verbatim in the file (white space aside), with its provenance.
type Chunk struct {
	ID         string        `json:"id"` // path#n
	Source     schema.Origin `json:"source"`
	IndexedAt  time.Time     `json:"indexed_at,omitzero"` // wall time
	CreatedAt  time.Time     `json:"created_at,omitzero"` // game time
	ValidFrom  time.Time     `json:"valid_from,omitzero"`
	ValidTo    time.Time     `json:"valid_to,omitzero"`
	World      string        `json:"world"`
	NPC        string        `json:"npc,omitempty"`  // owner of a home or backstory document
	Path       string        `json:"path"`           // relative to the world's root
	Page       int           `json:"page,omitempty"` // from 1, of a document of several pages
	Type       string        `json:"type"`
	Text       string        `json:"text"`
	Hash       string        `json:"hash"` // of Text and metadata
	Author     string        `json:"author,omitempty"`
	Speaker    string        `json:"speaker,omitempty"` // who said this very passage, in mail and logs
	At         time.Time     `json:"at,omitzero"`       // when it was said, in mail and logs
	Summary    string        `json:"summary,omitempty"`
	Keywords   []string      `json:"keywords,omitempty"`
	AllowedFor []string      `json:"allowed_for,omitempty"`
	KnownBy    []string      `json:"known_by,omitempty"`
	Requires   string        `json:"requires,omitempty"`
	Belief     string        `json:"belief,omitempty"`
	Language   string        `json:"language,omitempty"`
}

// HashText is the hash that review records and sentences carry.
func HashText(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}
