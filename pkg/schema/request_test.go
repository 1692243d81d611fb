package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestRequestValidation(t *testing.T) {
	good := func() schema.Request {
		return schema.Request{TurnID: "t", World: "w", NPC: "n", Player: "p", Message: "hi"}
	}
	enters := func(rounds int) *schema.Scene {
		return &schema.Scene{ID: "s", Rounds: rounds, Enter: &schema.Presence{Players: []string{"p"}}}
	}
	cases := []struct {
		name  string
		edit  func(*schema.Request)
		field string
	}{
		{"a good request", func(*schema.Request) {}, ""},
		{"somebody enters", func(r *schema.Request) { r.NPC, r.Message, r.Scene = "", "", enters(0) }, ""},
		{"somebody enters and says something", func(r *schema.Request) { r.Scene = enters(0) }, "message"},
		{"somebody enters in rounds", func(r *schema.Request) { r.Message, r.Scene = "", enters(2) }, "scene.rounds"},
		{"no npc", func(r *schema.Request) { r.NPC = "" }, "npc"},
		{"underscore alone", func(r *schema.Request) { r.Player = "_" }, "player"},
		{"a dot in an id", func(r *schema.Request) { r.World = "a.b" }, "world"},
		{"65 characters", func(r *schema.Request) { r.TurnID = strings.Repeat("x", 65) }, "turn_id"},
		{"blank message", func(r *schema.Request) { r.Message = " \n" }, "message"},
		{"64 KiB and one", func(r *schema.Request) { r.Message = strings.Repeat("x", 64<<10+1) }, "message"},
		{"not UTF-8", func(r *schema.Request) { r.Message = "\xff" }, "message"},
		{"deadline too short", func(r *schema.Request) { r.DeadlineMS = 1 }, "deadline_ms"},
		{"trust out of range", func(r *schema.Request) { n := 101; r.Trust = &n }, "trust"},
		{"another major", func(r *schema.Request) { r.SchemaVersion = "2.0" }, "schema_version"},
		{"another minor", func(r *schema.Request) { r.SchemaVersion = "1.9" }, ""},
		{"supersedes itself", func(r *schema.Request) { r.Supersedes = "t" }, "supersedes"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := good()
			c.edit(&r)
			err := r.Validate()
			if c.field == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var fe *schema.FieldError
			if !errors.As(err, &fe) || fe.Field != c.field || !errors.Is(err, schema.ErrInvalid) {
				t.Fatalf("err = %v, want one about %s", err, c.field)
			}
		})
	}
}
