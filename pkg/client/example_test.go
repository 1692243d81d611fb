package client_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// village runs a mesh in this process for an example, as `forsooth up` does in one
// of its own.
func village() (url string, stop func()) {
	data, err := os.MkdirTemp("", "forsooth-example-")
	if err != nil {
		panic(err)
	}
	m, err := start(context.Background(), data, "")
	if err != nil {
		panic(err)
	}
	return m.url, func() {
		if err := errors.Join(m.stop(), os.RemoveAll(data)); err != nil {
			panic(err)
		}
	}
}

// A player speaks to an NPC. Each sentence can be shown as it comes: it has been
// verified, and is never taken back.
func ExampleClient_Say() {
	url, stop := village()
	defer stop()
	ctx := context.Background()

	c, err := client.Connect(ctx, url, client.Options{Name: "example game"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	turn, err := c.Say(ctx, schema.Request{World: "village", NPC: "mira", Player: "p42", Message: "Who owns the ferry?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for s, err := range turn.Sentences(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.Text)
		for _, e := range s.Evidence {
			fmt.Println("  from", e.Path)
		}
	}
	reply, err := turn.Reply(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reply.Status)
	// Output:
	// Teague owns the ferry.
	//   from lore/ferry.txt
	// extractive
}

// What the mesh does not take now it takes later; what it can never take names the
// field. The turn id stays the same, so that the player is answered once whatever
// was lost on the way.
func ExampleRetryAfter() {
	url, stop := village()
	defer stop()
	ctx := context.Background()
	c, err := client.Connect(ctx, url, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	say := func(r schema.Request) (*client.Turn, error) {
		r.TurnID = c.NewID()
		for {
			turn, err := c.Say(ctx, r)
			switch pause := client.RetryAfter(err); {
			case pause > 0: // ErrBusy or ErrFull
				time.Sleep(pause)
			case errors.Is(err, client.ErrUnreachable): // nobody knows whether it arrived
			default:
				return turn, err
			}
		}
	}
	_, err = say(schema.Request{World: "village", NPC: "mira", Player: "player 42", Message: "Who owns the ferry?"})
	var wrong *schema.FieldError
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Field, wrong.Reason)
	}
	// Output:
	// player holds ' '; only letters, digits, - and _ are taken
}

// A game server that has started again asks for the turns whose replies it has not
// seen. It wrote their ids down before it said them.
func ExampleClient_Outcome() {
	url, stop := village()
	defer stop()
	ctx := context.Background()
	before, err := client.Connect(ctx, url, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	said := schema.Request{TurnID: before.NewID(), World: "village", NPC: "mira", Player: "p42",
		Message: "Who owns the ferry?"}
	if _, err := before.Say(ctx, said); err != nil {
		fmt.Println(err)
		return
	}
	before.Close() // the game server crashes

	c, err := client.Connect(ctx, url, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	out, err := c.Outcome(ctx, said.Conversation(), said.TurnID)
	if err != nil {
		fmt.Println(err)
		return
	}
	switch out.State {
	case schema.TurnUnknown: // it was never accepted: say it now, with the same id
		_, err = c.Say(ctx, said)
	case schema.TurnWaiting: // it is under way: watch it from its beginning
		var turn *client.Turn
		if turn, err = c.Watch(ctx, said.Conversation(), said.TurnID); err == nil {
			out.Reply, err = turn.Reply(ctx)
		}
	case schema.TurnEnded: // out.Reply is its reply
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Reply.Text)
	// Output:
	// Teague owns the ferry.
}

// The player walks away before the NPC has answered.
func ExampleClient_Cancel() {
	url, stop := village()
	defer stop()
	ctx := context.Background()
	c, err := client.Connect(ctx, url, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	turn, err := c.Say(ctx, schema.Request{World: "village", NPC: "mira", Player: "p42", Message: "Who owns the ferry?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	// it may have ended just now
	if err := c.Cancel(ctx, turn.Conversation, turn.ID); err != nil && !errors.Is(err, client.ErrNotFound) {
		fmt.Println(err)
		return
	}
	reply, err := turn.Reply(ctx) // there is one, whatever was said by then
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reply.Status == schema.StatusAborted || reply.Status == schema.StatusExtractive)
	// Output:
	// true
}

// An NPC gives a player something, if the game says that it can.
func ExampleClient_Actions() {
	url, stop := village()
	defer stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, err := client.Connect(ctx, url, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	stock := map[string]int{"salve": 1} // the game's own state
	carriedOut := make(chan error, 1)
	go func() {
		carriedOut <- c.Actions(ctx, "village", time.Now().Add(-time.Minute), func(p client.Proposal) {
			item, _ := p.Action.Parameters["item"].(string)
			result := schema.ActionResult{Accepted: stock[item] > 0, Reason: "none is left"}
			if result.Accepted {
				stock[item]--
				result.Reason = ""
			}
			if err := c.ActionResult(ctx, p, result); err != nil {
				fmt.Println(err)
			}
		})
	}()

	give := schema.ActionSpec{Name: "give_item", Confirm: true, SpeechActs: []string{"Take this salve."},
		Parameters: []byte(`{"type":"object","properties":{"item":{"enum":["salve"]}},"required":["item"]}`)}
	for range 2 {
		turn, err := c.Say(ctx, schema.Request{World: "village", NPC: "mira", Player: "p42",
			Message:        "Give me the salve, I will take it.",
			AllowedActions: []schema.ActionSpec{give}})
		if err != nil {
			fmt.Println(err)
			return
		}
		reply, err := turn.Reply(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(reply.Text)
	}
	cancel()
	if err := <-carriedOut; err != nil {
		fmt.Println(err)
	}
	// Output:
	// Take this salve.
	// That stays with me.
}

// What the game saw happen is remembered by those who saw it.
func ExampleClient_Witness() {
	url, stop := village()
	defer stop()
	ctx := context.Background()
	c, err := client.Connect(ctx, url, client.Options{NewID: func() string { return "ev1" }})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	seen := schema.Occurrence{World: "village", Text: "Ansel gave Mira a lantern.", Player: "p42",
		Witnesses: []string{"mira"}}
	if err := c.Witness(ctx, &seen); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(seen.ID)
	// Output:
	// ev1
}

// The verifier by itself: which claims of a text do these sources support?
func ExampleClient_CheckGrounding() {
	url, stop := village()
	defer stop()
	ctx := context.Background()
	c, err := client.Connect(ctx, url, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	result, err := c.CheckGrounding(ctx, schema.CheckQuery{
		Text:    "Teague owns the ferry. A crossing costs nine bits.",
		Sources: []schema.CheckSource{{ChunkID: "ferry", Content: "Teague owns the ferry. A crossing costs two bits."}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Grounded)
	for _, claim := range result.Claims {
		fmt.Println(claim.Verdict, claim.Claim)
	}
	// Output:
	// false
	// supported Teague owns the ferry.
	// contradicted A crossing costs nine bits.
}
