package schema

// The types of what an NPC's file says of the NPC itself, beside its backstory.
const (
	TypePersonality = "self-personality" // what it is like
	TypeGoal        = "self-goal"        // what it wants
)
