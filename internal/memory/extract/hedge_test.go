package extract_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
)

// A hedge is the player's own, as it was said, and of the statement it stands with. The
// words that prove a statement hold its hedge, and nothing is proved by a hedge alone.
func TestWhoseHedgeItIs(t *testing.T) {
	cases := []struct{ said, of, hedge string }{
		{"I'm not quite sure it was Tom.", "not quite sure it was Tom", "not quite sure"},
		{"I'm not at all sure that Bram owns the mill.", "owns the mill", "not at all sure"},
		{"I can't say for certain that Bram lied.", "Bram lied", "can't say for certain"},
		{"I'm unsure whether Bram owns the mill.", "owns the mill", "unsure"},
		{"Tom is sure the mill burned down.", "the mill burned", ""},
		{"Bram is not certain that the ferry sank.", "the ferry sank", ""},
		{"I own a boat, I'm pretty sure.", "own a boat", "pretty sure"},
		{"I live in Oakham. I'm not sure.", "live in Oakham", "not sure"},
		{"I own a boat but I'm not sure where it is.", "own a boat", ""},
		{"I own a boat. I'm almost certain I'll sail it.", "own a boat", ""},
		{"The ferry might sink, but I own a boat.", "own a boat", ""},
		{"I live in Oakham. I mean Ferrytown. I think so.", "live in Ferrytown", "I think"},
	}
	for _, c := range cases {
		found := false
		for _, m := range extract.FromReply(reply(c.said), ansel) {
			if !strings.Contains(m.Content, c.of) {
				continue
			}
			found = true
			last := m.Spans[len(m.Spans)-1].Text
			if m.Hedge != c.hedge || !strings.Contains(last, c.hedge) || c.hedge != "" && last == c.hedge {
				t.Errorf("%s: the hedge %q, want %q; of the words %q", c.said, m.Hedge, c.hedge, last)
			}
			if strings.HasPrefix(m.Object, "not ") {
				t.Errorf("%s: holds the contrary, %q", c.said, m.Object)
			}
		}
		if !found {
			t.Errorf("%s: nothing says %q", c.said, c.of)
		}
	}
}

// A time has a day only where the words give one: no duration is a day, and nothing that
// is past lies ahead.
func TestTheDayOfATime(t *testing.T) {
	for said, want := range map[string]string{
		"I'll be back in three days.":      "1402-05-06",
		"I left three days ago.":           "1402-04-30",
		"I sail at the end of April.":      "1403-04-30",
		"I have two weeks.":                "",
		"I stayed there for three days.":   "",
		"I finished it in three days.":     "",
		"I was there at the end of April.": "",
		"On Friday I came home.":           "",
	} {
		got := extract.FromReply(reply(said), ansel)
		day := ""
		if len(got) == 1 && !got[0].WhenAt.IsZero() {
			day = got[0].WhenAt.Format("2006-01-02")
		}
		if len(got) != 1 || day != want {
			t.Errorf("%s: %d candidates, of %q; want %q", said, len(got), day, want)
		}
	}
}
