//go:build mutant && mutant_review_record

package mesh

// mutant breaks this build: a sentence is released without its review record.
const mutant = mutantReviewRecord
