package prompt_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/prompt"
)

func TestReadClaims(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		want         [][]string
		err          string
	}{
		{name: "two sentences, the other way round",
			answer: `{"sentences":[{"n":2,"claims":["C."]},{"n":1,"claims":["A."," B. "]}]}`,
			want:   [][]string{{"A.", "B."}, {"C."}}},
		{name: "one left out", answer: `{"sentences":[{"n":2,"claims":["C."]}]}`, want: [][]string{nil, {"C."}}},
		{name: "one twice", answer: `{"sentences":[{"n":1,"claims":["A."]},{"n":1,"claims":["B."]}]}`,
			want: [][]string{{"A."}, nil}},
		{name: "one never asked about", answer: `{"sentences":[{"n":3,"claims":["A."]}]}`, err: "none of the sentences"},
		{name: "no claim", answer: `{"sentences":[{"n":1,"claims":[" "]}]}`, err: "none of the sentences"},
		{name: "no JSON", answer: `A. B.`, err: "claims: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := prompt.ReadClaims([]byte(c.answer), 2)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%v, want %q", err, c.err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
