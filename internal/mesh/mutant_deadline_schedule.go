//go:build mutant && mutant_deadline_schedule

package mesh

// mutant breaks this build: no deadline is scheduled.
const mutant = mutantDeadlineSchedule
