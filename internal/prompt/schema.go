package prompt

import "encoding/json"

// schemas are the answers' JSON Schemas. They are small on purpose: servers
// differ in what they take, and every answer is validated here again.
var schemas = map[string]string{
	CitationQuery: `{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"},"maxItems":3}}` +
		`,"required":["queries"],"additionalProperties":false}`,
	Rerank: `{"type":"object","properties":{"order":{"type":"array","items":{"type":"string"}}}` +
		`,"required":["order"],"additionalProperties":false}`,
	Compact: `{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]` +
		`,"additionalProperties":false}`,
	Monologue: `{"type":"object","properties":{"thoughts":{"type":"array","items":{"type":"object"` +
		`,"properties":{"text":{"type":"string"},"citations":{"type":"array","items":{"type":"string"}}}` +
		`,"required":["text","citations"],"additionalProperties":false}}},"required":["thoughts"]` +
		`,"additionalProperties":false}`,
	Decision: `{"type":"object","properties":{"plan":{"type":"array","items":{"type":"string"}}` +
		`,"share":{"type":"array","items":{"type":"string"}},"withhold":{"type":"array","items":{"type":"object"` +
		`,"properties":{"topic":{"type":"string"},"reason":{"type":"string"}},"required":["topic","reason"]` +
		`,"additionalProperties":false}},"tone":{"type":"string"},"ask":{"type":"string"},"actions":{"type":"array"` +
		`,"items":{"type":"string"}}},"required":["plan","share","withhold","tone","ask","actions"]` +
		`,"additionalProperties":false}`,
	Speech: `{"type":"object","properties":{"sentences":` + sentences + `},"required":["sentences"]` +
		`,"additionalProperties":false}`,
	Lean: `{"type":"object","properties":{"plan":{"type":"string"},"sentences":` + sentences +
		`,"actions":{"type":"array","items":{"type":"string"}}},"required":["plan","sentences","actions"]` +
		`,"additionalProperties":false}`,
	Actions: `{"type":"object","properties":{"actions":{"type":"array","items":{"type":"object"` +
		`,"properties":{"name":{"type":"string"},"parameters":{"type":"object"}},"required":["name","parameters"]` +
		`,"additionalProperties":false}}},"required":["actions"],"additionalProperties":false}`,
	Claims: `{"type":"object","properties":{"sentences":{"type":"array","items":{"type":"object"` +
		`,"properties":{"n":{"type":"integer"},"claims":{"type":"array","items":{"type":"string"}}}` +
		`,"required":["n","claims"],"additionalProperties":false}}},"required":["sentences"],"additionalProperties":false}`,
	Memories: `{"type":"object","properties":{"memories":{"type":"array","maxItems":12,"items":{"type":"object"` +
		`,"properties":{"kind":{"type":"string","enum":["fact","preference","relation","event","promise"]}` +
		`,"subject":{"type":"string"},"predicate":{"type":"string"},"object":{"type":"string"}` +
		`,"content":{"type":"string"},"confidence":{"type":"number"},"evidence_spans":{"type":"array"` +
		`,"items":{"type":"string"}}},"required":["kind","subject","predicate","object","content","confidence"` +
		`,"evidence_spans"],"additionalProperties":false}}},"required":["memories"],"additionalProperties":false}`,
	Cluster: `{"type":"object","properties":{"verdict":{"type":"string","enum":["EQUIVALENT","TEMPORAL_EVOLUTION"` +
		`,"CONTRADICTION","DISTINCT"]},"reasoning":{"type":"string"}},"required":["verdict","reasoning"]` +
		`,"additionalProperties":false}`,
	Judge: `{"type":"object","properties":{"verdicts":{"type":"array","items":{"type":"object"` +
		`,"properties":{"n":{"type":"integer"},"kind":{"type":"string","enum":["world","self","social"]}` +
		`,"verdict":{"type":"string","enum":["supported","contradicted","unverifiable"]},"difference":{"type":"string"}` +
		`,"confidence":{"type":"number"}},"required":["n","kind","verdict","difference","confidence"]` +
		`,"additionalProperties":false}}},"required":["verdicts"],"additionalProperties":false}`,
}

const sentences = `{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"}` +
	`,"citations":{"type":"array","items":{"type":"object","properties":{"claim":{"type":"string"}` +
	`,"evidence_id":{"type":"string"}},"required":["claim","evidence_id"],"additionalProperties":false}}}` +
	`,"required":["text","citations"],"additionalProperties":false}}`

// Schema is the JSON Schema of a call's answer.
func Schema(name string) json.RawMessage { return json.RawMessage(schemas[name]) }
