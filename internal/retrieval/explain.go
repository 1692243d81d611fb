package retrieval

import "context"

// Explanation is what the fitted models saw of a query: for fitting them and for
// looking into a ranking.
type Explanation struct {
	Candidates []Explained // best first
	Message    []float64   // the gate's features, in the order of GateNames
	Confidence float64
	Unknown    []string
	Answers    []float64 // what the trained judgement says of the first candidates, from -1 to 1; none: it was not asked
}

// Explained is a candidate with its features, in the order of FeatureNames.
type Explained struct {
	Path     string
	ChunkID  string
	Features []float64
	Score    float64
}

// FeatureNames are the ranker's features.
func FeatureNames() []string { return append([]string(nil), featureNames...) }

// GateNames are the gate's features.
func GateNames() []string { return append([]string(nil), gateFeatures...) }

// SureNames are the gate's features where the judgement was asked: its own, and what is
// said of the first candidate.
func SureNames() []string { return append([]string(nil), sureFeatures...) }

// Explain runs a query as CitationQuery does first, without widening it, and shows its features.
func (x *Index) Explain(ctx context.Context, query Query) (Explanation, error) {
	s, err := x.run(ctx, query)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Confidence: s.capped(), Unknown: s.unknown()}
	if len(s.found) > 0 {
		e.Message = s.judged()
		e.Answers = s.answering
	}
	for _, c := range s.found {
		k := s.x.passages[c.at].chunk
		e.Candidates = append(e.Candidates, Explained{Path: k.Path, ChunkID: k.ID, Features: c.features, Score: c.score})
	}
	return e, nil
}

// Use replaces the fitted models, for fitting them.
func (x *Index) Use(f Fitted) error {
	if err := f.Ranker.bind(featureNames); err != nil {
		return err
	}
	if err := f.Gate.bind(gateFeatures); err != nil {
		return err
	}
	if err := f.Sure.bind(sureFeatures); err != nil {
		return err
	}
	x.models, x.deep = &f, &f
	return nil
}
