package main

import (
	"io"
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
)

// laterBy has a broker stand in another year, by what it says of its own time: the
// clock of this machine stays as it is. It gives the broker's other address.
func laterBy(t *testing.T, url, year string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	stamp := regexp.MustCompile(`"ts":"\d{4}-`)
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", strings.TrimPrefix(url, "nats://"))
			if err != nil {
				_ = near.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(far, near)
				_ = far.Close()
			}()
			go func() {
				defer near.Close()
				buf := make([]byte, 1<<20)
				for {
					n, err := far.Read(buf)
					if err != nil {
						return
					}
					if _, err := near.Write(stamp.ReplaceAll(buf[:n], []byte(`"ts":"`+year+`-`))); err != nil {
						return
					}
				}
			}()
		}
	}()
	return "nats://" + l.Addr().String()
}

// What a fleet finds unfit around it, it says in one line: what, where, and how to
// mend it. It ends with 3, or with 2 where its own settings are wrong.
func TestWhatAFleetFindsUnfit(t *testing.T) {
	s := newSite(t)
	village := s.village()
	plain, bare := natstest.Start(t, natstest.JetStream(t)), natstest.Start(t, "max_payload: 1MB\n")
	known := guarded(t, "village")
	s.run("migrate", "--apply", "--nats", plain.URL).wants(t, exitFine)
	foreign := natstest.Start(t, natstest.JetStream(t))
	s.run("migrate", "--apply", "--nats", foreign.URL).wants(t, exitFine)
	natstest.Stamp(t, foreign.URL, "REPLIES", "2.0")
	aged := natstest.Start(t, natstest.JetStream(t))
	s.run("migrate", "--apply", "--nats", aged.URL).wants(t, exitFine)
	natstest.Age(t, aged.URL, "REPLIES", 1<<40)

	user := func(name, password string) []string {
		return []string{"FORSOOTH_NATS_USER=" + name, "FORSOOTH_NATS_PASSWORD=" + password}
	}
	for _, c := range []struct {
		name string
		nats string
		env  []string
		args []string // further ones
		code int
		want []string
	}{
		{"a wrong password", known.URL, user("speaker", "wrong"), nil, exitDependency,
			[]string{known.URL, "does not take the user speaker", "nats.password_file"}},
		{"nobody", known.URL, nil, nil, exitDependency, []string{known.URL, "name a user in nats.user"}},
		{"a user who may not do this service's work", known.URL, user("backend-village", passwordOf("backend-village")), nil,
			exitDependency, []string{known.URL, "does not let this user ask for JetStream", "nats.user"}},
		{"streams that nobody has made", known.URL, user("speaker", passwordOf("speaker")), nil, exitDependency,
			[]string{"stream TURNS", "may not", "forsooth migrate --apply"}},
		{"a server without JetStream", bare.URL, nil, nil, exitDependency, []string{bare.URL, "has no JetStream", "-js"}},
		{"a stream of another version", aged.URL, nil, nil, exitDependency,
			[]string{"stream REPLIES", "max_age", "forsooth migrate --dry-run"}},
		{"a fleet of another major", foreign.URL, nil, nil, exitDependency,
			[]string{"stream REPLIES holds messages of schema 2.0 and this build reads 1.x", "another NATS account"}},
		{"a clock that disagrees", laterBy(t, plain.URL, "2001"), nil, nil, exitDependency,
			[]string{"this machine's clock is", "ahead of", "the broker's at nats://127.0.0.1", "NTP"}},
		{"a clock that disagrees the other way", laterBy(t, plain.URL, "2991"), nil, nil, exitDependency,
			[]string{"behind", "NTP"}},
		{"an unknown setting", plain.URL, []string{"FORSOOTH_NATS_USR=x"}, nil, exitUsage,
			[]string{"FORSOOTH_NATS_USR", "did you mean"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.extra = c.env
			defer func() { s.extra = nil }()
			r := s.run(append([]string{"serve", "speaker", "--world", village, "--nats", c.nats}, c.args...)...)
			r.wants(t, c.code, c.want...)
			if strings.Contains(r.err+r.out, "goroutine ") || r.out != "" {
				t.Errorf("it prints %q, %q", r.out, r.err)
			}
		})
	}
	s.extra = nil
	if r := s.run("doctor", "--nats", laterBy(t, plain.URL, "2001"), "--json"); r.code != exitDependency ||
		!strings.Contains(r.out, "NTP") {
		t.Errorf("doctor says %d %s", r.code, r.out)
	}

	qdrant := edgetest.Own(t, "--version", "2.0.1")
	for _, args := range [][]string{{"serve", "retriever", "--nats", plain.URL}, {"serve", "memory", "--nats", plain.URL},
		{"up"}} {
		r := s.run(append(args, "--world", village, "--qdrant", "http://"+qdrant.Addr)...)
		r.wants(t, exitDependency, qdrant.Addr, `"2.0.1"`, "version 1")
		if strings.Contains(r.err, "goroutine ") {
			t.Errorf("%v ends with a trace: %s", args, r.err)
		}
	}
}
