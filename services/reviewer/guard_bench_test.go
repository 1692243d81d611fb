package reviewer_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// What Guard 3 adds to a review: the median of scoring a speech of which half is
// invented, in a world of a hundred NPCs.
func BenchmarkGuardThree(b *testing.B) {
	files := servicetest.Village()
	for i := range 100 {
		handle := fmt.Sprintf("npc%d", i)
		files["npcs/"+handle+"/npc.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"handle: %s\nname: Somebody %d of the Village\nbackstory: \"A villager.\"\npersonality: \"plain\"\nregion: north\n",
			handle, i)}
	}
	bench := servicetest.New(b, files)
	times := &stopwatch{}
	review := reviewer.New(bench.Library, bench.Releases, reviewer.Options{
		Faithfulness: policy("warn"), Meter: times, Judgement: servicetest.Judgement(&servicetest.Reader{})})
	turn := bench.Turn("mira", "who owns the ferry?")
	for pass := schema.PassRetrieve; pass != schema.PassSpeak; {
		next, err := bench.Handlers[pass](b.Context(), turn)
		if err != nil {
			b.Fatal(err)
		}
		pass = next
	}
	turn.SpeechReview = &protocol.Review{Attempt: 2}
	turn.Speech = &protocol.Speech{Attempt: 3, Speaker: "test"}
	for _, s := range []string{owner, crossing, invented, sold} {
		turn.Speech.Sentences = append(turn.Speech.Sentences, bound(turn, cite(s, "ferry")))
	}
	data, err := protocol.EncodeTurn(turn)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		t, err := protocol.DecodeTurn(data)
		if err != nil {
			b.Fatal(err)
		}
		t.TurnID = fmt.Sprintf("bench%d", i)
		if _, err := review.ReviewSpeech(b.Context(), t); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(times.took)
	b.ReportMetric(float64(times.took[len(times.took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(times.took[len(times.took)*99/100].Microseconds()), "p99-µs")
}

// stopwatch is a meter that keeps how long scoring took.
type stopwatch struct {
	tally
	took []time.Duration
}

func (s *stopwatch) Scored(_ faithful.Risk, took time.Duration) { s.took = append(s.took, took) }
