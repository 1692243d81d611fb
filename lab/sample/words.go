package sample

// facts are what a player is asked about himself.
var facts = []struct {
	pred, says string
	values     []string
}{
	{"lives_in", "they live in %s.", places},
	{"role", "they are a %s by trade.", trades},
	{"from", "they come from %s.", places},
	{"stays_at", "they have a room at %s.", inns},
}

var (
	starts = []string{"An", "Bre", "Cor", "Dag", "El", "Fen", "Gis", "Hal", "Ing", "Jor", "Kel", "Lis", "Mar", "Nor", "Os",
		"Per", "Rag", "Sig", "Tor", "Ulf", "Ves", "Wil", "Yr", "Zan"}
	ends = []string{"sel", "nna", "win", "mar", "da", "ric", "bet", "ven", "gard", "lo", "wyn", "tha", "mund", "ra",
		"stan", "ild"}

	places = []string{"Ferrytown", "Marsh End", "Grey Ford", "the salt quarter", "Harrow Hill", "Low Barrow",
		"the river houses", "Kingsbridge", "Otter Creek",
		"the old priory", "Stonegate", "Willow Reach", "the upper town", "Eastmarch", "Blackwater", "Thornby",
		"the tannery row", "Goosefield", "Nettlecombe", "Highwatch"}
	inns   = []string{"the Three Herons", "the Bent Oar", "the Wayfarer", "the Copper Kettle", "the Sleeping Hound"}
	trades = []string{"carpenter", "cooper", "fletcher", "herbalist", "mason", "scribe", "tanner", "weaver", "potter",
		"hunter", "sailor", "chandler", "minstrel", "locksmith"}
	things = []string{"plum brandy", "smoked eel", "rye bread", "goat cheese", "a silver ring", "lamp oil",
		"wool blankets", "honey cakes", "an iron kettle", "beeswax",
		"dried apples", "fish hooks", "a whetstone", "red dye", "chess pieces", "a fiddle bow", "saddle leather",
		"willow bark", "barley beer", "hazelnuts",
		"a tin whistle", "pickled onions", "rope", "candles", "old maps", "a hunting knife", "salt", "mint tea",
		"a wooden flute", "sheepskin gloves"}

	likings = []string{"they like %s.", "they are fond of %s.", "they ask for %s every time.",
		"they cannot get enough of %s."}

	deeds = []string{
		"%s bought %s on the way to %s.", "%s sold %s to a pedlar from %s.", "%s asked what %s costs in %s.",
		"%s lost %s near %s.",
		"%s carried %s up to %s in the rain.", "%s quarrelled with the carter over %s at %s.",
		"%s told of a feast with %s in %s.", "%s found %s behind a wall in %s.",
		"%s traded %s for a night's rest in %s.", "%s dropped %s into the water at %s.", "%s gave %s to a beggar from %s.",
		"%s complained that nobody sells %s in %s.",
		"%s hid %s from the watch in %s.", "%s mended a cart and was paid with %s in %s.",
		"%s wondered who left %s on the steps in %s.", "%s won %s at dice in %s.",
	}
)
