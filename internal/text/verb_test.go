package text

import "testing"

func TestFormsOfVerbs(t *testing.T) {
	base, past := Verbs("give stop carry see lie live")
	for form, want := range map[string]string{"give": "give", "gives": "give", "giving": "give", "gave": "give",
		"given": "give", "stopped": "stop", "stopping": "stop", "carries": "carry", "carried": "carry", "seeing": "see",
		"saw": "see", "lying": "lie", "lay": "lie", "lives": "live", "living": "live", "lived": "live", "gived": "",
		"lieing": "", "went": ""} {
		if base[form] != want {
			t.Errorf("%q is a form of %q; want %q", form, base[form], want)
		}
	}
	for form, want := range map[string]bool{"gave": true, "given": true, "stopped": true, "give": false, "gives": false,
		"seeing": false} {
		if past[form] != want {
			t.Errorf("%q is of the past: %v", form, !want)
		}
	}
}

func TestIrregularPasts(t *testing.T) {
	for word, want := range map[string]bool{"gave": true, "became": true, "got": true, "given": false, "was": false,
		"read": false, "walked": false} {
		if IrregularPast(word) != want {
			t.Errorf("%q is the past of an irregular verb: %v", word, !want)
		}
	}
}
