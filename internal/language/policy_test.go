package language_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/language"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

const (
	englishText  = "The mill burned in the spring of 1402. Nobody was hurt."
	germanText   = "Die Mühle ist im Frühjahr niedergebrannt. Niemand wurde verletzt."
	latinText    = "Sic transit gloria mundi."
	englishQuery = "Who burned the mill?"
	germanQuery  = "Wer hat die Mühle niedergebrannt?"
)

// hollow is a world in a language with a letter in each of three: the English one
// and the German one say nothing of their language, the Latin one does.
func hollow(lang string) (*world.World, *world.NPC) {
	npc := &world.NPC{Handle: "mira", Name: "Mira Ashdown",
		Lines: world.Lines{world.LineUnknown: {"I know forges. Not that."}}}
	w := &world.World{Name: "hollow", Language: lang, NPCs: map[string]*world.NPC{"mira": npc},
		Documents: []*world.Document{
			{Path: "lore/mill.txt", Language: lang}, {Path: "lore/brief.txt", Language: lang},
			{Path: "lore/stone.txt", Language: "la"}}}
	return w, npc
}

func chunk(w *world.World, path, text string) protocol.Chunk {
	for _, d := range w.Documents {
		if d.Path == path {
			return protocol.Chunk{ID: path + "#1", Path: path, Text: text, Language: d.Language, Source: schema.OriginCorpus}
		}
	}
	return protocol.Chunk{}
}

func request(locale, message string) *schema.Request {
	return &schema.Request{World: "hollow", NPC: "mira", Locale: locale, Message: message}
}

func TestPolicy(t *testing.T) {
	for _, c := range []struct {
		world, locale, message string
		locales                string // of authored lines
		language               string
		verified               bool
	}{
		{"en", "", englishQuery, "en", "en", true},
		{"en", "", "bram?", "en", "en", true},
		{"en", "en-GB", englishQuery, "en-GB", "en", true},
		{"en", "", germanQuery, "de", "de", false},
		{"en", "en", germanQuery, "de", "de", false},
		{"en", "de-AT", germanQuery, "de-AT", "de", false},
		{"en", "de_DE", "Bram?", "de_DE", "de", false},
		{"en", "de", englishQuery, "de", "de", false},
		{"en", "fr", germanQuery, "fr", "fr", false},
		{"en", "", "Кто сжёг мельницу?", language.Unknown, language.Unknown, false},
		{"en", "ru", "Кто сжёг мельницу?", "ru", "ru", false},
		{"de", "", germanQuery, "de", "de", false},
		{"de", "", "Bram?", "de", "de", false},
		{"de", "", englishQuery, "en", "en", true},
		{"de", "en", "Bram?", "en", "en", true},
	} {
		w, npc := hollow(c.world)
		r := language.Policy(request(c.locale, c.message), w, npc)
		if r.Locale != c.locales || r.Language != c.language || r.Verified != c.verified {
			t.Errorf("%q in %q over %q: %s (%s), verified %v; want %s (%s), %v", c.message, c.locale, c.world,
				r.Language, r.Locale, r.Verified, c.language, c.locales, c.verified)
		}
		if (r.Reason == schema.ReasonLanguage) == c.verified {
			t.Errorf("%q in %q over %q: reason %q", c.message, c.locale, c.world, r.Reason)
		}
	}
}

func TestUse(t *testing.T) {
	type uses map[string]language.Use
	for name, c := range map[string]struct {
		world, locale, message string
		want                   uses
	}{
		"English in an English world": {"en", "", englishQuery,
			uses{"lore/mill.txt": "free", "lore/brief.txt": "verbatim", "lore/stone.txt": "verbatim"}},
		"German in an English world": {"en", "de", germanQuery,
			uses{"lore/mill.txt": "none", "lore/brief.txt": "verbatim", "lore/stone.txt": "none"}},
		"French in an English world": {"en", "fr", "Qui ?",
			uses{"lore/mill.txt": "none", "lore/brief.txt": "none", "lore/stone.txt": "none"}},
		"German in a German world": {"de", "", germanQuery,
			uses{"lore/mill.txt": "none", "lore/brief.txt": "verbatim", "lore/stone.txt": "none"}},
		"English in a German world": {"de", "en", englishQuery,
			uses{"lore/mill.txt": "free", "lore/brief.txt": "verbatim", "lore/stone.txt": "verbatim"}},
		"Russian without a locale": {"en", "", "Кто сжёг мельницу?",
			uses{"lore/mill.txt": "none", "lore/brief.txt": "none", "lore/stone.txt": "none"}},
	} {
		w, npc := hollow(c.world)
		r := language.Policy(request(c.locale, c.message), w, npc)
		for path, text := range map[string]string{"lore/mill.txt": englishText, "lore/brief.txt": germanText,
			"lore/stone.txt": latinText} {
			if got := r.Use(chunk(w, path, text)); got != c.want[path] ||
				r.Admits(chunk(w, path, text)) != (got != language.UseNone) {
				t.Errorf("%s: %s is of use %q, want %q", name, path, got, c.want[path])
			}
			block := protocol.Evidence{Path: path, Text: text, Provenance: protocol.Provenance{Source: schema.OriginCorpus}}
			if kept := r.Evidence([]protocol.Evidence{block}); (len(kept) == 1) != (c.want[path] != language.UseNone) {
				t.Errorf("%s: as a block, %s is kept %d times", name, path, len(kept))
			}
		}
	}
}

// A German question over an English world: nothing may be evidence, and the answer
// is an authored line, German where the NPC or the binary has one.
func TestAGermanQuestionOverAnEnglishWorld(t *testing.T) {
	w, npc := hollow("en")
	for _, locale := range []string{"", "en", "de", "de-CH"} {
		r := language.Policy(request(locale, germanQuery), w, npc)
		blocks := []protocol.Evidence{
			{ID: "E1", Path: "lore/mill.txt", Text: englishText, Provenance: protocol.Provenance{Source: schema.OriginCorpus}},
			{ID: "S1", Path: "state:mira.shop_open", Text: "My shop is open.",
				Provenance: protocol.Provenance{Source: schema.OriginSystem}},
			{ID: "M1", Path: "session:t1", Text: "You said: “Wer bist du?”",
				Provenance: protocol.Provenance{Source: schema.OriginUser}},
		}
		if got := r.Evidence(blocks); len(got) > 0 || len(blocks) != 3 {
			t.Errorf("%q: evidence is %v", locale, got)
		}
		if got := r.Lines(world.LineUnknown); !slices.Contains(got, "Davon weiß ich nichts.") {
			t.Errorf("%q: the lines are %q", locale, got)
		}
		npc.LocaleLines = map[string]world.Lines{"de": {world.LineUnknown: {"Weiß der Amboss."}}}
		if got := r.Lines(world.LineUnknown); !slices.Equal(got, []string{"Weiß der Amboss."}) {
			t.Errorf("%q: the NPC's own line is not taken: %q", locale, got)
		}
		npc.LocaleLines = nil
	}
	r := language.Policy(request("tr", "Değirmeni kim yaktı?"), w, npc)
	if got := r.Lines(world.LineUnknown); !slices.Equal(got, npc.Lines[world.LineUnknown]) {
		t.Errorf("without Turkish lines the plain ones answer, not %q", got)
	}
}

func TestReleases(t *testing.T) {
	w, npc := hollow("en")
	english := language.Policy(request("", englishQuery), w, npc)
	german := language.Policy(request("de", germanQuery), w, npc)
	mill := schema.EvidenceRef{Path: "lore/mill.txt", Text: englishText, Source: schema.OriginCorpus}
	brief := schema.EvidenceRef{Path: "lore/brief.txt", Text: germanText, Source: schema.OriginCorpus}
	shop := schema.EvidenceRef{Path: "state:mira.shop_open", Text: "My shop is open.", Source: schema.OriginSystem}
	for name, c := range map[string]struct {
		rule     language.Rule
		text     string
		authored bool
		cited    []schema.EvidenceRef
		want     bool
	}{
		"an English paraphrase":             {english, "The mill burned down.", false, []schema.EvidenceRef{mill}, true},
		"an English courtesy":               {english, "Well met.", false, nil, true},
		"English over a German letter":      {english, "The mill burned down.", false, []schema.EvidenceRef{brief}, false},
		"a German letter quoted to English": {english, "Niemand wurde verletzt.", false, []schema.EvidenceRef{brief}, true},
		"the state, to English":             {english, "My shop is open.", false, []schema.EvidenceRef{shop}, true},
		"a German quotation": {german, "die Mühle ist im Frühjahr niedergebrannt", false,
			[]schema.EvidenceRef{brief}, true},
		"a whole German block": {german, germanText, false, []schema.EvidenceRef{brief}, true},
		"a German paraphrase": {german, "Im Frühjahr ist die Mühle abgebrannt.", false,
			[]schema.EvidenceRef{brief}, false},
		"a German quotation and an addition": {german, "Niemand wurde verletzt. Es war Bram.", false,
			[]schema.EvidenceRef{brief}, false},
		"half a German sentence": {german, "Die Mühle ist im Frühjahr.", false, []schema.EvidenceRef{brief},
			false},
		"an English quotation to a German": {german, "Nobody was hurt.", false, []schema.EvidenceRef{mill}, false},
		"the state, to a German":           {german, "My shop is open.", false, []schema.EvidenceRef{shop}, false},
		"a German courtesy of a model":     {german, "Gern geschehen.", false, nil, false},
		"an authored German line":          {german, "Gern geschehen.", true, nil, true},
		"nothing":                          {german, "", false, []schema.EvidenceRef{brief}, false},
	} {
		got := c.rule.Releases(schema.Sentence{Text: c.text, Authored: c.authored, Evidence: c.cited})
		if got != c.want {
			t.Errorf("%s: released %v", name, got)
		}
	}
}

// The rule of a turn is the same wherever in the mesh it is asked for, whether or
// not the locale it gave was set already.
func TestTheRuleIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		locale := rapid.SampledFrom([]string{"", "en", "en-GB", "de", "de_AT", "fr", "ja", "und", "EN"}).Draw(t, "locale")
		message := rapid.SampledFrom([]string{englishQuery, germanQuery, "bram?", "¿Dónde está el herrero?",
			"谁烧了磨坊？", "Chi ha visto il fabbro della città?", ""}).Draw(t, "message")
		w, npc := hollow(rapid.SampledFrom([]string{"en", "de", "en-GB"}).Draw(t, "world"))
		req := request(locale, message)
		first := language.Policy(req, w, npc)
		req.Locale = first.Locale
		second := language.Policy(req, w, npc)
		if first.Locale != second.Locale || first.Verified != second.Verified || first.Language != second.Language {
			t.Fatalf("%+v, then %+v", first, second)
		}
		if !first.Verified && first.Admits(protocol.Chunk{Path: "lore/mill.txt", Language: w.Language, Text: englishText}) {
			t.Fatalf("%s admits English evidence", first.Language)
		}
	})
}

func TestIntent(t *testing.T) {
	w, npc := hollow("en")
	for _, c := range []struct{ locale, message, want string }{
		{"de", "Hallo!", protocol.IntentGreeting},
		{"de", "Guten Tag, Mira.", protocol.IntentGreeting},
		{"de", "Vielen Dank, Frau Ashdown!", protocol.IntentThanks},
		{"de", "Hallo Mira, wie geht es dir heute?", protocol.IntentFeelings},
		{"de", "Hallo, wer bist du?", protocol.IntentWhoAreYou},
		{"de", "Danke und auf Wiedersehen", protocol.IntentQuestion},
		{"de", "Tschüss", protocol.IntentFarewell},
		{"de", "Hallo, wer hat die Mühle niedergebrannt?", protocol.IntentQuestion},
		{"de", "Wer bist du, dass du das weißt?", protocol.IntentQuestion},
		{"de", "Danke, aber wo ist Bram?", protocol.IntentQuestion},
		{"fr", "Bonjour !", protocol.IntentGreeting},
		{"fr", "Salut, ça va ?", protocol.IntentFeelings},
		{"fr", "Merci beaucoup, monsieur.", protocol.IntentThanks},
		{"fr", "Comment t’appelles-tu ?", protocol.IntentWhoAreYou},
		{"fr", "Qui es-tu pour me parler ainsi ?", protocol.IntentQuestion},
		{"es", "¡Hola!", protocol.IntentGreeting},
		{"es", "Hola Mira, ¿qué tal?", protocol.IntentFeelings},
		{"es", "¿Cómo te llamas?", protocol.IntentWhoAreYou},
		{"es", "Adiós, amigo.", protocol.IntentFarewell},
		{"es", "¿Quién quemó el molino?", protocol.IntentQuestion},
		{"ja", "hello", protocol.IntentQuestion},
		{"de", "", protocol.IntentQuestion},
	} {
		r := language.Policy(request(c.locale, c.message), w, npc)
		got := r.Intent(c.message)
		if got != c.want {
			t.Errorf("%q is %s, want %s", c.message, got, c.want)
		}
		if kind := language.LineFor(got); !slices.Contains(world.LineKinds, kind) ||
			(got == protocol.IntentQuestion) != (kind == world.LineUnknown) {
			t.Errorf("%q is answered by %q", c.message, kind)
		}
	}
}

// What the binary says in a language is not taken for another one.
func TestDefaultLinesAreInTheirLanguage(t *testing.T) {
	_, npc := hollow("en")
	npc.Lines = nil
	for _, locale := range []string{"en", "de", "fr", "es"} {
		var all []string
		for _, kind := range world.LineKinds {
			for _, s := range npc.Line(kind, locale) {
				if got, sure := language.Detect(s); sure && got != locale {
					t.Errorf("%q of %s is surely %s", s, locale, got)
				}
				all = append(all, s)
			}
		}
		if got, sure := language.Detect(strings.Join(all, " ")); got != locale || !sure {
			t.Errorf("the lines of %s read as %s", locale, got)
		}
	}
}

func TestNotice(t *testing.T) {
	english, _ := hollow("en")
	plain, _ := hollow("en-GB")
	plain.Documents = plain.Documents[:2]
	german, _ := hollow("de")
	for want, w := range map[string]*world.World{
		"":                                plain,
		"there are 1 (la)":                english,
		"its language de is not verified": german,
	} {
		if got := language.Notice(w); !strings.Contains(got, want) || (got == "") != (want == "") ||
			strings.Contains(got, "\n") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
