package gateway_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// page is the inspector in a browser.
type page struct {
	t    *testing.T
	ctx  context.Context
	url  string
	mu   sync.Mutex
	said []string // errors and warnings of the console
}

// chromium is the browser of this machine, or the test is left out.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	say := t.Skip
	if os.Getenv("FORSOOTH_TEST_ALL") != "" && os.Getuid() == 0 {
		say = t.Fatal
	}
	say("Chromium is not installed; run `make chromium`, or install it")
	return ""
}

// browse opens the inspector of a gateway in a browser of its own. What the console says
// against the page is a failure of the test.
func browse(t *testing.T, url string, width, height int64, scheme string) *page {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox,
		chromedp.UserDataDir(t.TempDir()))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	p := &page{t: t, url: url}
	ctx, leave := chromedp.NewContext(ctx, chromedp.WithListener(p.hear))
	p.ctx = ctx
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); leave(); stop() })
	must(t, chromedp.Do(ctx)) // the browser lives as long as this context
	send(p, log.Enable, cdp.Empty{})
	send(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}}})
	p.do(chromedp.EmulateViewport(width, height))
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, s := range p.said {
			t.Errorf("the console says %s", s)
		}
	})
	return p
}

func (p *page) hear(event any) {
	var text string
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			text = e.Entry.Text + " " + e.Entry.URL
		}
	case *runtime.EventExceptionThrown:
		text = e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += ": " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			for _, a := range e.Args {
				text += a.Description + string(a.Value)
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if text != "" {
		p.said = append(p.said, text)
	}
}

// expects takes from the console what a story is about.
func (p *page) expects(part string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var rest []string
	for _, s := range p.said {
		if !strings.Contains(s, part) {
			rest = append(rest, s)
		}
	}
	if len(rest) == len(p.said) {
		p.t.Errorf("the console does not say %q", part)
	}
	p.said = rest
}

// send sends a command of the protocol.
func send[P, R any](p *page, command cdp.Command[P, R], params P) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.t.Fatal(err)
	}
}

// do does something, in the time that a slow machine may take.
func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, time.Minute)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%v; the page says:\n%s", err, p.text())
	}
}

func (p *page) text() string {
	text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.body.innerText`))
	return text
}

// eval gives what an expression is in the page.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, time.Minute)
	defer stop()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// at goes to a place of the inspector.
func (p *page) at(place string) { p.t.Helper(); p.do(chromedp.Navigate(p.url + "/studio/#/" + place)) }

// sees waits until a text stands in what a selector picks.
func (p *page) sees(selector, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent.includes(%q))`, selector, text))
}

// until waits until an expression holds.
func (p *page) until(expression string) {
	p.t.Helper()
	for limit := time.Now().Add(45 * time.Second); !eval[bool](p, "!!("+expression+")"); {
		if time.Now().After(limit) {
			p.shot("failed")
			p.t.Fatalf("it does not come: %s; the page says:\n%s", expression, p.text())
		}
	}
}

// click clicks the first of those that a selector picks and that hold a text.
func (p *page) click(selector, text string) {
	p.t.Helper()
	p.sees(selector, text)
	eval[bool](p, fmt.Sprintf(`([...document.querySelectorAll(%q)].find(e => e.textContent.includes(%q)).click(), true)`,
		selector, text))
}

// press presses keys, one after the other, wherever the focus is.
func (p *page) press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.do(chromedp.KeyEvent(k))
	}
}

// says types a message to the NPC and sends it by Enter.
func (p *page) says(message string) {
	p.t.Helper()
	p.until(`document.querySelector("#message")`)
	eval[bool](p, `(document.querySelector("#message").focus(), true)`)
	p.press(message, kb.Enter)
}

// fill puts a text into the first field that a selector picks, as a person types it.
func (p *page) fill(selector, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.querySelector(%q)`, selector))
	eval[bool](p, fmt.Sprintf(`(document.querySelector(%q).focus(), document.querySelector(%q).select(), true)`, selector,
		selector))
	p.press(text)
}

// choose takes an option of the first list that a selector picks.
func (p *page) choose(selector, value string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`[...document.querySelectorAll(%q+" option")].some(o => o.value === %q)`, selector, value))
	eval[bool](p, fmt.Sprintf(`((e) => { e.value = %q;
		e.dispatchEvent(new Event("change", {bubbles: true})); return true; })
		(document.querySelector(%q))`, value, selector))
}

// count is how many elements a selector picks.
func (p *page) count(selector string) int {
	p.t.Helper()
	return eval[int](p, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector))
}

// shot keeps a picture where INSPECTOR_SHOTS names a folder, for a person to look at.
func (p *page) shot(name string) {
	p.t.Helper()
	folder := os.Getenv("INSPECTOR_SHOTS")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	must(p.t, err)
	must(p.t, os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600))
}
