package limits_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/limits"
)

func TestWhichHostsMayBeAsked(t *testing.T) {
	for _, c := range []struct {
		list []string
		url  string
		ok   bool
	}{
		{nil, "http://127.0.0.1:11434/v1", true},
		{nil, "https://api.example.com/v1", true},
		{nil, "http://169.254.169.254/latest/meta-data", false},
		{nil, "http://[fd00:ec2::254]/", false},
		{nil, "http://[fe80::1]/", false},
		{nil, "http://[::ffff:169.254.169.254]/", false},
		{nil, "http://169.254.170.2/v2/credentials", false},
		{nil, "http://100.100.100.200/", false},
		{nil, "http://metadata.google.internal./computeMetadata", false},
		{nil, "http://METADATA/", false},
		{[]string{"169.254.169.254"}, "http://169.254.169.254/", true},
		{[]string{"api.example.com"}, "https://api.example.com/v1", true},
		{[]string{"api.example.com"}, "https://API.example.com./v1", true},
		{[]string{"api.example.com"}, "https://api.example.com.evil.example/v1", false},
		{[]string{"api.example.com"}, "https://other.example.com/v1", false},
		{[]string{"*.example.com"}, "https://a.b.example.com/", true},
		{[]string{"*.example.com"}, "https://example.com/", false},
		{[]string{"*.example.com"}, "https://badexample.com/", false},
		{[]string{"api.example.com:443"}, "https://api.example.com/", true},
		{[]string{"api.example.com:443"}, "https://api.example.com:8443/", false},
		{[]string{"::1"}, "http://[::1]:8400/", true},
		{[]string{"127.0.0.1"}, "http://127.0.0.1:8400/", true},
		{[]string{"127.0.0.1"}, "http://169.254.169.254/", false},
	} {
		hosts, err := limits.ParseHosts(c.list)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		err = hosts.Check(u)
		if (err == nil) != c.ok {
			t.Errorf("%v, %s: %v", c.list, c.url, err)
		}
		if err != nil && (!errors.Is(err, limits.ErrHost) || !strings.Contains(err.Error(), "outbound.hosts")) {
			t.Errorf("%s: %v does not say how to mend it", c.url, err)
		}
	}
}

func TestWhatIsNoHost(t *testing.T) {
	for _, bad := range []string{"", "*.", "https://api.example.com", "a b", "*.1.2.3.4", "a*.example.com", "user@host"} {
		if _, err := limits.ParseHosts([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// A name that turns out to be such an address is refused when it is dialled, a host
// beside the list before anything is sent, and a redirect is not followed.
func TestRequestsGoOnlyWhereTheyMay(t *testing.T) {
	reached := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached++
		if r.URL.Path == "/elsewhere" {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		}
	}))
	defer server.Close()
	client := func(list ...string) *http.Client {
		hosts, err := limits.ParseHosts(list)
		if err != nil {
			t.Fatal(err)
		}
		transport := hosts.Over(&http.Transport{DisableKeepAlives: true})
		return &http.Client{Transport: transport, CheckRedirect: limits.NoRedirect}
	}
	get := func(c *http.Client, url string) error {
		resp, err := c.Get(url)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	}
	if err := get(client(), server.URL); err != nil || reached != 1 {
		t.Errorf("a host that may be asked: %v", err)
	}
	if err := get(client("api.example.com"), server.URL); !errors.Is(err, limits.ErrHost) || reached != 1 {
		t.Errorf("a host beside the list: %v, reached %d", err, reached)
	}
	if err := get(client(), server.URL+"/elsewhere"); !errors.Is(err, limits.ErrRedirect) {
		t.Errorf("a redirect: %v", err)
	}
	// 0xa9fea9fe and 2852039166 are 169.254.169.254 to some resolvers; either they are
	// names that nobody has, or the address is refused.
	for _, odd := range []string{"http://0xa9fea9fe/", "http://2852039166/", "http://169.254.43518/"} {
		if err := get(client(), odd); err == nil {
			t.Errorf("%s was asked", odd)
		}
	}
	// A name in the list does not let its address be anything.
	proxied := &http.Transport{DisableKeepAlives: true,
		Proxy: func(*http.Request) (*url.URL, error) { return url.Parse("http://169.254.169.254:80") }}
	hosts, _ := limits.ParseHosts([]string{"api.example.com"})
	if err := get(&http.Client{Transport: hosts.Over(proxied)}, "http://api.example.com/"); !errors.Is(err,
		limits.ErrHost) {
		t.Errorf("by way of another host: %v", err)
	}
}
