package wanted

import "strings"

// Kin are the words by which a text may tell of somebody's relatives.
type Kin struct {
	Are []string // for the relatives themselves: "her son" tells of a child
	To  []string // for what somebody is to them: "the aunt of Wren" tells of a niece
}

// kin are words for relatives, with those of Are and those of To.
var kin = func() map[string]Kin {
	out := map[string]Kin{}
	for line := range strings.Lines(`father: father parent: son daughter child
mother: mother parent: son daughter child
parent: parent parents father mother: son daughter child
son: son child children boy: father mother parent
daughter: daughter child children girl: father mother parent
child: child children son daughter boy girl: father mother parent
children: child children son daughter boy girl: father mother parent
brother: brother sibling twin:
sister: sister sibling twin:
sibling: sibling brother sister twin:
husband: husband married wed: wife widow
wife: wife married wed: husband widower
uncle: uncle: nephew niece
aunt: aunt: nephew niece
nephew: nephew: uncle aunt
niece: niece: uncle aunt
cousin: cousin: cousin
grandfather: grandfather grandparent: grandson granddaughter grandchild
grandmother: grandmother grandparent: grandson granddaughter grandchild
grandparent: grandparent grandfather grandmother: grandson granddaughter grandchild
grandson: grandson grandchild grandchildren: grandfather grandmother
granddaughter: granddaughter grandchild grandchildren: grandfather grandmother
grandchild: grandchild grandchildren grandson granddaughter: grandfather grandmother
family: family father mother parent son daughter child children brother sister husband wife: aunt uncle
`) {
		parts := strings.Split(line, ":")
		out[parts[0]] = Kin{strings.Fields(parts[1]), strings.Fields(parts[2])}
	}
	return out
}()

// KinOf is what a word in lower case, of one relative or of several, is for. Are is empty where it is for none.
func KinOf(word string) Kin {
	if k, ok := kin[word]; ok {
		return k
	}
	return kin[strings.TrimSuffix(word, "s")]
}
