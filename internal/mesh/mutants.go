package mesh

// What a build may break; mutant, which the linker sets, says which. In a build without
// the tag it is a constant, none of these, and the compiler leaves nothing of the branches.
const (
	mutantDedupe           = "dedupe"
	mutantFencing          = "fencing"
	mutantAppliedCheck     = "applied_check"
	mutantDeadlineSchedule = "deadline_schedule"
	mutantReviewRecord     = "review_record"
	mutantAckEarly         = "ack_before_publish"
	mutantReleasedPrefix   = "released_prefix"
)
