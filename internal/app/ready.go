package app

import (
	"fmt"
	"strings"
)

// Check is one thing that a process needs for its work.
type Check struct {
	Name   string `json:"name"`
	Fit    bool   `json:"fit"`
	Detail string `json:"detail"`
}

// Ready says whether this process can do its work now: the broker is reached, its
// worlds are indexed, its verifier is loaded and its consumers are bound. It asks
// nobody and may be called as often as one likes.
func (a *App) Ready() []Check {
	broker := Check{Name: "broker", Fit: a.Conn.Connected(), Detail: a.Conn.URL()}
	if !broker.Fit {
		broker.Detail += " is out of reach; the connection is mended as soon as it is back"
	}
	index := Check{Name: "index", Fit: len(a.Library.Names()) > 0, Detail: strings.Join(a.Library.Names(), ", ")}
	verifier := Check{Name: "verifier", Fit: true, Detail: "loaded"}
	if a.tiers.Missing != nil {
		verifier.Fit, verifier.Detail = !a.reviews, fmt.Sprintf("the model in process does not load: %v", a.tiers.Missing)
	}
	consumers := Check{Name: "consumers", Fit: true, Detail: "bound"}
	if missing := a.Mesh.Unbound(); len(missing) > 0 {
		consumers.Fit, consumers.Detail = false, "not bound: "+strings.Join(missing, ", ")
	}
	return []Check{broker, index, verifier, consumers}
}
