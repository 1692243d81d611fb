package retriever

import (
	"context"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// Pass 1.5: sources above compactAbove tokens are shortened to about compactTo.
const (
	compactAbove = 4000
	compactTo    = 2000
)

// searchShare is how much of the time left each call of Pass 1 may take.
const searchShare = 0.15

// worded is the question in the model's words, for the search alone; where the
// model fails it is the question as it stands.
func worded(ctx context.Context, t *protocol.Turn, a *model.Turn, question string) string {
	if !a.WordsSearch() {
		return question
	}
	var queries []string
	_, err := a.Ask(ctx, model.Asked{Name: prompt.CitationQuery, Data: a.Scene.Retrieve(false), Share: searchShare,
		Validate: func(answer []byte) (err error) {
			queries, err = prompt.Queries(answer)
			return err
		}})
	if err != nil {
		note(t, err)
		return question
	}
	return strings.Join(append([]string{question}, queries...), " ")
}

// rerank puts the sources in the model's order; those it left out keep theirs,
// behind. It can drop nothing and add nothing, and the confidence stays what the
// gate made it.
func rerank(ctx context.Context, t *protocol.Turn, a *model.Turn) {
	if !a.Reranks() || len(t.Sources) < 2 {
		return
	}
	var order []string
	_, err := a.Ask(ctx, model.Asked{Name: prompt.Rerank, Data: a.Scene.Retrieve(true), Share: searchShare,
		Validate: func(answer []byte) (err error) {
			order, err = prompt.Order(answer)
			return err
		}})
	if err != nil {
		note(t, err)
		return
	}
	place := func(id string) int {
		if i := slices.Index(order, id); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(t.Sources, func(x, y protocol.Source) int { return place(x.ID) - place(y.ID) })
}

// compact shortens the sources for the prompts where all that the thoughts would
// be shown is long. The summary is never evidence: blocks are cut from the sources
// themselves.
func compact(ctx context.Context, t *protocol.Turn, a *model.Turn) {
	if a == nil || a.Lean() || len(a.Think().String()) <= compactAbove*bytesPerToken {
		return
	}
	var summary string
	_, err := a.Ask(ctx, model.Asked{Name: prompt.Compact, Data: a.Scene.Retrieve(true), Words: compactTo * 3 / 4,
		Share: searchShare,
		Validate: func(answer []byte) (err error) {
			summary, err = prompt.Summary(answer)
			return err
		}})
	if err != nil {
		note(t, err)
		return
	}
	t.Retrieval.Compacted = cut(summary, compactTo*bytesPerToken)
}

// bytesPerToken is the usual rate of English prose.
const bytesPerToken = 4

// cut ends a text at the last whole word within most bytes.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := strings.LastIndexByte(s[:most], ' ')
	if end < 0 {
		end = most
	}
	return strings.ToValidUTF8(s[:end], "")
}

// note keeps why a call failed with the record of the pass.
func note(t *protocol.Turn, err error) {
	if n := len(t.Passes); n > 0 {
		t.Passes[n-1].Note = err.Error()
	}
}
