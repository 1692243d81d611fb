// Package accounts says who may do what on the broker, one user for each service,
// for the game servers of each world and for the operators' commands, and writes it
// as a configuration of nats-server. It is a table: it knows the subjects, streams
// and consumers of the mesh, and connects to nothing. It holds no secret: each
// password is a variable of the server's environment.
package accounts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Roles are all users of a mesh that serves these worlds.
func Roles(worlds []string) ([]Role, error) {
	worlds = slices.Clone(worlds)
	slices.Sort(worlds)
	worlds = slices.Compact(worlds)
	out := append(Services(), Operator())
	named := map[string]string{}
	for _, w := range worlds {
		if err := schema.CheckToken("world", w); err != nil {
			return nil, err
		}
		r := Backend(w)
		if other := named[r.Variable()]; other != "" {
			return nil, fmt.Errorf("the worlds %s and %s would have their password in one variable, %s; rename one of them", other, w, r.Variable())
		}
		named[r.Variable()] = w
		out = append(out, r)
	}
	return out, nil
}

// Variable is the environment variable of the server that holds the role's password,
// plain or as bcrypt has it.
func (r Role) Variable() string {
	return "NATS_PASSWORD_" + strings.ToUpper(strings.ReplaceAll(r.Name, "-", "_"))
}

// Config is the part of a nats-server's configuration that knows these roles and
// nobody else. The same worlds give the same text.
func Config(worlds []string) (string, error) {
	roles, err := Roles(worlds)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString(`# Made by "forsooth nats-accounts"; do not edit. To be included in the configuration
# of nats-server: include nats-accounts.conf
#
# Who may do what. Whoever is not named here may not connect. A password is a variable
# of the server's environment: letters and digits beginning with a letter, or a
# bcrypt hash of nats server passwd.
authorization {
  users: [
`)
	for _, r := range roles {
		fmt.Fprintf(&out, "    { # %s\n      user: %q\n      password: $%s\n      permissions {\n", r.About, r.Name, r.Variable())
		list(&out, "publish", r.Publish)
		list(&out, "subscribe", r.Subscribe)
		if r.Answers {
			// One answer; a cancel is heard twice in one process, and the broker counts the
			// second hearing.
			out.WriteString("        allow_responses { max: 2, expires: \"1m\" }\n")
		}
		out.WriteString("      }\n    }\n")
	}
	out.WriteString("  ]\n}\n")
	return out.String(), nil
}

func list(out *strings.Builder, what string, subjects []string) {
	fmt.Fprintf(out, "        %s {\n          allow: [\n", what)
	for _, s := range subjects {
		fmt.Fprintf(out, "            %q\n", s)
	}
	out.WriteString("          ]\n        }\n")
}
