package eval_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestADeedIsHeldAgainstTheWish(t *testing.T) {
	give := eval.DeedWant{Action: "give", Parameters: map[string]any{"item": "key"}}
	key := schema.Action{Name: "give", Parameters: map[string]any{"item": "key"}, Checked: true}
	unconfirmed := key
	unconfirmed.Checked, unconfirmed.Refused = false, "the game did not confirm it"
	crown := schema.Action{Name: "give", Parameters: map[string]any{"item": "crown"}, Checked: true}
	refused := schema.Action{Name: "give", Refused: "give requires trust >= 20"}
	trust := schema.Action{Name: "update_trust", Checked: true}
	cases := []struct {
		name  string
		want  eval.DeedWant
		reply schema.Reply
		right bool
	}{
		{"done", give, schema.Reply{Actions: []schema.Action{key, trust}}, true},
		{"done, and no game was there", give, schema.Reply{Actions: []schema.Action{unconfirmed}}, true},
		{"done with another parameter", give, schema.Reply{Actions: []schema.Action{crown}}, false},
		{"refused", give, schema.Reply{Actions: []schema.Action{refused}}, false},
		{"asked back", eval.DeedWant{Ask: "give"},
			schema.Reply{Deed: &schema.Deed{Outcome: schema.DeedAsked, Action: "give"}}, true},
		{"asked back about another", eval.DeedWant{Ask: "give"},
			schema.Reply{Deed: &schema.Deed{Outcome: schema.DeedAsked, Action: "tell"}}, false},
		{"refused for the reason", eval.DeedWant{Refuse: "give", Reason: "trust"}, schema.Reply{
			Actions: []schema.Action{refused},
			Deed:    &schema.Deed{Outcome: schema.DeedRefused, Action: "give", Reason: "trust"}}, true},
		{"refused for another reason", eval.DeedWant{Refuse: "give", Reason: "requires"}, schema.Reply{
			Deed: &schema.Deed{Outcome: schema.DeedRefused, Action: "give", Reason: "trust"}}, false},
		{"left alone", eval.DeedWant{None: true}, schema.Reply{Actions: []schema.Action{trust}}, true},
		{"not left alone", eval.DeedWant{None: true}, schema.Reply{Actions: []schema.Action{key}}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := eval.Judge(&eval.Case{PlayerMessage: "the key, please", ExpectDeed: &c.want}, eval.Seen{Reply: &c.reply})
			if o.Passed() != c.right {
				t.Errorf("want %q, got %q", o.Want, o.Got)
			}
		})
	}
}
