package limits

// This file decides which hosts this process may send requests to: models, the entailment
// sidecar, the embeddings' endpoint, moderation hooks. A list of hosts bounds what settings and
// worlds may name. Addresses at which clouds hand out credentials are refused in any case, unless
// they stand in the list.

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Hosts are the hosts that may be asked: names, addresses, either with a port, and
// *.example.com for all names under one. The zero value lets every host be asked
// but those that hand out credentials.
type Hosts struct{ list []string }

// ErrHost is wrapped by every refusal.
var ErrHost = errors.New("this host may not be asked")

// ParseHosts reads a list.
func ParseHosts(list []string) (Hosts, error) {
	var out Hosts
	for _, h := range list {
		h = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(h), "."))
		name := strings.TrimPrefix(h, "*.")
		if name == "" || strings.ContainsAny(name, "/*@ ?#") || strings.HasPrefix(h, "*.") && net.ParseIP(name) != nil {
			return Hosts{}, fmt.Errorf("%q is no host; write names such as llm.example.com, llm.example.com:8443 or "+
				"*.example.com", h)
		}
		out.list = append(out.list, h)
	}
	return out, nil
}

// Bounded says whether there is a list.
func (h Hosts) Bounded() bool { return len(h.list) > 0 }

// named says whether the list names a host, by itself or with the port.
func (h Hosts) named(host, port string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return slices.ContainsFunc(h.list, func(one string) bool {
		if under, ok := strings.CutPrefix(one, "*."); ok {
			return strings.HasSuffix(host, "."+under)
		}
		if one == host || one == net.JoinHostPort(host, port) {
			return true
		}
		return strings.Trim(one, "[]") == strings.Trim(host, "[]")
	})
}

// Check says whether an address may be asked, as far as its text tells.
func (h Hosts) Check(address *url.URL) error {
	host, port := address.Hostname(), address.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[address.Scheme]
	}
	if h.named(host, port) {
		return nil
	}
	if h.Bounded() {
		return fmt.Errorf("%s: %w; add it to outbound.hosts", host, ErrHost)
	}
	return refuseCredentials(host)
}

// metadataNames are the names under which clouds serve credentials to whoever asks.
var metadataNames = []string{"metadata", "metadata.google.internal", "metadata.goog", "instance-data",
	"instance-data.ec2.internal", "metadata.azure.internal"}

// metadata are their addresses that are not link-local.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fe80::/10"),
	netip.MustParsePrefix("fd00:ec2::254/128"),
	netip.MustParsePrefix("fd20:ce::254/128"), netip.MustParsePrefix("100.100.100.200/32"),
	netip.MustParsePrefix("192.0.0.192/32"), netip.MustParsePrefix("168.63.129.16/32"),
}

func refuseCredentials(host string) error {
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	addr, err := netip.ParseAddr(host)
	if slices.Contains(metadataNames, host) || err == nil && handsOut(addr) {
		return fmt.Errorf("%s: %w: clouds hand out credentials there; name it in outbound.hosts if that is meant", host,
			ErrHost)
	}
	return nil
}

func handsOut(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(metadata, func(p netip.Prefix) bool { return p.Contains(a) })
}

// control refuses an address that a name has turned out to have.
func (h Hosts) control(_, address string, _ syscall.RawConn) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if h.named(host, port) {
		return nil
	}
	return refuseCredentials(host)
}

// dialTimeout bounds how long a connection takes to come about.
const dialTimeout = 10 * time.Second

// Over makes a transport ask only hosts that may be asked: by name before a request
// is sent, and by address when a connection is made, whatever the name was.
func (h Hosts) Over(t *http.Transport) http.RoundTripper {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second, Control: h.control}
	t.DialContext = dialer.DialContext
	return &bounded{hosts: h, next: t}
}

type bounded struct {
	hosts Hosts
	next  *http.Transport
}

func (b *bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := b.hosts.Check(r.URL); err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	return b.next.RoundTrip(r)
}

func (b *bounded) CloseIdleConnections() { b.next.CloseIdleConnections() }

// ErrRedirect is a server that sends its callers elsewhere: nobody chose that host.
var ErrRedirect = errors.New("it redirects; write the address that it redirects to")

// NoRedirect is for the CheckRedirect of a client.
func NoRedirect(*http.Request, []*http.Request) error { return ErrRedirect }
