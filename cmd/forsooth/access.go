package main

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
)

type keysCmd struct {
	Add    keysAddCmd    `cmd:"" help:"Make a key and print it, once: the file keeps its hash."`
	List   keysListCmd   `cmd:"" help:"List keys and what they may do."`
	Remove keysRemoveCmd `cmd:"" help:"Take a key away; its players' tokens end with it."`
}

type keysAddCmd struct {
	Name   string   `arg:"" help:"Of the backend that shows it."`
	In     []string `help:"A world in which it may do that; all otherwise." placeholder:"WORLD"`
	May    []string `help:"What it may do: play, read, operate." default:"play,read" placeholder:"RIGHT"`
	Player string   `help:"The one player that it speaks as." placeholder:"ID"`
	Users  bool     `help:"OpenAI's field user names the player: for a chat server with sign-in."`
	Rate   float64  `help:"Requests a second that it may make; 0: 100."`
}

// madeKey is what `keys add --json` prints once.
type madeKey struct {
	Key string `json:"key"`
	ID  string `json:"id"`
}

// Run makes a key.
func (c *keysAddCmd) Run(e *env) error {
	ring, err := e.ring()
	if err != nil {
		return usage(err)
	}
	k := access.Key{Name: c.Name, Worlds: c.In, Player: c.Player, Users: c.Users, Rate: c.Rate}
	for _, r := range c.May {
		k.Rights = append(k.Rights, access.Right(r))
	}
	made, text, err := access.Make(k, rand.Reader, time.Now())
	if err != nil {
		return usage(err)
	}
	if err := ring.Add(made); err != nil {
		return failed(err)
	}
	if e.json {
		return e.printJSON(madeKey{text, made.ID})
	}
	fmt.Fprintln(e.err, "this key is shown once; a running gateway takes it within a second")
	_, err = fmt.Fprintln(e.out, text)
	return err
}

type keysListCmd struct{}

// shownKey is a key without what opens a door.
type shownKey struct {
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Worlds  []string       `json:"worlds"` // empty: all
	Rights  []access.Right `json:"rights"`
	Player  string         `json:"player,omitempty"`
	Users   bool           `json:"users,omitempty"`
	Rate    float64        `json:"rate,omitempty"`
	Created time.Time      `json:"created"`
}

// Run lists the keys.
func (c *keysListCmd) Run(e *env) error {
	ring, err := e.ring()
	if err != nil {
		return usage(err)
	}
	all, err := ring.List()
	if err != nil {
		return failed(err)
	}
	asked, err := ring.Asked()
	if err != nil {
		return failed(err)
	}
	switch {
	case e.json || len(all) > 0:
	case asked:
		fmt.Fprintf(e.out, "there are no keys, and nobody is let in; without the file %s this machine would be\n",
			ring.Path())
	default:
		fmt.Fprintln(e.out, "there are no keys: the doors are open to this machine alone")
	}
	for i := range all {
		k := &all[i]
		if e.json {
			if err := e.printJSON(shownKey{k.ID, k.Name, append([]string{}, k.Worlds...), k.Rights, k.Player, k.Users,
				k.Rate, k.Created}); err != nil {
				return err
			}
			continue
		}
		where := "all worlds"
		if len(k.Worlds) > 0 {
			where = strings.Join(k.Worlds, ", ")
		}
		who := ""
		if k.Player != "" {
			who = ", as player " + k.Player
		}
		fmt.Fprintf(e.out, "%s  %s: %s in %s%s, made %s\n", k.ID, k.Name, joined(k.Rights), where, who,
			k.Created.Format(time.DateOnly))
	}
	return nil
}

func joined(rights []access.Right) string {
	var out []string
	for _, r := range rights {
		out = append(out, string(r))
	}
	return strings.Join(out, ", ")
}

type keysRemoveCmd struct {
	Which string `arg:"" help:"The key's id or name."`
}

// Run takes keys away.
func (c *keysRemoveCmd) Run(e *env) error {
	ring, err := e.ring()
	if err != nil {
		return usage(err)
	}
	n, err := ring.Remove(c.Which)
	if err != nil {
		return failed(err)
	}
	if e.json {
		return e.printJSON(map[string]int{"removed": n})
	}
	_, err = fmt.Fprintf(e.out, "%d taken away; a running gateway knows it within a second\n", n)
	return err
}

// accountsCmd writes who may do what on the broker.
type accountsCmd struct {
	Names []string `arg:"" optional:"" name:"worlds" help:"Worlds that have backends; default: those of the settings."`
}

// Run prints the part of a nats-server's configuration that names every user.
func (c *accountsCmd) Run(e *env) error {
	names := c.Names
	if len(names) == 0 {
		ws, err := e.worlds()
		if err != nil {
			return err
		}
		for _, w := range ws {
			names = append(names, w.Name)
		}
	}
	config, err := access.BrokerConfig(names)
	if err != nil {
		return usage(err)
	}
	if e.json {
		roles, err := access.Roles(names)
		if err != nil {
			return usage(err)
		}
		return e.printJSON(roles)
	}
	_, err = fmt.Fprint(e.out, config)
	return err
}
