package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/replay"
)

type auditCmd struct {
	Since    time.Duration `help:"How far back, such as 24h; replies are kept for seven days." default:"168h"`
	Examples int           `help:"Examples of each check." default:"3"`
	Strict   bool          `help:"Count it as a violation too where the lore was edited after the reply."`
}

// Run holds the stored replies against their evidence, and against the lore as it is
// now.
func (c *auditCmd) Run(e *env) error {
	if c.Since <= 0 || c.Examples < 0 {
		return usage(errors.New("give --since a time above 0, such as 24h, and --examples 0 or more"))
	}
	named := len(e.settings.World) > 0
	if !named {
		e.settings.World = app.Serving(e.settings.Data) // of the process that holds the folder, if any
	}
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	settings := replay.DefaultAudit
	settings.Examples = c.Examples
	auditor, of := replay.NewAuditor(ws, settings), map[string]bool{}
	for _, w := range ws {
		of[w.Name] = true
	}
	since := time.Now().Add(-c.Since)
	err = e.joining(func(t *talk) error {
		return dependency(t.client.StoredReplies(e.ctx, "", func(s mesh.StoredReply) {
			switch {
			case named && !of[s.Conversation.World]:
				return
			case s.At.Before(since):
				auditor.Heard(s.Reply)
				return
			}
			auditor.Take(replay.StoredReply{Conversation: s.Conversation, Turn: s.Turn, At: s.At, Reply: s.Reply,
				Bad: s.Bad})
		}))
	})
	if err != nil {
		return err
	}
	r := auditor.Report()
	r.Since = since.UTC()
	return c.print(e, r)
}

func (c *auditCmd) print(e *env, r *replay.AuditReport) error {
	if e.json {
		if err := e.printJSON(r); err != nil {
			return err
		}
	} else if err := r.Write(e.out); err != nil {
		return err
	}
	if r.Unchecked > 0 {
		e.log.Warn().Msgf("%d replies are of other worlds; their lore was not looked at: name the worlds with --world",
			r.Unchecked)
	}
	switch {
	case r.Violations > 0:
		return failed(fmt.Errorf("%d violations in %d replies; forsooth trace TURN shows a turn", r.Violations,
			r.Replies))
	case c.Strict && r.LoreMoved > 0:
		return failed(fmt.Errorf("%d citations do not fit the lore of today, which was edited after the replies",
			r.LoreMoved))
	}
	return nil
}
