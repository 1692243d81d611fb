package main

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/access"
)

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
