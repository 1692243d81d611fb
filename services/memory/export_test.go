package memory

import "github.com/forsooth-npc/forsooth/pkg/schema"

// Queued is how many replies of a conversation are being read, or wait for that.
func (s *Service) Queued(convo schema.ConversationID) int {
	s.order.mu.Lock()
	defer s.order.mu.Unlock()
	return len(s.order.of[convo])
}
