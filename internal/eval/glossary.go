package eval

// glossary says in a line what each metric counts.
var glossary = map[string]string{
	"citation_verification_first_attempt": "of the speeches that cite: every claim verified as first written",
	"self_correction":                     "of those that were not: approved later with nothing stripped",
	"retries_per_turn":                    "speeches written again, a turn",
	"faithfulness":                        "supported claims of all claims in what was released",
	"hallucination_rate":                  "released sentences without a record of support for every claim",
	"evidence_verbatim":                   "cited evidence that stands word for word in the file it names",
	"citation_accuracy":                   "answers that cite one of the documents their case expects",
	"fallback_rate": "turns that ended by deadline, outage or failed review, or without the " +
		"model that was to speak",
	"false_denials":                   "questions whose answer the NPC has that it answered by \"I don't know\"",
	"refusal_rate":                    "turns that ended unknown or withheld; good or bad by the suite",
	"non_corpus_citation_rate":        "cited evidence that is not corpus: state, or what was said",
	"non_corpus_rate":                 "cited evidence that is not corpus under a claim that it may not ground",
	"approved_first_attempt":          "of them: approved as first written, in length and form too",
	"thoughts_verified_first_attempt": "thoughts approved as first thought",
	"thought_retries_per_turn":        "thoughts thought again, a turn",
	"stripped_per_turn":               "sentences removed before release, a turn",
	"deeds_right":                     "requests that were done, asked back, refused or left alone, as wanted",
	"wrong_deeds":                     "requests for which an action was taken that nobody wanted",
	"llm_calls_per_turn":              "calls of a model, a turn",
	"llm_calls_worst":                 "calls of a model in the turn that made most",
	"tokens_per_turn":                 "tokens in and out, a turn",
	"cost_per_turn":                   "by the prices of the settings, a turn",
}

func meaning(metric string) string { return glossary[metric] }
