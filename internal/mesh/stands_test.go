package mesh

import (
	"errors"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A leader that was cut off from its copies refuses a second copy for the first, which
// it may yet lose: only what is stored counts.
func TestAFullSubjectIsBelievedOnlyWithItsMessage(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	subject := protocol.SubjectReply(convoA, "t")
	full := &jetstream.APIError{Code: 503, ErrorCode: 10077,
		Description: "maximum messages per subject exceeded"}
	if err := r.conn.StandsFirst(t.Context(), transport.StreamReplies, subject, full); !errors.Is(err,
		transport.ErrNotFound) {
		t.Errorf("of a reply that is nowhere: %v", err)
	}
	r.publish(request(convoA, "t"))
	r.watch(convoA, "t")
	_, err := r.conn.Publish(t.Context(), transport.NewMessage(subject, []byte("{}")), time.Second)
	if !transport.IsSubjectFull(err) || r.conn.StandsFirst(t.Context(), transport.StreamReplies, subject, err) != nil {
		t.Errorf("of a reply that stands: %v", err)
	}
	if err := r.conn.StandsFirst(t.Context(), transport.StreamReplies, subject, nats.ErrTimeout); !errors.Is(err,
		nats.ErrTimeout) {
		t.Errorf("of another error: %v", err)
	}
}
