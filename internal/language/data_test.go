package language_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/language"
)

// English written by many hands is not taken for another language: at most one in
// two thousand texts, and no question of the suites.
func TestEnglishOfManyHands(t *testing.T) {
	root := os.Getenv("FORSOOTH_TEST_DATA")
	if root == "" {
		t.Skip("FORSOOTH_TEST_DATA names no data folder")
	}
	for _, c := range []struct {
		file  string
		field *regexp.Regexp
		most  float64
	}{
		{"npc/questions.yaml", regexp.MustCompile(`player_message: (.*)`), 0},
		{"worlds/crossfire/evals.yaml", regexp.MustCompile(`player_message: (.*)`), 0},
		{"npc/train.jsonl", regexp.MustCompile(`"premise": ?("(?:[^"\\]|\\.)*")`), 0.0005},
		{"npc/train.jsonl", regexp.MustCompile(`"hypothesis": ?("(?:[^"\\]|\\.)*")`), 0.0005},
		{"npc/answers.jsonl", regexp.MustCompile(`"question": ?("(?:[^"\\]|\\.)*")`), 0},
	} {
		f, err := os.Open(filepath.Join(root, c.file))
		if err != nil {
			t.Fatal(err)
		}
		all, sure, wrong := 0, 0, 0
		lines := bufio.NewScanner(f)
		for lines.Buffer(nil, 1<<20); lines.Scan(); {
			m := c.field.FindStringSubmatch(lines.Text())
			if m == nil {
				continue
			}
			s := m[1]
			var plain string
			if json.Unmarshal([]byte(s), &plain) == nil {
				s = plain
			}
			all++
			lang, ok := language.Detect(s)
			switch {
			case ok && lang == "en":
				sure++
			case ok:
				wrong++
				t.Logf("%q is surely %s", s, lang)
			}
		}
		f.Close()
		t.Logf("%s %s: %d texts, %d surely English, %d surely not", c.file, c.field, all, sure, wrong)
		if all == 0 || float64(wrong) > c.most*float64(all) {
			t.Errorf("%s: %d of %d are surely not English", c.file, wrong, all)
		}
	}
}
