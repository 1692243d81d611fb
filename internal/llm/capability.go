package llm

import (
	"errors"
	"net/http"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// The ways to ask for JSON, from what binds a model most to what binds it least.
const (
	formSchema int32 = iota // response_format: json_schema
	formObject              // response_format: json_object
	formPlain               // by words alone
)

// stepDown learns from a refusal what the server does not take, and says whether
// the call is worth making again in another form. What was learnt holds for the
// life of the client.
func (r *rung) stepDown(err error) bool {
	status, message := refusal(err)
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity && status != http.StatusNotImplemented {
		return false
	}
	m := strings.ToLower(message)
	switch {
	case strings.Contains(m, "stream_options") || strings.Contains(m, "include_usage"):
		return !r.noUsage.Swap(true)
	case strings.Contains(m, "response_format"), strings.Contains(m, "json_schema"), strings.Contains(m, "json_object"), strings.Contains(m, "schema"),
		strings.Contains(m, "structured output"), strings.Contains(m, "guided"):
		return r.lower()
	case strings.Contains(m, "stream"):
		return !r.noStream.Swap(true)
	}
	return false
}

// lower goes one form down, however many calls are told so at once.
func (r *rung) lower() bool {
	now := r.form.Load()
	if now == formPlain {
		return false
	}
	r.form.CompareAndSwap(now, now+1)
	return true
}

// refusal is the status and the words of a server's error.
func refusal(err error) (int, string) {
	var api *openai.APIError
	var request *openai.RequestError
	switch {
	case errors.As(err, &api):
		return api.HTTPStatusCode, api.Message
	case errors.As(err, &request):
		return request.HTTPStatusCode, string(request.Body)
	}
	return 0, ""
}

// passing says whether an error may be gone when the server is asked again.
func passing(err error) bool {
	status, _ := refusal(err)
	switch {
	case errors.Is(err, errPage), isCertificate(err), errors.Is(err, errEndless), isDenied(err):
		return false
	case status == 0, status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		return true
	}
	return false
}
