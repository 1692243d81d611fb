package main

import (
	"bytes"
	"compress/gzip"
	"testing"
)

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The reader is measured on stories that training leaves out, and on no others.
func TestReaderIsMeasuredOnStoriesHeldOut(t *testing.T) {
	s := newSite(t)
	line := func(group string) string {
		return `{"question":"Who burned the mill?","group":"` + group + `","passages":[` +
			`{"text":"Lucan burned the mill.","answers":1},{"text":"The mere is deep.","answers":0}]}` + "\n"
	}
	held, trained := "", ""
	for _, group := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		if (&story{Group: group}).held() {
			held += line(group)
		} else {
			trained += line(group)
		}
	}
	r := s.run("reader", s.write("both.jsonl.gz", zipped(t, held+trained)), "--json")
	r.wants(t, exitFine)
	if out := r.object(t); out["figures"] == nil {
		t.Errorf("%v", out)
	}
	s.run("reader", s.write("trained.jsonl.gz", zipped(t, trained))).wants(t, exitUsage)
	s.run("reader", s.write("plain.jsonl", line("a"))).wants(t, exitUsage)
}
