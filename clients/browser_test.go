//go:build unix

package clients_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// The JavaScript client plays the transcript in a browser too, from a page of another origin.
func TestTheJavaScriptClientPlaysInABrowser(t *testing.T) {
	chromium := need(t, "chromium", "chromium-browser", "google-chrome", "chrome")
	script := readTranscript(t)
	s := open(t, script)
	heard := make(chan string, 1)
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("js")))
	mux.HandleFunc("/transcript.json",
		func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, transcriptFile) })
	mux.HandleFunc("POST /heard", func(_ http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		heard <- string(data)
	})
	page := httptest.NewServer(mux)
	t.Cleanup(page.Close)
	for _, transport := range []string{"http", "socket"} {
		t.Run(transport, func(t *testing.T) {
			who := "browser-" + transport
			asked := url.Values{"transport": {transport}, "FORSOOTH_URL": {s.url}, "FORSOOTH_KEY": {s.key},
				"FORSOOTH_TRANSCRIPT": {"transcript.json"}, "FORSOOTH_WHO": {who},
				"FORSOOTH_TOKEN": {s.token(t, "token-"+who)}}
			browse(t, chromium, page.URL+"/conformance.html?"+asked.Encode())
			select {
			case out := <-heard:
				compare(t, script, lines(t, []byte(out)))
				if t.Failed() {
					t.Log(out)
				}
			case <-time.After(2 * time.Minute):
				t.Fatal("the page tells nothing")
			}
		})
	}
}

// browse opens a page in a browser without a window, until the test ends.
func browse(t *testing.T, chromium, page string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	run := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", page)
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	run.Cancel = func() error { return syscall.Kill(-run.Process.Pid, syscall.SIGKILL) } // with its children
	must(t, run.Start())
	t.Cleanup(func() { stop(); _ = run.Wait() })
}
