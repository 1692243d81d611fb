package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files anew")

var samples = map[string]func() Input{"sample": sample, "troubled": troubled, "quiet": quiet,
	"nothing": func() Input { return Input{Now: now} }}

func shown(t *testing.T, r *Report) map[string]string {
	t.Helper()
	var md, html bytes.Buffer
	if err := errors.Join(r.Markdown(&md), r.HTML(&html)); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"md": md.String(), "html": html.String()}
}

func TestTheReportAsItIsShown(t *testing.T) {
	for name, in := range samples {
		for kind, got := range shown(t, Make(in())) {
			golden(t, name+"."+kind, got)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not as it was; run the tests of this package with -update and look at the difference:\n%s", path, got)
	}
}

// The tables fit a narrow terminal.
func TestTheTablesAreNarrow(t *testing.T) {
	for name, in := range samples {
		for _, line := range strings.Split(shown(t, Make(in()))["md"], "\n") {
			if strings.HasPrefix(line, "|") && utf8.RuneCountInString(line) > 80 {
				t.Errorf("%s: %d wide: %q", name, utf8.RuneCountInString(line), line)
			}
		}
	}
}

// The page needs nothing from elsewhere, runs no script, and escapes what a world
// or a predicate is called.
func TestThePageStandsAlone(t *testing.T) {
	page := shown(t, Make(troubled()))["html"]
	if m := regexp.MustCompile(`(?i)<script|<link|<img|<iframe|@import|url\(|\son\w+=|https?:`).FindString(page); m != "" {
		t.Errorf("the page holds %q", m)
	}
	if !strings.Contains(page, "a &lt;b&gt;moor") || !strings.Contains(page, "&lt;script&gt;|works_at*") {
		t.Error("a name is not shown as it is written")
	}
}

func TestMarkdownTakesNoNameForMarkup(t *testing.T) {
	md := shown(t, Make(troubled()))["md"]
	if !strings.Contains(md, `&lt;script>\|works\_at\*`) || !strings.Contains(md, `a &lt;b>moor`) {
		t.Error("a name is taken for markup in\n" + md)
	}
}

// No figure is divided by nothing, and turns that nobody counted are not none.
func TestWhatIsNotKnownIsNotShown(t *testing.T) {
	for name, in := range samples {
		for kind, text := range shown(t, Make(in())) {
			if bad := regexp.MustCompile(`NaN|[+-]Inf|%!|0001-01-01`).FindString(text); bad != "" {
				t.Errorf("%s.%s holds %s", name, kind, bad)
			}
		}
	}
	if md := shown(t, Make(quiet()))["md"]; strings.Contains(md, "\n| turns  ") || !strings.Contains(md, "not counted") {
		t.Error("turns that were not counted have a number in\n" + md)
	}
}

func TestTheReportAsJSON(t *testing.T) {
	data, err := json.Marshal(Make(sample()))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Risk    string
		Figures []struct {
			Key   string
			Cases int
			State string
		}
	}
	if err := json.Unmarshal(data, &got); err != nil || got.Risk != "LOW" || len(got.Figures) != 3 ||
		got.Figures[0].Cases != 1847 || got.Figures[0].State != "healthy" {
		t.Errorf("%v: %+v", err, got)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the line is dead") }

func TestAWriterThatFailsIsSaid(t *testing.T) {
	r := Make(quiet())
	for _, err := range []error{r.Markdown(broken{}), r.HTML(broken{})} {
		if err == nil || !strings.Contains(err.Error(), "the line is dead") {
			t.Errorf("got %v", err)
		}
	}
}
