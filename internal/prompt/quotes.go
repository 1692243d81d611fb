package prompt

import (
	_ "embed"
)

// quotesText is the speech of the experiment in which a model quotes by document id, as the
// first paper's first version did. No world and no setting asks for it.
//
//go:embed quotes.txt
var quotesText string

// Quoting is a world's prompts with the speech of that experiment.
func Quoting(own map[string]string) (*Book, error) {
	texts := map[string]string{}
	for name, text := range own {
		texts[name] = text
	}
	texts[Speech] = quotesText
	return NewBook(texts)
}

// documents adds the sources whole, under their numbers, where evidence would stand.
func (s Scene) documents(d *Data) {
	var lines []string
	for _, src := range s.Turn.Sources {
		if src.Beside {
			continue
		}
		lines = append(lines, "["+src.ID+"] "+plain(src.Content))
	}
	d.Section("evidence", lines...)
}
