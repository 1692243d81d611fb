package model

import (
	"context"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A turn goes the extractive way with less than a second and a half before it, or
// after a quarter of its time before a pass's door.
func TestHurried(t *testing.T) {
	waited := func(took float64, attempt int) []schema.PassRecord {
		return []schema.PassRecord{{Pass: schema.PassRetrieve, StartMS: 5, TookMS: 10},
			{Pass: schema.PassThink, StartMS: 15 + took, Attempt: attempt}}
	}
	for _, c := range []struct {
		name     string
		deadline int // ms; 0: the default of eight seconds
		left     time.Duration
		passes   []schema.PassRecord
		part     int
		want     bool
	}{
		{name: "plenty", left: 6 * time.Second},
		{name: "under the bound", left: 1490 * time.Millisecond, want: true},
		{name: "a short deadline, just accepted", deadline: 2000, left: time.Second},
		{name: "a short deadline, a second and a half before it", deadline: 2000, left: 490 * time.Millisecond, want: true},
		{name: "a long deadline", deadline: 60000, left: 1600 * time.Millisecond},
		{name: "hardly waited", left: 6 * time.Second, passes: waited(300, 1)},
		{name: "waited too long", left: 5 * time.Second, passes: waited(2100, 1), want: true},
		{name: "waited too long, of a long deadline", deadline: 60000, left: 50 * time.Second, passes: waited(2100, 1)},
		{name: "delivered again", left: 5 * time.Second, passes: waited(2100, 2)},
		{name: "a sentence of a speech under way", left: 5 * time.Second, passes: waited(2100, 1), part: 1},
		{name: "before the first pass", left: 5 * time.Second,
			passes: []schema.PassRecord{{Pass: schema.PassRetrieve, StartMS: 2900, Attempt: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), c.left)
			defer cancel()
			turn := &protocol.Turn{Request: schema.Request{DeadlineMS: c.deadline}, Passes: c.passes, Part: c.part}
			if err := hurried(ctx, turn); (err != nil) != c.want {
				t.Errorf("%v", err)
			}
		})
	}
	if err := hurried(context.Background(), &protocol.Turn{}); err != nil {
		t.Errorf("without a deadline: %v", err)
	}
}
