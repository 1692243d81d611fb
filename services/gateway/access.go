package gateway

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// caller is who makes a request, by what it has shown.
type caller struct {
	key   *access.Key   // nil: it is on this machine, and there are no keys
	grant *access.Grant // of a player's token
}

func (c *caller) may(right access.Right, world string) error {
	switch {
	case c.key == nil:
		return nil
	case c.grant != nil && (right != access.Play || world != "" && world != c.grant.World):
		return problem(http.StatusForbidden, CodeForbidden, "a player's token plays in its own world, and does "+
			"nothing else")
	case !c.key.May(right, world):
		return problem(http.StatusForbidden, CodeForbidden, "the key has no right to this: it takes the right %q%s",
			right, inWorld(world))
	}
	return nil
}

func inWorld(world string) string {
	if world == "" {
		return ""
	}
	return " in that world"
}

// player is who speaks: the player that the caller is kept to, else the one it names.
func (c *caller) player(named string) (string, error) {
	bound := ""
	switch {
	case c.grant != nil:
		bound = c.grant.Player
	case c.key != nil:
		bound = c.key.Player
	}
	if bound != "" && named != "" && named != bound {
		return "", problem(http.StatusForbidden, CodeForbidden,
			"this key or token speaks as another player").on("player")
	}
	if bound != "" {
		return bound, nil
	}
	return named, schema.CheckToken("player", named)
}

// with says whether the caller may talk to an NPC.
func (c *caller) with(npc string) error {
	if c.grant != nil && c.grant.NPC != "" && c.grant.NPC != npc {
		return problem(http.StatusForbidden, CodeForbidden, "the token is for another NPC").on("npc")
	}
	return nil
}

// enter finds out who calls. No header says who somebody is: a key or token proves it.
func (g *Gateway) enter(r *http.Request) (*caller, error) {
	if err := g.origin(r); err != nil {
		return nil, err
	}
	asked, err := g.asksKeys()
	if err != nil {
		return nil, err
	}
	if !asked {
		if !fromHere(r) {
			return nil, problem(http.StatusForbidden, CodeForbidden, "without a key this gateway takes requests of "+
				"its own machine alone; `forsooth keys add` makes one")
		}
		return &caller{}, nil
	}
	shown := credential(r)
	if shown == "" {
		return nil, problem(http.StatusUnauthorized, CodeUnauthorized,
			"show a key or a player's token: Authorization: Bearer …")
	}
	key, grant, err := g.keys.Find(shown)
	if err != nil {
		return nil, err
	}
	return &caller{key: key, grant: grant}, nil
}

// asksKeys says whether a key must be shown.
func (g *Gateway) asksKeys() (bool, error) {
	if g.keys == nil {
		return false, nil
	}
	return g.keys.Asked()
}

// bearerProtocol begins the name of a WebSocket protocol that holds what a browser
// cannot put into a header of its own.
const bearerProtocol = "bearer."

func credential(r *http.Request) string {
	if scheme, text, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "bearer") {
		return strings.TrimSpace(text)
	}
	for _, p := range strings.Split(r.Header.Get("Sec-WebSocket-Protocol"), ",") {
		if text, is := strings.CutPrefix(strings.TrimSpace(p), bearerProtocol); is {
			return text
		}
	}
	return ""
}

// fromHere says whether a request comes from this machine and was meant for it. A page
// elsewhere whose name was made to lead here has another host; what a proxy passes on
// comes from elsewhere.
func fromHere(r *http.Request) bool {
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !addr.Addr().Unmap().IsLoopback() || !isLoopbackHost(r.Host) {
		return false
	}
	for h := range r.Header {
		if h == "Forwarded" || h == "Via" || h == "X-Real-Ip" || strings.HasPrefix(h, "X-Forwarded-") {
			return false
		}
	}
	return r.ProtoAtLeast(1, 1) // proxies that say nothing of themselves speak 1.0
}

func isLoopbackHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}

// MayListen refuses an address that others reach while there is no key.
func (g *Gateway) MayListen(addr net.Addr) error {
	asked, err := g.asksKeys()
	if err != nil || asked {
		return err
	}
	at, err := netip.ParseAddrPort(addr.String())
	if err == nil && at.Addr().Unmap().IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s is reached from elsewhere, and there is no key: make one with `forsooth keys add NAME`, "+
		"or listen on 127.0.0.1", addr)
}

func checkOrigin(origin string) error {
	if origin == "*" {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme+"://"+u.Host != origin {
		return fmt.Errorf("http.origins: %q is no origin; write scheme and host, such as https://game.example", origin)
	}
	return nil
}

// origin refuses web pages that are not named. Where there are no keys, pages of this
// machine are let in, and "*" is nobody: a page anywhere could speak as any player.
func (g *Gateway) origin(r *http.Request) error {
	origin := r.Header.Get("Origin")
	if origin == "" || g.origins[origin] {
		return nil
	}
	asked, err := g.asksKeys()
	if err != nil {
		return err
	}
	u, err := url.Parse(origin)
	switch {
	case asked && g.origins["*"]:
		return nil
	case err == nil && u.Host != "" && u.Host == r.Host:
		return nil
	case err == nil && !asked && isLoopbackHost(u.Host):
		return nil
	}
	return problem(http.StatusForbidden, CodeOrigin, "web pages of this origin may not call; name it in http.origins")
}

// share lets a page that may call read the answer.
func share(h http.Header, origin string) {
	h.Add("Vary", "Origin")
	if origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Retry-After, Location, X-Request-Id")
	}
}

// preflight answers a browser that asks before it calls.
func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, "+
		"X-Forsooth-Explain, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, "+
		"OpenAI-Organization, OpenAI-Project, X-Stainless-Arch, X-Stainless-Lang, X-Stainless-OS, "+
		"X-Stainless-Package-Version, "+
		"X-Stainless-Retry-Count, X-Stainless-Runtime, X-Stainless-Runtime-Version, X-Stainless-Timeout")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}

var errGone = errors.New("the caller has gone")
