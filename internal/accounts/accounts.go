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
	out := append(Services(), Gateway(), Operator())
	named := map[string]string{}
	for _, w := range worlds {
		if err := schema.CheckToken("world", w); err != nil {
			return nil, err
		}
		r := Backend(w)
		if other := named[r.Variable()]; other != "" {
			return nil, fmt.Errorf("the worlds %s and %s would have their password in one variable, %s; rename one of them",
				other, w, r.Variable())
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

// account is that of the mesh, which alone holds streams.
const account = "FORSOOTH"

// Config is the part of a nats-server's configuration that knows these roles and
// nobody else. The same worlds give the same text.
//
// The game servers of a world have an account of their own, into which the mesh's
// lends them the subjects of their world. A permission alone would not keep them
// there: a broker writes its acknowledgement of a message to whatever subject the
// message names, and only another account's subjects are out of its reach.
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
# bcrypt hash of "nats server passwd".
accounts {
`)
	fmt.Fprintf(&out, "  %s {\n    jetstream: enabled\n    exports: [\n", account)
	for _, r := range roles {
		each(r, func(kind, subject string) {
			fmt.Fprintf(&out, "      { %s: %q, accounts: [%q] }\n", kind, subject, r.Account)
		})
	}
	out.WriteString("    ]\n    users: [\n")
	for _, r := range roles {
		if r.Account == account {
			user(&out, r)
		}
	}
	out.WriteString("    ]\n  }\n")
	for _, r := range roles {
		if r.Account == account {
			continue
		}
		fmt.Fprintf(&out, "  %q {\n    imports: [\n", r.Account)
		each(r, func(kind, subject string) {
			fmt.Fprintf(&out, "      { %s: { account: %s, subject: %q } }\n", kind, account, subject)
		})
		out.WriteString("    ]\n    users: [\n")
		user(&out, r)
		out.WriteString("    ]\n  }\n")
	}
	out.WriteString("}\n")
	return out.String(), nil
}

// each gives what an account of its own is lent: what its user may ask and hear, but
// for the answers.
func each(r Role, f func(kind, subject string)) {
	if r.Account == account {
		return
	}
	for _, s := range r.Publish {
		f("service", s)
	}
	for _, s := range r.Subscribe {
		if !strings.HasPrefix(s, "_INBOX_") {
			f("stream", s)
		}
	}
}

func user(out *strings.Builder, r Role) {
	fmt.Fprintf(out, "      { # %s\n        user: %q\n        password: $%s\n        permissions {\n", r.About, r.Name,
		r.Variable())
	list(out, "publish", r.Publish)
	list(out, "subscribe", r.Subscribe)
	if r.Answers {
		// One answer; a cancel is heard twice in one process, and the broker counts the
		// second hearing.
		out.WriteString("          allow_responses { max: 2, expires: \"1m\" }\n")
	}
	out.WriteString("        }\n      }\n")
}

func list(out *strings.Builder, what string, subjects []string) {
	fmt.Fprintf(out, "          %s {\n            allow: [\n", what)
	for _, s := range subjects {
		fmt.Fprintf(out, "              %q\n", s)
	}
	out.WriteString("            ]\n          }\n")
}
