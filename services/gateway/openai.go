package gateway

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// openaiPrefix begins the paths of OpenAI's protocol.
const openaiPrefix = "/openai/"

// openai are the doors of OpenAI's protocol, with and without its version in the path:
// clients disagree on which of the two is the base.
func (g *Gateway) openai(mux *http.ServeMux) {
	for _, base := range []string{openaiPrefix + "v1", strings.TrimSuffix(openaiPrefix, "/")} {
		for pattern, h := range map[string]handler{
			"GET " + base + "/models":            g.models,
			"GET " + base + "/models/{model...}": g.model,
			"POST " + base + "/chat/completions": g.chat,
			"POST " + base + "/responses":        g.responses,
		} {
			mux.Handle(pattern, g.guarded(door{access.Play, h}, writeOpenAIError))
		}
	}
}

// openaiError is an error in OpenAI's shape.
type openaiError struct {
	Error openaiFault `json:"error"`
}

type openaiFault struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func asOpenAIError(p *Problem) openaiError {
	kind := "invalid_request_error"
	switch {
	case p.Status == http.StatusUnauthorized:
		kind = "authentication_error"
	case p.Status == http.StatusForbidden:
		kind = "permission_error"
	case p.Status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case p.Status >= http.StatusInternalServerError:
		kind = "server_error"
	}
	code := strings.ToLower(p.Code)
	out := openaiError{openaiFault{Message: p.Detail, Type: kind, Code: &code}}
	if p.Field != "" {
		out.Error.Param = &p.Field
	}
	return out
}

func writeOpenAIError(w http.ResponseWriter, p *Problem) {
	p.headers(w.Header())
	writeJSON(w, p.Status, asOpenAIError(p))
}

// openaiModel is an NPC, as a model.
type openaiModel struct {
	ID      string `json:"id"` // hollowmere/mira
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
	Name    string `json:"name"`
}

// modelsBegan is when models were made, as clients want one: the same for all.
const modelsBegan = 1767225600

func modelOf(world string, n *schema.NPCInfo) openaiModel {
	return openaiModel{world + "/" + n.Handle, "model", modelsBegan, "forsooth", n.Name}
}

func (g *Gateway) models(w http.ResponseWriter, r *http.Request, c *caller) error {
	worlds, err := g.catalog.all(r.Context(), c)
	if err != nil {
		return err
	}
	out := []openaiModel{}
	for i := range worlds {
		for j := range worlds[i].NPCs {
			if n := &worlds[i].NPCs[j]; c.with(n.Handle) == nil {
				out = append(out, modelOf(worlds[i].Name, n))
			}
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": out})
	return nil
}

func (g *Gateway) model(w http.ResponseWriter, r *http.Request, c *caller) error {
	world, npc, err := g.npcOf(r, c, r.PathValue("model"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, modelOf(world, npc))
	return nil
}

// npcOf is the NPC that a model's name means, where the caller may talk to it.
func (g *Gateway) npcOf(r *http.Request, c *caller, model string) (string, *schema.NPCInfo, error) {
	world, handle, ok := strings.Cut(model, "/")
	if !ok || schema.CheckToken("world", world) != nil || schema.CheckToken("npc", handle) != nil {
		return "", nil, noModel()
	}
	if err := c.may(access.Play, world); err != nil {
		return "", nil, err
	}
	if err := c.with(handle); err != nil {
		return "", nil, err
	}
	npc, err := g.catalog.npc(r.Context(), world, handle)
	if err != nil && asProblem(err).Status == http.StatusNotFound {
		return "", nil, noModel()
	}
	return world, npc, err
}

func noModel() error {
	return problem(http.StatusNotFound, "MODEL_NOT_FOUND", "there is no such model; a model is an NPC, such as "+
		"hollowmere/mira, and GET models lists them").on("model")
}

// text is the content of a message: a string, or parts of which the texts count.
type text string

// UnmarshalJSON reads both forms.
func (t *text) UnmarshalJSON(data []byte) error {
	var plain *string
	if json.Unmarshal(data, &plain) == nil {
		if plain != nil {
			*t = text(*plain)
		}
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return &schema.FieldError{Field: "messages", Reason: "hold content that is neither text nor parts of text"}
	}
	var all []string
	for _, p := range parts {
		if p.Type == "text" || p.Type == "input_text" || p.Type == "output_text" {
			all = append(all, p.Text)
		}
	}
	*t = text(strings.Join(all, "\n"))
	return nil
}
