package gateway

import "net/http"

// openaiPrefix begins the paths of OpenAI's protocol.
const openaiPrefix = "/openai/"

func writeOpenAIError(w http.ResponseWriter, p *Problem) { writeProblem(w, p) }
