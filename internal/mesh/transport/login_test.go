package transport

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
)

const secret = "hunter2-secret"

func known(text string) func() (string, error) { return func() (string, error) { return text, nil } }

// authority signs certificates for the tests.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	a.cert, a.key = a.issue("ca", nil)
	return a
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// issue writes NAME.pem and NAME.key; with a host it is a certificate for that host,
// without one an authority.
func (a *authority) issue(name string, hosts []string) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(a.t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	parent, signer := a.cert, a.key
	if hosts == nil {
		template.IsCA = true
		parent, signer = template, key
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	must(a.t, err)
	private, err := x509.MarshalECPrivateKey(key)
	must(a.t, err)
	must(a.t, os.WriteFile(a.file(name+".pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(a.t, os.WriteFile(a.file(name+".key"), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}),
		0o600))
	cert, err := x509.ParseCertificate(der)
	must(a.t, err)
	return cert, key
}

func TestConnectSaysInOneLineWhyTheBrokerIsOfNoUse(t *testing.T) {
	own, other := newAuthority(t), newAuthority(t)
	own.issue("server", []string{"127.0.0.1"})
	own.issue("elsewhere", []string{"nats.example"})
	own.issue("client", []string{"client"})
	withTLS := func(cert, more string) string {
		return fmt.Sprintf("tls { cert_file: %q, key_file: %q\n%s }\n", own.file(cert+".pem"), own.file(cert+".key"), more)
	}
	users := "authorization { users: [ { user: game, password: " + secret + " } ] }\n"
	garbage := own.file("garbage.pem")
	must(t, os.WriteFile(garbage, []byte("no certificate"), 0o600))
	password := func(p string) Login { return Login{User: "game", Password: known(p)} }
	js := natstest.JetStream(t)
	type attempt struct {
		name  string
		login Login
		want  string // of the error; empty: there is none
	}
	for _, server := range []struct {
		config   string
		attempts []attempt
	}{
		{users + js, []attempt{
			{"the right password", password(secret), ""},
			{"the wrong password", password(secret + "x"), "does not take the user game with this password; mend nats.user"},
			{"no password", Login{User: "game"}, "does not take the user game"},
			{"nobody", Login{}, "wants to know who connects; name a user in nats.user"},
			{"nobody, with settings that name no token", Login{Token: known("")},
				"wants to know who connects; name a user in nats.user"},
			{"credentials that are none", Login{Creds: garbage}, "nats.creds"},
			{"credentials that are not there", Login{Creds: own.file("nowhere")}, "nats.creds cannot be read"},
			{"a password that cannot be read",
				Login{User: "game", Password: func() (string, error) { return "", errors.New("no file") }}, "no file"},
		}},
		{"authorization { token: " + secret + " }\n" + js, []attempt{
			{"a token", Login{Token: known(secret)}, ""},
			{"a wrong token", Login{Token: known("other")}, "mend nats.token_file"},
		}},
		{withTLS("server", "") + js, []attempt{
			{"an authority that is known", Login{CA: own.file("ca.pem")}, ""},
			{"no authority", Login{}, "signed by an authority that is not trusted here; name the authority's certificate " +
				"in nats.tls.ca"},
			{"another authority", Login{CA: other.file("ca.pem")}, "signed by an authority that is not trusted here"},
			{"an authority that is no file", Login{CA: own.file("nowhere")}, "nats.tls.ca cannot be read"},
			{"an authority that is no certificate", Login{CA: garbage}, "holds no certificate"},
			{"a certificate without its key",
				Login{CA: own.file("ca.pem"), Cert: own.file("client.pem"), Key: own.file("server.key")},
				"nats.tls.cert and nats.tls.key are no certificate and its key"},
		}},
		{withTLS("elsewhere", "") + js, []attempt{
			{"a certificate for another host", Login{CA: own.file("ca.pem")}, "certificate is for another host"},
		}},
		{withTLS("server", fmt.Sprintf("verify: true, ca_file: %q", own.file("ca.pem"))) + js, []attempt{
			{"a client's certificate", Login{CA: own.file("ca.pem"), Cert: own.file("client.pem"),
				Key: own.file("client.key")}, ""},
			{"no client's certificate", Login{CA: own.file("ca.pem")}, "takes no client without a certificate"},
		}},
		{js, []attempt{
			{"a server without TLS", Login{CA: own.file("ca.pem")}, "it has no TLS"},
		}},
		{"max_payload: 1MB\n", []attempt{
			{"a server without JetStream", Login{}, "has no JetStream; start it with -js"},
		}},
		{js + "accounts { A { users: [ { user: game, password: " + secret +
			" } ] }, B { jetstream: enabled, users: [ { user: other, password: x } ] } }\n", []attempt{
			{"an account without JetStream", password(secret), "has no JetStream for this account"},
		}},
		{js + "authorization { users: [ { user: game, password: " + secret +
			", permissions: { publish: \"x\", subscribe: \">\" } } ] }\n", []attempt{
			{"a user who may not ask", password(secret), "right to publish $JS.API.INFO"},
		}},
	} {
		s := natstest.Start(t, server.config)
		for _, c := range server.attempts {
			t.Run(c.name, func(t *testing.T) { checkConnect(t, s.URL, c.login, c.want) })
		}
		s.Stop()
	}
}

func checkConnect(t *testing.T, url string, login Login, want string) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	conn, err := Connect(ctx, Dial{URL: url, Login: login, Name: t.Name()})
	if err == nil {
		conn.Close()
	}
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want == "":
	case err == nil || !strings.Contains(err.Error(), want):
		t.Errorf("got %v, want %q in it", err, want)
	case strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "\n"):
		t.Errorf("it holds the secret, or more than one line: %v", err)
	}
}

// A secret in an address would be printed with it.
func TestAnAddressHoldsNoSecret(t *testing.T) {
	for _, url := range []string{"nats://game:" + secret + "@127.0.0.1:1",
		"nats://127.0.0.1:1, nats://" + secret + "@127.0.0.1:2"} {
		_, err := Connect(t.Context(), Dial{URL: url})
		if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "no plain one") {
			t.Errorf("got %v", err)
		}
	}
}

// A password that changes is read again at the next connection, and a connection
// that was refused meanwhile is made as soon as it is right.
func TestAPasswordMayChangeWhileTheProcessRuns(t *testing.T) {
	js := natstest.JetStream(t)
	users := func(password string) string {
		return "authorization { users: [ { user: game, password: " + password + " } ] }\n" + js
	}
	s := natstest.Start(t, users("first"))
	var now atomic.Value
	now.Store("first")
	conn, err := Connect(t.Context(),
		Dial{URL: s.URL, Login: Login{User: "game", Password: func() (string, error) { return now.Load().(string), nil }}})
	must(t, err)
	defer conn.Close()
	s.Configure(users("second"))
	s.Reload()
	time.Sleep(time.Second) // it is refused more often than a library gives up after
	now.Store("second")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := conn.Setup(ctx, Settings{}); err != nil {
		t.Errorf("not connected again: %v", err)
	}
}
