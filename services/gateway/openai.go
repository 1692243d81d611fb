package gateway

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
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

// identity are the fields of OpenAI's protocol that may say who speaks.
type identity struct {
	User             string            `json:"user"`
	SafetyIdentifier string            `json:"safety_identifier"`
	Metadata         map[string]string `json:"metadata"`
}

// speaker is who speaks: whom the key or token is kept to, else whom a signed field
// names, else the user of a caller that is believed about it. Nobody of these is a
// guest, who is new at every request and whom no NPC remembers.
func (g *Gateway) speaker(c *caller, world, npc string, id *identity) (player string, err error) {
	if c.grant != nil || c.key != nil && c.key.Player != "" {
		return c.player("")
	}
	for _, field := range []string{id.Metadata["player_token"], id.User, id.SafetyIdentifier} {
		if access.IsToken(field) {
			return g.signed(c, world, npc, field)
		}
	}
	if name := cmp.Or(id.User, id.SafetyIdentifier); name != "" && (c.key == nil || c.key.Users) {
		return userToken(name), nil
	}
	return schema.GuestPrefix + strings.ToLower(g.client.NewID()), nil
}

// signed is the player of a token in a field, made under the key of the caller.
func (g *Gateway) signed(c *caller, world, npc, field string) (string, error) {
	refused := problem(http.StatusUnauthorized, CodeUnauthorized,
		"the player's token in this request is not known here, or no longer").on("user")
	if g.keys == nil || c.key == nil {
		return "", refused
	}
	key, grant, err := g.keys.Find(field)
	if err != nil || key.ID != c.key.ID || grant.World != world || grant.NPC != "" && grant.NPC != npc {
		return "", refused
	}
	return grant.Player, nil
}

// userToken is a player's id for whatever a client calls its user.
func userToken(name string) string {
	if schema.CheckToken("player", name) == nil {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return "u-" + hex.EncodeToString(sum[:16])
}

// Chat clients ask the model itself for titles, tags and the like. No NPC is bothered
// with that: it would be remembered, and cost a turn.

// webuiTask begins what Open WebUI asks for; the answer is JSON of one key.
const (
	webuiTask = "### Task:"
	webuiPart = "\n### " // it has further parts, which a player's words have not
)

// webuiKeys are what it asks for, by words of the request, the first that fits.
var webuiKeys = []struct {
	word, key string
	list      bool
}{{"follow_ups", "follow_ups", true}, {`"tags"`, "tags", true}, {`"queries"`, "queries", true},
	{`"title"`, "title", false}, {`"text"`, "text", false}}

// titles and summaries are what other clients ask for in words of their own, from the
// first word on: a player may ask an NPC for a story, a topic or what was said.
var (
	titles = regexp.MustCompile(`(?is)^\W*(please )?(generate|provide|write|create|suggest)\b[^.?!]{0,80}` +
		`\b(title|tags)\b[^.?!]{0,80}\b(conversation|chat|dialogue|exchange)\b`)
	summaries = regexp.MustCompile(`(?is)^\W{0,4}(pause your roleplay|ignore previous instructions)\.? summari[sz]e\b`)
)

// errand is the answer to a request that is for no NPC; false where it is for one. about
// is who the talk is with.
func errand(message, about string) (string, bool) {
	message = strings.TrimSpace(message)
	title := "Talk with " + about
	if rest, is := strings.CutPrefix(message, webuiTask); is && strings.Contains(rest, webuiPart) {
		for _, k := range webuiKeys {
			if !strings.Contains(rest, k.word) {
				continue
			}
			var value any = []string{}
			switch {
			case !k.list && k.key == "title":
				value = title
			case !k.list:
				value = ""
			}
			data, _ := json.Marshal(map[string]any{k.key: value}) // a text or an empty list
			return string(data), true
		}
		return "", true
	}
	switch {
	case summaries.MatchString(message):
		return "", true
	case titles.MatchString(message):
		return title, true
	}
	return "", false
}
