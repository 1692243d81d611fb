package embedded

import (
	"fmt"
	"sync"
)

// logger hands on what the server warns of and fails at. Its notices are of no
// use to anyone who did not ask for a NATS server.
type logger struct {
	warn func(string)
	full chan<- struct{} // told of a disk that is full; nil: nobody is
	mu   sync.Mutex
	gave string
}

func (l *logger) say(format string, v ...any) {
	if l.warn != nil {
		l.warn(fmt.Sprintf(format, v...))
	}
}

// Fatalf is what the server says when it gives up; here nothing exits.
func (l *logger) Fatalf(format string, v ...any) {
	l.mu.Lock()
	l.gave = fmt.Sprintf(format, v...)
	l.mu.Unlock()
}

// fatal is why the server gave up, or nothing.
func (l *logger) fatal() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gave
}

func (l *logger) Warnf(format string, v ...any) { l.say(format, v...) }

// Errorf is also the only word that the server gives of a write that failed.
func (l *logger) Errorf(format string, v ...any) {
	l.say(format, v...)
	if !isFull(fmt.Sprintf(format, v...)) {
		return
	}
	select {
	case l.full <- struct{}{}:
	default: // it is known, or nobody asks
	}
}

func (l *logger) Noticef(string, ...any) {}
func (l *logger) Debugf(string, ...any)  {}
func (l *logger) Tracef(string, ...any)  {}
