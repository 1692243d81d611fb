package text

// Months and Weekdays are their names for a regular expression, one or the other.
const (
	Months   = `january|february|march|april|may|june|july|august|september|october|november|december`
	Weekdays = `monday|tuesday|wednesday|thursday|friday|saturday|sunday`
)
