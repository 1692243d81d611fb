package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Text is given while the server still speaks.
func TestTextIsGivenAsItComes(t *testing.T) {
	heard := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ asked) {
		w.Header().Set("Content-Type", "text/event-stream")
		piece(w, good[:30], "")
		select { // the rest only after the first was heard
		case <-heard:
			piece(w, good[30:], "stop")
		case <-r.Context().Done():
		}
	})
	m, _ := client(t, Options{}, s.URL)
	var text strings.Builder
	answer, err := m.Stream(within(t, 10*time.Second), request(turnOf(schema.PassSpeak)), func(delta string) error {
		if text.Len() == 0 {
			close(heard)
		}
		text.WriteString(delta)
		return nil
	})
	if err != nil || text.String() != good || string(answer.JSON) != good {
		t.Errorf("read %q, got %s, %v", text.String(), answer.JSON, err)
	}
}

// However an answer comes, its reader gets the text from its first brace, once.
func TestStreamsOfAllKinds(t *testing.T) {
	inOnePiece := func(w http.ResponseWriter, _ *http.Request, _ asked) { whole(w, good, "stop", true) }
	for _, c := range []struct {
		name     string
		says     []reaction
		read     string
		pieces   bool
		err      error
		requests int
	}{
		{"as asked", []reaction{say(good)}, good, true, nil, 1},
		{"in a fence", []reaction{say("```json\n" + good + "\n```")}, good + "\n```", true, nil, 1},
		{"behind thoughts", []reaction{say("\n<think>a {b}</think> " + good)}, good, true, nil, 1},
		{"in one piece", []reaction{inOnePiece}, good, false, nil, 1},
		{"in one piece that does not fit, then well",
			[]reaction{func(w http.ResponseWriter, _ *http.Request, _ asked) { whole(w, "{}", "stop", true) }, inOnePiece}, good,
			false, nil, 2},
		{"in prose, then well", []reaction{say("The mill burned."), say(good)}, good, true, nil, 2},
		{"in prose, twice", []reaction{say("The mill burned.")}, "", false, ErrAnswer, 2},
		{"failing at first", []reaction{fail(500, "oops"), say(good)}, good, true, nil, 2},
		{"cut half-way", []reaction{cut(good[:40])}, good[:40], true, ErrCut, 1},
		{"cut before the first word", []reaction{cut(""), say(good)}, good, true, nil, 2},
		{"cut behind the last word", []reaction{cut(good)}, good, true, nil, 1},
		{"ended half-way", []reaction{say(good[:40])}, good[:40], true, ErrCut, 1},
		{"an error half-way", []reaction{failing(good[:40])}, good[:40], true, ErrCut, 1},
		{"not of the schema", []reaction{say(`{"words":["no"]}`)}, `{"words":["no"]}`, true, ErrCut, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.says...)
			m, told := client(t, Options{}, s.URL)
			var read strings.Builder
			pieces := 0
			answer, err := m.Stream(within(t, 10*time.Second), request(turnOf(schema.PassSpeak)), func(delta string) error {
				pieces++
				read.WriteString(delta)
				return nil
			})
			if !errors.Is(err, c.err) || c.err == nil && string(answer.JSON) != good {
				t.Errorf("got %s, %v; want %v", answer.JSON, err, c.err)
			}
			if read.String() != c.read || pieces > 1 != c.pieces {
				t.Errorf("read %q in %d pieces, want %q", read.String(), pieces, c.read)
			}
			if n := len(s.requests()); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
			if c.err != nil && len(told.list()) != 1 {
				t.Errorf("reported %+v, want one line", told.list())
			}
		})
	}
}

// cut sends the beginning of a stream and hangs up.
func cut(text string) reaction {
	return func(w http.ResponseWriter, _ *http.Request, _ asked) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, r := range strings.SplitAfter(text, " ") {
			if r != "" {
				piece(w, r, "")
			}
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		panic(http.ErrAbortHandler)
	}
}

// failing sends the beginning of a stream and then an error.
func failing(text string) reaction {
	return func(w http.ResponseWriter, _ *http.Request, _ asked) {
		w.Header().Set("Content-Type", "text/event-stream")
		piece(w, text[:10], "")
		piece(w, text[10:], "")
		_, _ = w.Write([]byte(`data: {"error":{"message":"out of memory","type":"server_error"}}` + "\n\n"))
	}
}

// An answer without an end is read only so far, and its request ends.
func TestEndlessAnswersEnd(t *testing.T) {
	for _, c := range []struct {
		name        string
		begin, more string
		most        int // bytes
	}{
		{"words", `{"sentences":[{"text":"`, "and then ", Limits{MaxTokens: 900}.bytes()},
		{"white space", `{"sentences":[`, "  \n", 2 * maxBlank},
		{"prose", "", "once upon a time ", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			gone := make(chan struct{}, 1)
			s := serve(t, func(w http.ResponseWriter, r *http.Request, _ asked) {
				w.Header().Set("Content-Type", "text/event-stream")
				piece(w, c.begin, "")
				for r.Context().Err() == nil {
					piece(w, c.more, "")
				}
				gone <- struct{}{}
			})
			m, told := client(t, Options{}, s.URL)
			turn := turnOf(schema.PassSpeak)
			read := 0
			_, err := m.Stream(within(t, 20*time.Second), request(turn), func(s string) error { read += len(s); return nil })
			if !errors.Is(err, ErrAnswer) || read > c.most || turn.Passes[0].TokensOut == 0 {
				t.Errorf("read %d bytes, counted %+v: %v", read, turn.Passes[0], err)
			}
			<-gone
			if all := told.list(); len(all) != 1 || !strings.Contains(all[0].Line, "does not end") {
				t.Errorf("reported %+v", all)
			}
		})
	}
}

// A body without end is read only so far, whatever is in it.
func TestABodyWithoutEndEnds(t *testing.T) {
	body := &limited{ReadCloser: io.NopCloser(endless{}), left: 1 << 20}
	if n, err := io.Copy(io.Discard, body); n != 1<<20 || !errors.Is(err, errEndless) {
		t.Errorf("read %d bytes: %v", n, err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A cancel, of the turn or by the reader, reaches the server, and is nobody's failure.
func TestACancelReachesTheServer(t *testing.T) {
	enough := errors.New("enough")
	speaks := func(gone chan<- struct{}) reaction {
		return func(w http.ResponseWriter, r *http.Request, _ asked) {
			w.Header().Set("Content-Type", "text/event-stream")
			piece(w, good[:30], "")
			<-r.Context().Done()
			gone <- struct{}{}
		}
	}
	for _, c := range []struct {
		name string
		run  func(t *testing.T, m *Models, q Request) error
		want error
	}{
		{"by the reader", func(t *testing.T, m *Models, q Request) error {
			_, err := m.Stream(within(t, 10*time.Second), q, func(string) error { return enough })
			return err
		}, enough},
		{"by the turn, in a stream", func(t *testing.T, m *Models, q Request) error {
			ctx, cancel := context.WithCancelCause(within(t, 10*time.Second))
			_, err := m.Stream(ctx, q, func(string) error { cancel(errors.New("superseded")); return nil })
			return err
		}, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			gone := make(chan struct{}, 1)
			m, told := client(t, Options{}, serve(t, speaks(gone)).URL)
			turn := turnOf(schema.PassSpeak)
			if err := c.run(t, m, request(turn)); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			<-gone
			if counts := m.rungs[0].breaker.Counts(); counts.TotalFailures != 0 || len(told.list()) != 0 {
				t.Errorf("held against the server: %+v, %+v", counts, told.list())
			}
			if turn.Passes[0].Tokens == 0 {
				t.Error("what was cancelled was paid for, and is not counted")
			}
		})
	}
	t.Run("by the turn, of a whole answer", func(t *testing.T) {
		gone := make(chan struct{}, 1)
		ctx, cancel := context.WithCancel(within(t, 10*time.Second))
		m, told := client(t, Options{}, serve(t, func(w http.ResponseWriter, r *http.Request, q asked) {
			cancel()
			hang(gone)(w, r, q)
		}).URL)
		if _, err := m.Complete(ctx, request(turnOf(schema.PassSpeak))); !errors.Is(err, context.Canceled) ||
			len(told.list()) != 0 {
			t.Errorf("got %v, reported %+v", err, told.list())
		}
		<-gone
	})
}
