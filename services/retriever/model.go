package retriever

import (
	"context"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
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

// compact is Pass 1.5: it shortens the sources for the prompts where they are long, and never
// what the NPC is. A model does where it may, else a rule. What comes of it is never evidence:
// blocks are cut from the sources themselves.
func compact(ctx context.Context, t *protocol.Turn, a *model.Turn) {
	if a == nil || a.Lean() {
		return
	}
	above, to := a.SourceTokens()
	if a.Scene.SourceTokens() <= above {
		return
	}
	if t.Retrieval.Compacted = summarised(ctx, t, a, to); t.Retrieval.Compacted == "" {
		t.Retrieval.Compacted = a.Scene.Shortened(to)
	}
}

// summarised are the sources in a model's words, or nothing.
func summarised(ctx context.Context, t *protocol.Turn, a *model.Turn, tokens int) (summary string) {
	if !a.Compacts() {
		return ""
	}
	_, err := a.Ask(ctx, model.Asked{Name: prompt.Compact, Data: a.Scene.Retrieve(true), Words: tokens * 3 / 4,
		Share: searchShare,
		Validate: func(answer []byte) (err error) {
			summary, err = prompt.Summary(answer)
			return err
		}})
	if err != nil {
		note(t, err)
		return ""
	}
	return prompt.Within(summary, tokens)
}

// note keeps why a call failed with the record of the pass.
func note(t *protocol.Turn, err error) {
	if n := len(t.Passes); n > 0 {
		t.Passes[n-1].Note = err.Error()
	}
}
