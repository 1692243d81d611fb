package studio_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/services/gateway/studio"
)

func ask(path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	studio.Handler().ServeHTTP(w, r)
	return w
}

// The page loads in well under 300 KB, and each of its files has a type and the policy.
func TestThePageIsSmallAndWhole(t *testing.T) {
	total := 0
	for name, size := range studio.Files() {
		if name != "" && !strings.HasSuffix(name, ".LICENSE") {
			total += size
		}
		got := ask(studio.Path + name)
		if got.Code != http.StatusOK || got.Body.Len() != size || got.Header().Get("Content-Type") == "" ||
			!strings.Contains(got.Header().Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %d %v", name, got.Code, got.Header())
		}
	}
	t.Logf("%d bytes in all", total)
	if total > 300_000 || total < 30_000 {
		t.Errorf("%d bytes", total)
	}
	if got := ask(studio.Path + "nothing.js"); got.Code != http.StatusNotFound {
		t.Errorf("what there is not: %d", got.Code)
	}
	page := ask(studio.Path).Body.String()
	for name := range studio.Files() { // asked for at once, and not one after the other
		if strings.HasSuffix(name, ".js") && !strings.Contains(page, `"`+name+`"`) {
			t.Errorf("the page does not load %s with the first", name)
		}
	}
	tag := ask(studio.Path + "app.js").Header().Get("ETag")
	if got := ask(studio.Path+"app.js", "If-None-Match", tag); got.Code != http.StatusNotModified || got.Body.Len() > 0 {
		t.Errorf("what the browser has: %d, %d bytes", got.Code, got.Body.Len())
	}
}

// No file asks for anything of another origin, and none makes markup of a text.
func TestThePageAsksNobodyElse(t *testing.T) {
	foreign := regexp.MustCompile(`(?i)(src|href|import|from|url\()\s*[=(]?\s*["']?(https?:)?//`)
	markup := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function`)
	for name := range studio.Files() {
		text := ask(studio.Path + name).Body.String()
		if strings.HasSuffix(name, ".LICENSE") {
			continue
		}
		if m := foreign.FindString(text); m != "" {
			t.Errorf("%s asks for %q", name, m)
		}
		if m := markup.FindString(text); m != "" && !strings.HasPrefix(name, "vendor/") {
			t.Errorf("%s makes markup by %s", name, m)
		}
	}
}
