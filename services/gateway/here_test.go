package gateway

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Without keys the gateway serves its own machine alone: what a proxy on that machine
// passes on comes from elsewhere.
func TestWhatAProxyPassesOnIsNotFromHere(t *testing.T) {
	for _, c := range []struct {
		name   string
		header string
		minor  int
		here   bool
	}{
		{"a program of this machine", "", 1, true},
		{"a proxy that names the client", "X-Forwarded-For", 1, false},
		{"a proxy that names the host", "X-Forwarded-Host", 1, false},
		{"a proxy that names the scheme", "X-Forwarded-Proto", 1, false},
		{"a proxy that names itself", "Via", 1, false},
		{"a proxy that names nothing, as nginx does", "", 0, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080/v1/worlds", nil)
		r.RemoteAddr, r.ProtoMinor = "127.0.0.1:5050", c.minor
		if c.header != "" {
			r.Header.Set(c.header, "a")
		}
		if got := fromHere(r); got != c.here {
			t.Errorf("%s: from here %v", c.name, got)
		}
	}
}
