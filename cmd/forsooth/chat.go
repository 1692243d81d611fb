package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/forsooth-npc/forsooth/internal/console"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/relation"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

type chatCmd struct {
	NPC    string `name:"npc" help:"Handle of the NPC; the world's default_npc otherwise."`
	Player string `help:"Id of the player." default:"player"`
	Once   string `help:"Say this, print the reply, and end when the turn is applied." placeholder:"TEXT"`
	Trace  bool   `help:"Print every pass after each reply."`
}

// Run talks until the player leaves.
func (c *chatCmd) Run(e *env) (err error) {
	if err := schema.CheckToken("player", c.Player); err != nil {
		return usage(err)
	}
	t, err := e.open()
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := t.close(); err == nil {
			err = closeErr
		}
	}()
	npc, err := findNPC(t.world(), c.NPC)
	if err != nil {
		return err
	}
	s := &chat{env: e, talk: t, npc: npc, player: c.Player, trace: c.Trace, state: map[string]any{}}
	if c.Once != "" {
		return s.once(c.Once)
	}
	return s.loop()
}

// chat is one sitting.
type chat struct {
	*env
	*talk
	npc    *world.NPC
	player string
	trace  bool
	state  map[string]any
	last   *schema.Reply
}

// rememberWait is how long a single turn waits until it is remembered: the next one,
// of a process of its own, may rest on it.
const rememberWait = 2 * time.Second

// once is one turn, for scripts.
func (s *chat) once(text string) error {
	quiet := s.json
	reply, err := s.say(text, quiet)
	if err != nil {
		return err
	}
	if s.app != nil { // else whoever runs the mesh remembers it
		ctx, stop := context.WithTimeout(s.ctx, rememberWait)
		defer stop()
		_ = s.app.MemorySettled(ctx) // what is not remembered by then is at the next start
	}
	if s.json {
		if err := s.printJSON(console.Shown(reply)); err != nil {
			return err
		}
	}
	if reply.Status == schema.StatusAborted {
		return failed(fmt.Errorf("turn %s was aborted: %s %s", reply.TurnID, reply.Reason, reply.Detail))
	}
	return nil
}

// judgeWait is how long the first turn of a chat waits for the test of its judge. What a
// model says before that test is judged as if there were no judge.
const judgeWait = 20 * time.Second

func (s *chat) awaitJudge() {
	if s.app == nil {
		return
	}
	soon, stop := context.WithTimeout(s.ctx, 300*time.Millisecond)
	defer stop()
	if s.app.JudgeTested(soon) {
		return
	}
	fmt.Fprintln(s.err, "the judge is tested, as once a day; the first reply waits for that")
	late, stop := context.WithTimeout(s.ctx, judgeWait)
	defer stop()
	s.app.JudgeTested(late)
}

// loop reads lines until the end of input, /quit or Ctrl-C.
func (s *chat) loop() error {
	fmt.Fprintf(s.out, "%s, %s. You are talking to %s. /npc /why /trace /state /quit\n", s.world().Title, place(s),
		s.npc.Name)
	for _, line := range s.npc.Line(world.LineGreeting, "")[:1] {
		fmt.Fprintf(s.out, "%s: %s\n", s.npc.Name, line)
	}
	lines := readLines(s.ctx, bufio.NewScanner(s.in))
	for {
		fmt.Fprint(s.out, "> ")
		var line string
		var ok bool
		select {
		case <-s.ctx.Done():
			ok = false
		case line, ok = <-lines:
		}
		if !ok {
			fmt.Fprintln(s.out)
			return nil
		}
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		leave, err := s.line(line)
		if err != nil || leave {
			return err
		}
	}
}

func place(s *chat) string {
	if s.joined != "" {
		return "on the mesh at " + s.joined
	}
	return fmt.Sprintf("%d NPCs", len(s.world().NPCs))
}

// readLines owns the scanner; it ends with the input, or with the process when
// the input is a terminal that nobody types into.
func readLines(ctx context.Context, sc *bufio.Scanner) <-chan string {
	out := make(chan string)
	sc.Buffer(make([]byte, 0, 64<<10), 1<<20)
	go func() {
		defer close(out)
		for sc.Scan() {
			select {
			case out <- sc.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// line is one line of input: a command, or something said.
func (s *chat) line(line string) (leave bool, err error) {
	name, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "/quit", "/exit", "/q":
		return true, nil
	case "/why":
		return false, s.showWhy()
	case "/trace":
		return false, s.showTrace()
	case "/npc":
		s.change(rest)
	case "/state":
		s.setState(rest)
	default:
		if strings.HasPrefix(name, "/") {
			fmt.Fprintf(s.out, "There is no %s. /npc HANDLE, /why, /trace, /state key=value, /quit\n", name)
			return false, nil
		}
		if _, err := s.say(line, false); err != nil {
			if s.ctx.Err() != nil {
				return true, nil
			}
			fmt.Fprintf(s.out, "(%v)\n", err)
		}
	}
	return false, nil
}

func (s *chat) change(handle string) {
	if handle == "" {
		fmt.Fprintf(s.out, "Here are: %s\n", strings.Join(s.world().Handles(), ", "))
		return
	}
	npc, err := findNPC(s.world(), handle)
	if err != nil {
		fmt.Fprintln(s.out, err)
		return
	}
	s.npc, s.last = npc, nil
	fmt.Fprintf(s.out, "%s: %s\n", npc.Name, npc.Line(world.LineGreeting, "")[0])
}

func (s *chat) setState(pair string) {
	key, value, ok := strings.Cut(pair, "=")
	if !ok || strings.TrimSpace(key) == "" {
		state, err := json.Marshal(s.state)
		if err != nil {
			state = []byte("{}")
		}
		fmt.Fprintf(s.out, "The state is %s. Write /state key=value\n", state)
		for _, line := range s.relation() {
			fmt.Fprintln(s.out, "  "+line)
		}
		return
	}
	key = strings.TrimSpace(key)
	was, had := s.state[key]
	s.state[key] = console.Value(strings.TrimSpace(value))
	if err := relation.Check(s.world(), s.npc, &schema.Request{State: s.state}); err != nil {
		fmt.Fprintln(s.out, err)
		if delete(s.state, key); had {
			s.state[key] = was
		}
	}
}

// relation is how the NPC is and how it stands with the player, one fact a line.
func (s *chat) relation() []string {
	id := schema.ConversationID{World: s.world().Name, NPC: s.npc.Handle, Player: s.player}
	talk, err := s.client.Talk(s.ctx, id, false)
	if err != nil {
		return []string{"The relation cannot be read: " + err.Error()}
	}
	in := relation.Input{World: s.world(), NPC: s.npc, Player: s.player, Convo: talk, State: s.state, Now: s.world().Now}
	q := schema.MemoriesQuery{NPC: s.npc.Handle, Limit: schema.MaxMemories}
	for {
		found, err := s.client.Memories(s.ctx, id.World, q)
		if err != nil {
			return append(relation.Lines(relation.Of(in)), "Events cannot be read: "+err.Error())
		}
		in.Seen = append(in.Seen, found.Memories...)
		if !found.More || len(found.Memories) == 0 {
			return relation.Lines(relation.Of(in))
		}
		q.After = found.Memories[len(found.Memories)-1].ID
	}
}

// say publishes a message and prints the sentences as they are verified.
func (s *chat) say(text string, quiet bool) (*schema.Reply, error) {
	s.awaitJudge()
	ctx, cancel := context.WithTimeout(s.ctx, turnTimeout)
	defer cancel()
	req := &schema.Request{TurnID: ulid.MustNew(ulid.Timestamp(time.Now()), rand.Reader).String(), World: s.world().Name,
		NPC: s.npc.Handle, Player: s.player, Message: text, State: s.gameState()}
	if _, err := s.client.Publish(ctx, req); err != nil {
		if errors.Is(err, schema.ErrInvalid) {
			return nil, usage(err)
		}
		return nil, dependency(err)
	}
	events, err := s.client.Watch(ctx, req.Conversation(), req.TurnID)
	if err != nil {
		return nil, dependency(err)
	}
	began := false
	for ev := range events {
		switch {
		case ev.Reply != nil:
			s.last = ev.Reply
		case ev.Said != nil && ev.Said.Kind == schema.SaidSentence && !quiet:
			if !began {
				fmt.Fprintf(s.out, "%s:", s.npc.Name)
				began = true
			}
			fmt.Fprintf(s.out, " %s", ev.Said.Sentence.Text)
		}
	}
	if s.last == nil || s.last.TurnID != req.TurnID {
		if s.ctx.Err() != nil {
			return nil, failed(errors.New("stopped before the reply came"))
		}
		return nil, dependency(fmt.Errorf("no reply came within %s; does a mesh run here? forsooth doctor says", turnTimeout))
	}
	if !quiet {
		if !began {
			fmt.Fprintf(s.out, "%s: %s", s.npc.Name, s.last.Text)
		}
		fmt.Fprintln(s.out)
		if s.trace {
			return s.last, s.showTrace()
		}
	}
	return s.last, nil
}

func (s *chat) gameState() map[string]any {
	if len(s.state) == 0 {
		return nil
	}
	return s.state
}

// showWhy prints what the last reply rests on, with the verdicts where they are kept.
func (s *chat) showWhy() error {
	var traces []protocol.Trace
	if s.last != nil {
		var err error
		if traces, err = s.client.Trace(s.ctx, s.last.TurnID); err != nil {
			return dependency(err)
		}
	}
	console.Why(s.out, s.last, traces...)
	return nil
}

func (s *chat) showTrace() error {
	if s.last == nil {
		fmt.Fprintln(s.out, "Nothing has been said yet.")
		return nil
	}
	traces, err := s.client.Trace(s.ctx, s.last.TurnID)
	if err != nil {
		return dependency(err)
	}
	console.Trace(s.out, traces)
	return nil
}

// turnTimeout bounds a wait for a reply: the mesh answers by the deadline, so
// more than this means that nothing runs.
const turnTimeout = 15 * time.Second
