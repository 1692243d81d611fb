package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
)

var measured = nli.Calibration{
	Weights: strings.Repeat("ab", 32), Pairs: 200, FalseRate: 0.045, AUROC: 0.912,
	Scale:      entail.Scale{Slope: 0.5, Shift: -0.25},
	Thresholds: entail.Thresholds{Entailment: 0.6, Contradiction: 0.7, Ambiguous: 0.15, Doubted: 0.8},
	Curve: []nli.Point{{Threshold: 0.5, False: 0.1, True: 0.8}, {Threshold: 0.6, False: 0.04, True: 0.71},
		{Threshold: 0.7, False: 0.02, True: 0.6}},
	Reliable: []nli.Bin{{Score: 0.1, True: 0.05, N: 100}, {Score: 0.9, True: 0.95, N: 100}},
}

func TestFiguresHoldTheCalibration(t *testing.T) {
	got := figures(measured)
	for _, want := range []string{
		"200 pairs", "abababababab…", "AUROC 0.912", "ships 4 % of the unsupported are accepted, and 71 % of the supported",
		"at most 4.5 % of the unsupported pairs",
		"exp(−(0.5 · logit -0.25))", "| `entailment_threshold` | 0.600 |", "| doubted | 0.800 |",
		"| `contradiction_threshold` | 0.700 |", "| ambiguous | 0.150 |",
		"| 0.50 | 80 % | 10 % |", "| 0.90 | 0.95 | 100 |", "](calibration.svg)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the figures lack %q:\n%s", want, got)
		}
	}
}

func TestAThresholdIsWrittenWithItsPlaces(t *testing.T) {
	for at, want := range map[float64]string{0.05: "0.05", 0.5: "0.50", 0.735: "0.735"} {
		if got := fixed(at); got != want {
			t.Errorf("%v: %s, want %s", at, got, want)
		}
	}
}

func TestThePlotIsADrawingWithAllPoints(t *testing.T) {
	drawing := plots(measured)
	for d := xml.NewDecoder(strings.NewReader(drawing)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(drawing, "<circle"); n != 2 {
		t.Errorf("%d circles, want one a bin", n)
	}
	if n := strings.Count(drawing, "<path"); n != 2 {
		t.Errorf("%d curves, want 2", n)
	}
}

func TestMarkers(t *testing.T) {
	page := "a\n" + begin + "\nold\n" + end + "\nb"
	got, err := between(page, "\nnew\n\n")
	if err != nil || got != "a\n"+begin+"\nnew\n"+end+"\nb" {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"", begin, end + begin, begin + end + begin + end, begin + begin + end} {
		if got, err := between(bad, "new"); err == nil {
			t.Errorf("%q became %q", bad, got)
		}
	}
}

func TestExamplesAreAskedAgain(t *testing.T) {
	page := "text\n```\n$ forsooth verify --premise \"A b.\" --claim \"c\"\nold answer\n  why: old\n\n$ forsooth " +
		"verify --pairs x.jsonl\nold\n```\n$ forsooth verify is named here\n```\nother code\n```\n"
	var asked [][]string
	got, err := answered(page, func(args []string) (string, error) {
		asked = append(asked, args)
		return "answer\n  why: new\n", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "text\n```\n$ forsooth verify --premise \"A b.\" --claim \"c\"\nanswer\n  why: new\n\n$ forsooth verify " +
		"--pairs x.jsonl\nanswer\n  why: new\n```\n$ forsooth verify is named here\n```\nother code\n```\n"
	if got != want {
		t.Errorf("the page became\n%s\nwant\n%s", got, want)
	}
	if len(asked) != 2 || strings.Join(asked[0], "|") != "verify|--premise|A b.|--claim|c" {
		t.Errorf("asked %q", asked)
	}
	if again, _ := answered(got, func([]string) (string, error) { return "answer\n  why: new\n", nil }); again != got {
		t.Errorf("a second time it became\n%s", again)
	}
}

func TestAnExampleThatCannotBeAskedLeavesThePageAlone(t *testing.T) {
	fails := func([]string) (string, error) { return "", errors.New("no binary") }
	for _, page := range []string{"```\n$ forsooth verify --claim \"c\n```", "```\n$ forsooth verify --claim \"c\"\n```"} {
		if _, err := answered(page, fails); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", page, err)
		}
	}
}

func TestThePageThatShipsIsOfTheCalibrationThatShips(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	c, err := readCalibration(filepath.Join(root, "internal", "entail", "nli", "calibration.json"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "grounding.md"))
	if err != nil {
		t.Fatal(err)
	}
	if now, err := between(string(page), figures(c)); err != nil || now != string(page) {
		t.Errorf("docs/grounding.md shows another calibration (%v); `make fitting`, then bin/page, writes it", err)
	}
	drawing, err := os.ReadFile(filepath.Join(root, "docs", plotName))
	if err != nil || string(drawing) != plots(c) {
		t.Errorf("docs/%s is of another calibration (%v); `make fitting`, then bin/page, writes it", plotName, err)
	}
}
