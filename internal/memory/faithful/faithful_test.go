package faithful_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var usual = guards.Default().Faithfulness.Risk

func claim(s string, label schema.Label) schema.ClaimVerdict {
	return schema.ClaimVerdict{Claim: s, Kind: schema.ClaimWorld, Verdict: schema.Verdict{Label: label}}
}

// reply has so many supported claims, and unsupported ones with and without a
// number in them.
func reply(supported, critical, plain int) []schema.ClaimVerdict {
	var out []schema.ClaimVerdict
	for range supported {
		out = append(out, claim("The mill grinds rye.", schema.Supported))
	}
	for range critical {
		out = append(out, claim("The mill has 12 wheels.", schema.Unverifiable))
	}
	for range plain {
		out = append(out, claim("The flour is good.", schema.Unverifiable))
	}
	return out
}

func TestThePapersExampleIsHigh(t *testing.T) {
	s := faithful.Of([]schema.ClaimVerdict{
		claim("Inbox3 is at 60% completion.", schema.Supported),
		claim("The main blockers are OAuth and rate limits.", schema.Supported),
		claim("Your team has 3 engineers.", schema.Unverifiable),
		claim("The team is allocated 50% to this project.", schema.Unverifiable),
	}, faithful.Names{}, usual)
	if s.Faithfulness != 0.5 || s.Risk != faithful.High || s.ByCount != faithful.High || s.ByScore != faithful.High {
		t.Errorf("%s, by count %s, by score %s", s.Summary(), s.ByCount, s.ByScore)
	}
}

func TestRiskAtEachBoundary(t *testing.T) {
	strict := guards.Risk{Medium: 0.8, High: 0.5}
	cases := []struct {
		supported, critical, plain int
		at                         guards.Risk
		count, score, risk         faithful.Risk
	}{
		{0, 0, 0, usual, faithful.None, faithful.None, faithful.None},
		{5, 0, 0, usual, faithful.None, faithful.None, faithful.None},
		{9, 0, 1, usual, faithful.Low, faithful.None, faithful.Low},
		{9, 0, 2, usual, faithful.Low, faithful.None, faithful.Low},
		{9, 0, 3, usual, faithful.High, faithful.None, faithful.High}, // three of any
		{9, 1, 0, usual, faithful.Medium, faithful.None, faithful.Medium},
		{9, 1, 1, usual, faithful.Medium, faithful.None, faithful.Medium},
		{9, 1, 2, usual, faithful.High, faithful.None, faithful.High},
		{9, 2, 0, usual, faithful.High, faithful.None, faithful.High}, // two critical
		{3, 0, 1, usual, faithful.Low, faithful.None, faithful.Low},   // 0.75
		{7, 0, 3, usual, faithful.High, faithful.None, faithful.High}, // 0.70 is not below 0.7
		{5, 0, 2, usual, faithful.Low, faithful.None, faithful.Low},   // 0.714
		{2, 0, 1, usual, faithful.Low, faithful.Medium, faithful.Medium},
		{2, 0, 2, usual, faithful.Low, faithful.High, faithful.High}, // 0.50 is high
		{1, 0, 1, usual, faithful.Low, faithful.High, faithful.High},
		{0, 0, 1, usual, faithful.Low, faithful.High, faithful.High},
		{0, 1, 0, usual, faithful.Medium, faithful.High, faithful.High},
		{4, 0, 1, strict, faithful.Low, faithful.None, faithful.Low}, // 0.80 is not below 0.8
		{3, 0, 1, strict, faithful.Low, faithful.Medium, faithful.Medium},
		{3, 0, 1, guards.Risk{Medium: 1, High: 0}, faithful.Low, faithful.Medium, faithful.Medium},
		{5, 0, 0, guards.Risk{Medium: 1, High: 1}, faithful.None, faithful.None, faithful.None},
	}
	for _, c := range cases {
		s := faithful.Of(reply(c.supported, c.critical, c.plain), faithful.Names{}, c.at)
		if s.ByCount != c.count || s.ByScore != c.score || s.Risk != c.risk {
			t.Errorf("%d supported, %d critical, %d not, at %v: by count %s, by score %s, %s; want %s, %s, %s",
				c.supported, c.critical, c.plain, c.at, s.ByCount, s.ByScore, s.Risk, c.count, c.score, c.risk)
		}
	}
}

func TestWhichClaimsCount(t *testing.T) {
	cases := map[schema.ClaimKind]int{schema.ClaimWorld: 1, schema.ClaimState: 1, schema.ClaimSharedPast: 1,
		schema.ClaimSelf: 0, schema.ClaimNone: 0}
	for kind, want := range cases {
		c := claim("The mill is closed.", schema.Contradicted)
		c.Kind = kind
		if s := faithful.Of([]schema.ClaimVerdict{c}, faithful.Names{}, usual); s.Claims != want ||
			len(s.Unsupported) != want {
			t.Errorf("%s: %d claims, %d without support, want %d", kind, s.Claims, len(s.Unsupported), want)
		}
	}
}

func TestWhatMakesAClaimCritical(t *testing.T) {
	names := faithful.NamesOf([]string{"Osric", "the Grey Company"}, []string{"Hollowmere"})
	cases := map[string]faithful.Matter{
		"The miller owns 3 mules.":                    faithful.Number,
		"The miller owns three mules.":                faithful.Number,
		"Half of the rye is spoiled.":                 faithful.Number,
		"The market is on Friday.":                    faithful.Date,
		"It closed in 1204.":                          faithful.Date,
		"The fair begins tomorrow.":                   faithful.Date,
		"The fair was three weeks ago.":               faithful.Date,
		"The bridge was closed last spring.":          faithful.Date,
		"The chest is behind the chapel.":             faithful.Place,
		"There are wolves in hollowmere.":             faithful.Place,
		"The wolves sleep by the river.":              faithful.Place,
		"The mill belongs to Vesna.":                  faithful.Name,
		"osric is the miller.":                        faithful.Name,
		"The grey company is feared.":                 faithful.Name,
		"She stole the mule.":                         faithful.Deed,
		"The smith has never paid.":                   faithful.Deed,
		"The guards burned the letter.":               faithful.Deed,
		"The guards hit the thief.":                   faithful.Deed,
		"The man wore the ring.":                      faithful.Deed,
		"She knew the song.":                          "",
		"I'll give you the key.":                      faithful.Promise,
		"I will see to it.":                           faithful.Promise,
		"You have my word.":                           faithful.Promise,
		"We promised to help.":                        faithful.Promise,
		"The bread is stale.":                         "",
		"The mill is closed.":                         "",
		"She liked the bread.":                        "",
		"You may find it hard.":                       "",
		"He seemed tired.":                            "",
		"The road may be muddy.":                      "",
		"One would think so.":                         "",
		"I'm sure I've heard that the bread is good.": "",
	}
	for s, want := range cases {
		got := faithful.Of([]schema.ClaimVerdict{claim(s, schema.Unverifiable)}, names, usual)
		if got.Unsupported[0].Critical != want {
			t.Errorf("%s: %q, want %q", s, got.Unsupported[0].Critical, want)
		}
	}
	past := claim("You were kind.", schema.Unverifiable)
	past.Kind = schema.ClaimSharedPast
	if s := faithful.Of([]schema.ClaimVerdict{past}, names, usual); s.Critical != 1 {
		t.Error("a shared past that is made up is not critical")
	}
}

func TestWhatAPolicyDoes(t *testing.T) {
	cases := []struct {
		supported, critical, plain  int
		warn, regenerate, block, no faithful.Step
	}{
		{3, 0, 0, faithful.Release, faithful.Release, faithful.Release, faithful.Release},
		{9, 0, 1, faithful.Release, faithful.Release, faithful.Refuse, faithful.Refuse},       // low
		{9, 1, 0, faithful.Annotate, faithful.Release, faithful.Refuse, faithful.Refuse},      // medium
		{2, 0, 2, faithful.Annotate, faithful.Regenerate, faithful.Refuse, faithful.Refuse},   // high
		{20, 2, 0, faithful.Annotate, faithful.Regenerate, faithful.Refuse, faithful.Refuse},  // high
		{0, 0, 0, faithful.Release, faithful.Release, faithful.Release, faithful.Release},     // nothing claimed
		{100, 0, 2, faithful.Release, faithful.Release, faithful.Refuse, faithful.Refuse},     // low
		{100, 0, 3, faithful.Annotate, faithful.Regenerate, faithful.Refuse, faithful.Refuse}, // high
	}
	for _, c := range cases {
		s := faithful.Of(reply(c.supported, c.critical, c.plain), faithful.Names{}, usual)
		for policy, want := range map[string]faithful.Step{guards.PolicyWarn: c.warn, guards.PolicyRegenerate: c.regenerate,
			guards.PolicyBlock: c.block, "": c.no} {
			if got := faithful.Next(policy, s); got != want {
				t.Errorf("%s, policy %q: %s, want %s", s.Summary(), policy, got, want)
			}
		}
	}
}

func TestWhichOfTwoTriesIsSaid(t *testing.T) {
	type shape struct{ supported, critical, plain int }
	cases := []struct {
		first, second shape
		second2       bool
	}{
		{shape{2, 2, 0}, shape{2, 0, 0}, true},
		{shape{2, 2, 0}, shape{2, 1, 0}, true},
		{shape{2, 2, 0}, shape{2, 2, 0}, false},
		{shape{1, 2, 0}, shape{9, 2, 0}, true},
		{shape{1, 1, 1}, shape{9, 1, 2}, false}, // a better score with more claims that lack support
		{shape{2, 0, 2}, shape{2, 1, 0}, false}, // fewer, but worse ones
		{shape{2, 0, 2}, shape{0, 0, 0}, true},
		{shape{2, 0, 3}, shape{0, 0, 1}, true},
	}
	of := func(s shape) faithful.Score {
		return faithful.Of(reply(s.supported, s.critical, s.plain), faithful.Names{}, usual)
	}
	for _, c := range cases {
		if got := faithful.Better(of(c.first), of(c.second)); got != c.second2 {
			t.Errorf("after %+v, %+v is said: %v, want %v", c.first, c.second, got, c.second2)
		}
	}
}

func TestFeedbackNamesEachClaimOnce(t *testing.T) {
	s := faithful.Of(append(reply(1, 1, 1), claim("The mill is open.", schema.Contradicted)), faithful.Names{}, usual)
	issues := faithful.Feedback(s)
	if len(issues) != 3 || issues[0].Correction == issues[1].Correction || issues[2].Type != schema.IssueContradicted {
		t.Errorf("feedback is %+v", issues)
	}
}

func BenchmarkScore(b *testing.B) {
	claims := reply(6, 3, 3)
	names := faithful.NamesOf([]string{"Osric"}, []string{"Hollowmere"})
	for b.Loop() {
		faithful.Of(claims, names, usual)
	}
}

// Scored again by the same thresholds a reply has the risk that it had.
func TestAScoreIsMadeAgain(t *testing.T) {
	t4 := guards.Default().Faithfulness.Risk
	f := &schema.Faithfulness{Claims: 4, Supported: 3, Score: 0.75,
		Unsupported: []schema.ClaimVerdict{{Claim: "It was grim."}}}
	if s := faithful.Again(f, t4); s.Risk != faithful.Low || len(s.Unsupported) != 1 {
		t.Errorf("%+v", s)
	}
	if s := faithful.Again(f, guards.Risk{Medium: 0.8, High: 0.5}); s.Risk != faithful.Medium {
		t.Errorf("stricter: %+v", s)
	}
	f.Critical = 1
	if s := faithful.Again(f, t4); s.Risk != faithful.Medium {
		t.Errorf("critical: %+v", s)
	}
}
