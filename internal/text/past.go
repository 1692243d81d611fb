package text

// IrregularPast says whether a lower-case word is the past of an irregular verb, which is the same for all persons.
func IrregularPast(word string) bool { return irregularPasts[word] }

var irregularPasts = Set(`gave took brought bought sold killed slew saw went came told said found lost stole
		broke burnt made did had left paid sent built swore held won fought fled hid spoke
		struck threw wore wrote drank ate fell led met ran rode sang sat stood swam taught
		tore kept grew knew drew began bore became bent bled bred caught chose clung crept
		dealt dug drove dwelt fed felt flew forgot forgave froze hung heard knelt laid lay
		leapt lent lit meant rang rose sank sought shook shone shot shrank slept slid spent
		spun sprang stuck swept swung thought understood woke wove wept withdrew put cut set
		beat shut spread outlived hurt let`)
