package grounding

import "github.com/forsooth-npc/forsooth/internal/protocol"

// SpeechWords is how long a speech of a class may be, in words.
func SpeechWords(c protocol.Class) int {
	switch c {
	case protocol.ClassGreeting:
		return 15
	case protocol.ClassMedium:
		return 40
	}
	return 90
}

// ThoughtWords is how long the thoughts of a class may be, in words.
func ThoughtWords(c protocol.Class) int {
	switch c {
	case protocol.ClassGreeting:
		return 20
	case protocol.ClassMedium:
		return 50
	}
	return 150
}
