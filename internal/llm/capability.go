package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sashabaranov/go-openai"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The ways to ask for JSON, from what binds a model most to what binds it least.
const (
	asSchema int32 = iota // response_format: json_schema
	asObject              // response_format: json_object
	asPlain               // by words alone
)

// ability is what was found out about a model of a server. It is learnt from
// refusals and holds for the life of the client.
type ability struct {
	json      atomic.Int32
	noUsage   atomic.Bool // it refuses stream_options
	noStream  atomic.Bool // it refuses to stream
	pieces    atomic.Bool // it takes the wish to stream, and answers in one piece
	newTokens atomic.Bool // it wants max_completion_tokens
	ownHeat   atomic.Bool // it sets its temperature itself
	noOdds    atomic.Bool // it refuses to give the probabilities of its tokens
}

func (r *rung) ability(model string) *ability {
	a, _ := r.abilities.LoadOrStore(model, &ability{})
	return a.(*ability) //nolint:forcetypeassert // nothing else is stored
}

// form is how one request is made. A refusal is held against it, and not against
// what another call has learnt meanwhile.
type form struct {
	json                           int32
	stream, usage, newTokens, heat bool
	word                           bool // with the probabilities of the tokens, where a word is asked for
}

func (a *ability) form(stream, heat bool) form {
	f := form{json: a.json.Load(), newTokens: a.newTokens.Load()}
	f.stream = stream && !a.noStream.Load()
	f.usage = f.stream && !a.noUsage.Load()
	f.heat = heat && !a.ownHeat.Load()
	f.word = !a.noOdds.Load()
	return f
}

var (
	ofSchema = regexp.MustCompile(
		`(?i)response_?format|json_?(schema|object)|\bschema\b|structured.output|guided|grammar`)
	ofUsage  = regexp.MustCompile(`(?i)stream_options|include_usage`)
	ofStream = regexp.MustCompile(`(?i)\bstream(ing|ed)?\b`)
	ofTokens = regexp.MustCompile(`(?i)max_completion_tokens|MaxCompletionTokens|unsupported.*max_tokens` +
		`|max_tokens.*(un|not )supported`)
	ofOdds    = regexp.MustCompile(`(?i)log_?probs?`)
	ofHeat    = regexp.MustCompile(`(?i)temperature`)
	jsonNames = []string{"schema", "object", "plain"}
)

// learn takes from a refusal what the server does not take, and says whether the
// call is worth making again in another form. The lesson is what a person should
// know of it, once.
func (a *ability) learn(sent form, err error) (lesson string, again bool) {
	message, ok := refusedForm(err)
	if !ok {
		return "", false
	}
	switch {
	case sent.word && ofOdds.MatchString(message):
		a.noOdds.Store(true)
		return "", true
	case sent.usage && ofUsage.MatchString(message):
		a.noUsage.Store(true)
		return "", true
	case sent.json != asPlain && ofSchema.MatchString(message):
		if a.json.CompareAndSwap(sent.json, sent.json+1) {
			lesson = jsonLessons[sent.json]
		}
		return lesson, true
	case !sent.newTokens && ofTokens.MatchString(message):
		a.newTokens.Store(true)
		return "", true
	case sent.heat && ofHeat.MatchString(message):
		a.ownHeat.Store(true)
		return "", true
	case sent.stream && ofStream.MatchString(message):
		if !a.noStream.Swap(true) {
			lesson = streamLesson
		}
		return lesson, true
	}
	return "", false
}

var jsonLessons = map[int32]string{
	asSchema: "it refuses JSON Schemas; it is asked for JSON and each answer is checked here: a server that knows " +
		"response_format json_schema errs less",
	asObject: "it refuses JSON mode; it is asked in words and each answer is checked here: a server that knows " +
		"response_format json_schema errs less",
}

const streamLesson = "it does not stream, so the first sentence waits for the last; take a server that knows " +
	"stream: true"

// answered notes whether an answer came in one piece. It costs nothing to ask for
// a stream again, so that a server which streams at other times is asked to.
func (a *ability) answered(inOnePiece bool) (lesson string) {
	if inOnePiece && !a.pieces.Swap(true) {
		return streamLesson
	}
	return ""
}

// refusedForm gives the words of a refusal that may be one of the request's form:
// by the server, or by the client library, which knows some models by name.
func refusedForm(err error) (string, bool) {
	status, message := refusal(err)
	switch {
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity, status == http.StatusNotImplemented:
		return message, true
	case errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated):
		return "max_completion_tokens", true
	case errors.Is(err, openai.ErrReasoningModelLimitationsOther), errors.Is(err, openai.ErrReasoningSamplingUnsupported):
		return "temperature", true
	}
	return "", false
}

// refusal is the status and the words of a server's error.
func refusal(err error) (int, string) {
	var api *openai.APIError
	var request *openai.RequestError
	switch {
	case errors.As(err, &api):
		return api.HTTPStatusCode, api.Message
	case errors.As(err, &request):
		if isPage(request.Body) {
			return request.HTTPStatusCode, http.StatusText(request.HTTPStatusCode)
		}
		return request.HTTPStatusCode, string(request.Body)
	}
	return 0, ""
}

// isPage says whether a body is a page for people.
func isPage(body []byte) bool { return strings.HasPrefix(strings.TrimSpace(string(body)), "<") }

// Capability says what was found out about a provider's server.
type Capability struct {
	JSON   string // schema, object or plain
	Stream bool
}

// Capabilities are those of the providers with their own models, in the order of
// the ladder, as far as calls have shown them.
func (m *Models) Capabilities() []Capability {
	var out []Capability
	for _, r := range m.rungs {
		a := r.ability(r.Model)
		out = append(out, Capability{JSON: jsonNames[a.json.Load()], Stream: !a.noStream.Load() && !a.pieces.Load()})
	}
	return out
}

// checkTime is how long a provider may take to answer Check.
const checkTime = 20 * time.Second

// Check makes one small call and says in one line what is wrong with a provider,
// and how to mend it; nil is a provider that answers as it should, in whatever
// form it takes the question.
func Check(ctx context.Context, p Provider) error {
	m, err := New(Config{Primary: p}, Options{})
	if err != nil {
		return err
	}
	defer m.Close()
	turn := &protocol.Turn{Passes: []schema.PassRecord{{Pass: schema.PassSpeak, Attempt: 1}}}
	c := &call{Request: Request{
		Name: "speech", Schema: json.RawMessage(checkSchema), Meter: NewMeter(turn), World: "doctor", Player: "doctor",
		System: `Answer as JSON of the schema "speech": {"sentences":[{"text":"...","citations":[]}]}. Say one short ` +
			`greeting.`, User: "Good day.",
	}, model: p.Model, limits: Limits{MaxTokens: 200}, reader: func(string) error { return nil }}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if _, err := m.ask(ctx, m.rungs[0], c); err != nil {
		return &plain{line: m.rungs[0].line(err, p.Model), is: kinds(err)}
	}
	return nil
}

const checkSchema = `{"type":"object","properties":{"sentences":{"type":"array","items":{"type":"object"` +
	`,"properties":{"text":{"type":"string"},"citations":{"type":"array"}},"required":["text"]}}}` +
	`,"required":["sentences"]}`
