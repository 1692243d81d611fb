package language_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/language"
)

func sentences(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for lines := bufio.NewScanner(strings.NewReader(string(data))); lines.Scan(); {
		out = append(out, lines.Text())
	}
	if len(out) < 20 {
		t.Fatalf("%d sentences of %s are too few to tell anything", len(out), name)
	}
	return out
}

// Every sentence is best read as what it is, and nearly every one surely: a short
// one may hold too little to tell.
func TestDetect(t *testing.T) {
	for _, lang := range []string{"en", "de", "fr", "es"} {
		all, clear := sentences(t, lang), 0
		for _, s := range all {
			got, sure := language.Detect(s)
			if got != lang {
				t.Errorf("%s: %q is %s, sure %v", lang, s, got, sure)
			}
			if sure {
				clear++
			} else {
				t.Logf("%s: %q is not sure", lang, s)
			}
		}
		if clear*10 < len(all)*9 {
			t.Errorf("%s: only %d of %d are sure", lang, clear, len(all))
		}
	}
	if got, sure := language.Detect("Wer hat die Mühle niedergebrannt?"); got != "de" || !sure {
		t.Errorf("a plain German question is %s, sure %v", got, sure)
	}
}

// A player of English is never taken for one of another language, whatever
// register, names or quotations the message holds.
func TestEnglishStaysEnglish(t *testing.T) {
	for _, s := range append(sentences(t, "chat"), "bram?", "yo", "Mira", "42", "?!", "", "lol", "Los Santos", "El Dorado",
		"hola amigo",
		"No.", "C'est la vie", "merci", "YO WHERE IS IT", "I go", "Le Havre", "plus 5 sword", "me son", "on a car") {
		if got, sure := language.Detect(s); sure && got != "en" {
			t.Errorf("%q is surely %s", s, got)
		}
	}
	for _, s := range []string{"yo where smithy at", "u know bram?"} {
		if got, _ := language.Detect(s); got != "en" {
			t.Errorf("%q is %s", s, got)
		}
	}
}

// A language without a list of its own is never taken for one of the four.
func TestOtherLanguages(t *testing.T) {
	for _, s := range sentences(t, "other") {
		switch got, sure := language.Detect(s); {
		case sure && (got == "en" || got == "de" || got == "fr" || got == "es"):
			t.Errorf("%q is surely %s", s, got)
		case strings.ContainsFunc(s, func(r rune) bool { return r > 0x24f && r != '“' }) && !sure:
			t.Errorf("%q might be %s; its script tells", s, got)
		}
	}
	for s, want := range map[string]string{"谁烧了磨坊？": "zh", "誰が水車小屋を燃やしたの？": "ja",
		"누가 방앗간을 태웠습니까?": "ko", "Кто сжёг мельницу?": language.Unknown,
		"Chi ha bruciato il mulino?": "it", "Wie heeft de molen in brand gestoken?": "nl",
		"Quem queimou o moinho da cidade?": "pt"} {
		if got, sure := language.Detect(s); got != want || !sure {
			t.Errorf("%q is %s, sure %v; want %s", s, got, sure, want)
		}
	}
}

func TestSupported(t *testing.T) {
	for locale, want := range map[string]bool{"en": true, "en-GB": true, "EN_us": true, " en ": true, "de": false,
		"de-AT": false, "": false, "english": false, "und": false} {
		if got := language.Supported(locale); got != want {
			t.Errorf("%q: %v", locale, got)
		}
	}
}

func FuzzDetect(f *testing.F) {
	for _, s := range []string{"yo where smithy at", "¿Dónde está?", "l'", "\xff\xfe", "ΑΒ",
		strings.Repeat("die ", 2000), "I'm"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lang, sure := language.Detect(s)
		again, sureAgain := language.Detect(s)
		if lang == "" || lang != again || sure != sureAgain {
			t.Errorf("%q is %q and %q", s, lang, again)
		}
	})
}
