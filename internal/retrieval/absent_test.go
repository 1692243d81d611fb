package retrieval

import "testing"

func TestWhoseThingAQuestionAsksFor(t *testing.T) {
	cases := map[string]string{
		"When is Alice's birthday?":           "birthday",
		"what was the name of your school?":   "school",
		"what is bob's dog called":            "dog",
		"wheres ur boss?":                     "boss",
		"why did your brother leave the town": "",
		"do you like your work?":              "",
		"What is the mill?":                   "",
	}
	for message, want := range cases {
		got := ""
		if m := possessed.FindStringSubmatch(message); m != nil {
			got = m[1]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}

func TestWhatAQuestionCounts(t *testing.T) {
	cases := map[string]string{
		"How many steps led up to the stage?": "steps",
		"and how many sacks were there":       "sacks",
		"How much is a horseshoe?":            "",
	}
	for message, want := range cases {
		got := ""
		if m := counted.FindStringSubmatch(message); m != nil {
			got = m[1]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}
