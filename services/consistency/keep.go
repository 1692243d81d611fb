package consistency

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/memory/scan"
)

// The marks of a world in its index.
func markJudged(world string) string { return "scan-judged:" + world }
func markProved(world string) string { return "scan-proved:" + world }
func markLore(world string) string   { return "scan-lore:" + world }

// recallJudged brings in what earlier runs judged. A mark that cannot be read is
// none: the same is judged again.
func (s *Service) recallJudged(ctx context.Context, v *view) error {
	v.in.Judged, v.in.Proved = map[string]scan.Verdict{}, map[string]bool{}
	var proved []string
	if _, err := s.marked(ctx, markJudged(v.in.World), &v.in.Judged); err != nil {
		return err
	}
	if _, err := s.marked(ctx, markProved(v.in.World), &proved); err != nil {
		return err
	}
	for _, key := range proved {
		v.in.Proved[key] = true
	}
	return nil
}

// loreBefore is the lore as the last run found it.
func (s *Service) loreBefore(ctx context.Context, world string) (state loreState, known bool, err error) {
	known, err = s.marked(ctx, markLore(world), &state)
	return state, known, err
}

// keep keeps what this run judged, in place of what was judged before: what it did
// not meet again is no more.
func (s *Service) keep(ctx context.Context, v *view, r *scan.Result) error {
	if err := s.mark(ctx, markJudged(v.in.World), r.Judged); err != nil {
		return err
	}
	if err := s.mark(ctx, markProved(v.in.World), slices.Sorted(maps.Keys(r.Proved))); err != nil {
		return err
	}
	if r.Report.LoreFailed > 0 { // looked at again
		return nil
	}
	return s.mark(ctx, markLore(v.in.World), v.state)
}

// Begin takes note of the lore of a world that was never scanned, so that what
// changes from now on is seen to have changed.
func (s *Service) Begin(ctx context.Context, world string) error {
	_, known, err := s.loreBefore(ctx, world)
	if err != nil || known {
		return err
	}
	w, err := s.onDisk(world)
	if err != nil {
		return err
	}
	_, state := told(w)
	return s.mark(ctx, markLore(world), state)
}

func (s *Service) marked(ctx context.Context, key string, into any) (known bool, err error) {
	if s.o.Session == nil {
		return false, nil
	}
	value, err := s.o.Session.Marked(ctx, key)
	if err != nil || value == "" {
		return false, err
	}
	if err := json.Unmarshal([]byte(value), into); err != nil {
		s.o.Notice(fmt.Sprintf("the mark %s is not JSON; it is made anew", key))
		return false, nil
	}
	return true, nil
}

func (s *Service) mark(ctx context.Context, key string, value any) error {
	if s.o.Session == nil {
		return nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("mark %s: %w", key, err)
	}
	return s.o.Session.Mark(ctx, key, string(data))
}
