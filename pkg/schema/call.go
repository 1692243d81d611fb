package schema

// Calls are the structured calls to a language model, by the names of their JSON
// Schemas: what settings and NPCs may set a model, a timeout or a token budget for.
var Calls = []string{"citation_query", "rerank", "compact", "monologue", "decision", "speech", "lean", "actions", "judge", "memories", "cluster"}
