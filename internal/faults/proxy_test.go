package faults

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo answers every byte with itself.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); _, _ = io.Copy(c, c) }()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

func dial(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// asked sends a byte and waits a moment for the answer.
func asked(c net.Conn) error {
	_ = c.SetDeadline(time.Now().Add(200 * time.Millisecond))
	if _, err := c.Write([]byte("x")); err != nil {
		return err
	}
	_, err := io.ReadFull(c, make([]byte, 1))
	return err
}

func TestAConnectionIsCutStalledAndMended(t *testing.T) {
	p, err := Listen(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c := dial(t, p)
	if err := asked(c); err != nil {
		t.Fatalf("up: %v", err)
	}
	p.Stall()
	if err := asked(c); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("stalled: %v, want silence", err)
	}
	if err := asked(dial(t, p)); err != nil {
		t.Errorf("a new connection beside a stalled one: %v", err)
	}
	c = dial(t, p)
	p.Down()
	if err := asked(c); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("cut: %v, want the end of the connection", err)
	}
	if err := asked(dial(t, p)); err == nil {
		t.Error("a connection went through while down")
	}
	p.Up()
	if err := asked(dial(t, p)); err != nil {
		t.Errorf("up again: %v", err)
	}
}

func TestFreezeHoldsBackAndLosesNothing(t *testing.T) {
	p, err := Listen(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c := dial(t, p)
	defer c.Close()
	p.Freeze()
	if _, err := c.Write([]byte("held")); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := c.Read(make([]byte, 8)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("while frozen: %d bytes, %v", n, err)
	}
	p.Thaw()
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	got := make([]byte, 4)
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "held" {
		t.Errorf("after it: %q, %v", got, err)
	}
}

func TestAConnectionIsCutAtAPiece(t *testing.T) {
	for _, c := range []struct {
		name    string
		act     Act
		arrives bool
	}{{"before", CutBefore, false}, {"after", CutAfter, true}} {
		t.Run(c.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			arrived := make(chan string, 1)
			go func() {
				far, err := l.Accept()
				if err != nil {
					return
				}
				defer far.Close()
				got, _ := io.ReadAll(far)
				arrived <- string(got)
			}()
			p, err := Listen(l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			p.Watch(func(toTarget bool, piece []byte) Act {
				if toTarget && string(piece) == "cut" {
					return c.act
				}
				return Pass
			})
			near := dial(t, p)
			defer near.Close()
			if _, err := near.Write([]byte("cut")); err != nil {
				t.Fatal(err)
			}
			_ = near.SetReadDeadline(time.Now().Add(5 * time.Second))
			if _, err := near.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the connection stands: %v", err)
			}
			if got := <-arrived; (got == "cut") != c.arrives {
				t.Errorf("there arrived %q", got)
			}
		})
	}
}

func TestAPieceIsHeldUntilTheThaw(t *testing.T) {
	p, err := Listen(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	held := make(chan struct{})
	p.Watch(func(toTarget bool, piece []byte) Act {
		if !toTarget || string(piece) != "hold" {
			return Pass
		}
		close(held)
		return Hold
	})
	c, other := dial(t, p), dial(t, p)
	if err := asked(other); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("hold")); err != nil {
		t.Fatal(err)
	}
	<-held
	if err := asked(other); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection beside it: %v, want silence", err)
	}
	p.Thaw()
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	got := make([]byte, 4)
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "hold" {
		t.Errorf("after it: %q, %v", got, err)
	}
}

func TestASlowReaderGetsEverythingLater(t *testing.T) {
	const each = 50 * time.Millisecond
	p, err := Listen(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c := dial(t, p)
	p.Slow(each)
	for began, n := time.Now(), 1; n <= 3; n++ {
		if err := asked(c); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < time.Duration(n)*each {
			t.Errorf("piece %d came after %s, each waits %s", n, took, each)
		}
	}
}

func TestATargetIsAskedForAndDropped(t *testing.T) {
	one, two := echo(t), echo(t)
	target := one
	p, err := ListenTo(func() string { return target })
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	first := dial(t, p)
	if err := asked(first); err != nil {
		t.Fatal(err)
	}
	target = two
	second := dial(t, p)
	if err := asked(second); err != nil {
		t.Fatal(err)
	}
	p.Drop(one)
	if err := asked(first); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the dropped one: %v, want its end", err)
	}
	if err := asked(second); err != nil {
		t.Errorf("the one beside it: %v", err)
	}
}
