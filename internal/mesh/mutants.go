package mesh

// What a build may break; mutant, a constant of the build, says which. In a build
// without tags it is none, and the compiler leaves nothing of these branches.
const (
	mutantDedupe           = "dedupe"
	mutantFencing          = "fencing"
	mutantAppliedCheck     = "applied check"
	mutantDeadlineSchedule = "deadline schedule"
	mutantReviewRecord     = "review record"
	mutantAckEarly         = "ack before publish"
	mutantReleasedPrefix   = "released prefix"
)
