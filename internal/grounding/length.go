package grounding

import "github.com/forsooth-npc/forsooth/pkg/schema"

// SpeechWords is how long a speech of a class may be, in words.
func SpeechWords(c schema.Class) int {
	switch c {
	case schema.ClassGreeting:
		return 15
	case schema.ClassMedium:
		return 40
	}
	return 90
}

// ThoughtWords is how long the thoughts of a class may be, in words.
func ThoughtWords(c schema.Class) int {
	switch c {
	case schema.ClassGreeting:
		return 20
	case schema.ClassMedium:
		return 50
	}
	return 150
}
