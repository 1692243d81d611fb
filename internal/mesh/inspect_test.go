package mesh

import (
	"slices"
	"testing"
)

func TestInspectSeesWhatIsMissingAndWhoWorks(t *testing.T) {
	r := newRig(t)
	streams, consumers, err := r.client.Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		if !s.Missing {
			t.Errorf("stream %s is there before anybody made it", s.Name)
		}
	}
	for _, c := range consumers {
		if !c.Missing {
			t.Errorf("consumer %s is there before anybody made it", c.Name)
		}
	}

	r.start(Options{}, plain)
	r.publish(request(convoA, "t1"))
	r.watch(convoA, "t1")
	streams, consumers, err = r.client.Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		if s.Missing || s.Unfit != "" {
			t.Errorf("stream %+v", s)
		}
		if s.Name == streamReplies && s.Messages != 1 {
			t.Errorf("%d replies are stored, want 1", s.Messages)
		}
	}
	for _, c := range consumers {
		if slices.Contains([]string{ConsumerMemory, ConsumerEvents, ConsumerResults, ConsumerScan}, c.Name) {
			continue // neither a memory service nor a scan runs here
		}
		if c.Missing || !c.Workers || c.Waiting > 0 {
			t.Errorf("consumer %+v", c)
		}
	}
}
