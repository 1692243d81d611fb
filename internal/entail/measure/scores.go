package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/forsooth-npc/forsooth/internal/entail"
)

// Model gives probabilities of premises and hypotheses.
type Model interface {
	Probabilities(ctx context.Context, pairs [][2]string) ([]entail.Probability, error)
}

// scored is a line of a file of scores.
type scored struct {
	Pair [2]string  `json:"pair"`
	P    [3]float64 `json:"p"`
}

// Scores are the probabilities of pairs. What a file holds is not asked again, and what it
// lacks is added to it; without a path every pair is asked. A file belongs to one model.
func Scores(ctx context.Context, m Model, path string, pairs [][2]string) ([]entail.Probability, error) {
	known, err := readScores(path)
	if err != nil {
		return nil, err
	}
	var open [][2]string
	for _, p := range pairs {
		if _, ok := known[p]; !ok {
			known[p] = entail.Probability{}
			open = append(open, p)
		}
	}
	said, err := m.Probabilities(ctx, open)
	if err != nil {
		return nil, err
	}
	for i, p := range open {
		known[p] = said[i]
	}
	out := make([]entail.Probability, len(pairs))
	for i, p := range pairs {
		out[i] = known[p]
	}
	if path == "" || len(open) == 0 {
		return out, nil
	}
	return out, addScores(path, open, said)
}

func readScores(path string) (map[[2]string]entail.Probability, error) {
	out := map[[2]string]entail.Probability{}
	f, err := os.Open(path) //nolint:gosec // the caller's own file
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		var s scored
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("%s:%d: is no score: %w", path, n, err)
		}
		out[s.Pair] = entail.Probability{Entailed: s.P[0], Neutral: s.P[1], Contradicted: s.P[2]}
	}
	return out, lines.Err()
}

func addScores(path string, pairs [][2]string, said []entail.Probability) (err error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // the caller's own file
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	for i, p := range pairs {
		line, err := json.Marshal(scored{p, [3]float64{said[i].Entailed, said[i].Neutral, said[i].Contradicted}})
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return w.Flush()
}
