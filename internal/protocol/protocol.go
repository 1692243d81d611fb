// Package protocol is what the services of the mesh tell each other: the turn that
// flows through the passes, the part that each pass adds to it, the records beside it,
// and the subjects that all messages travel on. A game backend needs none of it: what
// backends send and receive stands in pkg/schema. The package holds no behaviour beyond
// validation and encoding, and knows nothing of NATS, stores or models. Start reading
// at turn.go.
package protocol
