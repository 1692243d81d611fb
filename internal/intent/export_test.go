package intent

// Instructs and MatchesInstructions let a test compare the cheap look with the
// patterns behind it.
var (
	Instructs           = instructs
	MatchesInstructions = instructions.MatchString
)
