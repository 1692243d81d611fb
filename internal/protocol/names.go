// Package protocol is what the services of the mesh tell each other: the turn that
// flows through the passes, the part that each pass adds to it, the records beside it,
// and the subjects that all messages travel on. A game backend needs none of it: what
// backends send and receive stands in pkg/schema. The package holds no behaviour beyond
// validation and encoding, and knows nothing of NATS, stores or models. Start reading
// at turn.go.
package protocol

// Calls are the structured calls to a language model, by the names of their JSON
// Schemas: what settings and NPCs may set a model, a timeout or a token budget for.
var Calls = []string{"citation_query", "rerank", "compact", "monologue", "decision", "speech", "lean", "actions",
	"judge", "claims", "memories", "cluster"}

// TagPartial marks a memory of which the words prove only a part.
const TagPartial = "grounding_partial"

// TagVouched marks a memory that an operator took back when the scan had set it aside,
// where the entries that say so are gone: it is not set aside again.
const TagVouched = "operator_vouched"

// The types of what an NPC's file says of the NPC itself, beside its backstory.
const (
	TypePersonality = "self-personality" // what it is like
	TypeGoal        = "self-goal"        // what it wants
)
