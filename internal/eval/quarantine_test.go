package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// village loads the small world with one more document.
func village(t *testing.T, text, meta string) *world.World {
	t.Helper()
	files := servicetest.Village()
	files["lore/new.txt"] = &fstest.MapFile{Data: []byte(text)}
	files["lore/new.txt.meta.yaml"] = &fstest.MapFile{Data: []byte("created_at: 1402-01-01\nauthor: a\ntype: " +
		"note\nsummary: s\nkeywords: [k]\n" + meta)}
	w, problems, err := world.Load(files, ".")
	if err != nil || len(world.Errors(problems)) > 0 {
		t.Fatal(err, problems)
	}
	return w
}

func TestQuarantine(t *testing.T) {
	suite, err := Parse("s.yaml", []byte(head+"  - {name: a, player_message: Which stone marks the grave of the "+
		"piper?}\n  - {name: b, player_message: hm, expect_evidence: [lore/expected.txt]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	suite.Modified = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	newer := func(string) time.Time { return suite.Modified.Add(time.Hour) }
	older := func(string) time.Time { return suite.Modified.Add(-time.Hour) }
	earlier := []string{"The piper lies under the split stone. Nobody visits him."}
	for _, c := range []struct {
		name, text, meta string
		modified         func(string) time.Time
		want             string
	}{
		{"an innocent text", "The mere froze twice.\n", "", newer, ""},
		{"a promoted text", "The mere froze twice.\n", "promoted_from: gen:t1\n", older, "promoted from gen:t1"},
		{"a question of the suite, newer", "Which stone marks the grave of the piper?\n", "", newer, `repeats the message ` +
			`of case "a"`},
		{"a question of the suite, older", "Which stone marks the grave of the piper?\n", "", older, ""},
		{"an answer of an earlier report", "They say much. The piper lies under the split stone.\n", "", newer,
			"an answer of an earlier report"},
		{"a text of a few common words", "Nobody visits him.\n", "", newer, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Quarantine(suite, village(t, c.text, c.meta), earlier, c.modified)
			if (err == nil) != (c.want == "") || err != nil &&
				(!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "lore/new.txt")) {
				t.Errorf("it says %v, want %q", err, c.want)
			}
		})
	}
}

func TestAnswersOfAnEarlierReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(path, []byte(`{"suite":"s","failures":[{"name":"a","reply":"So it `+
		`is."},{"name":"b","reply":""}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Answers(path); err != nil || len(got) != 1 || got[0] != "So it is." {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Answers(path + "x"); err == nil {
		t.Error("a report that is not there was read")
	}
}
