// Package llm: helper A: delete this file when yours compile; it only lets the others build.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var ErrOff, ErrBudget, ErrSpent, ErrUnavailable, ErrCut = errors.New("off"), errors.New("budget"), errors.New("spent"), errors.New("unavailable"), errors.New("cut")

type Limits struct {
	Model     string
	Timeout   time.Duration
	MaxTokens int
}
type Budget struct {
	WorldTokensPerDay, PlayerTokensPerDay int
	WorldCostPerDay, PlayerCostPerDay     float64
}
type Meter struct{}

func NewMeter(*schema.Turn) *Meter { return &Meter{} }

type Request struct {
	Name          string
	Schema        json.RawMessage
	System, User  string
	Limits        Limits
	World, Player string
	Budget        Budget
	Meter         *Meter
	Validate      func([]byte) error
}
type Answer struct {
	JSON            []byte
	Model, Provider string
	Attempts        int
}
type Models struct{}

func (*Models) Complete(context.Context, Request) (Answer, error) { return Answer{}, ErrOff }
func (*Models) Stream(context.Context, Request, func(string) error) (Answer, error) {
	return Answer{}, ErrOff
}

type Provider struct {
	Name, URL, Model, Key, CAFile string
	PriceIn, PriceOut             float64
}
type Config struct {
	Primary, Secondary Provider
	Calls              map[string]Limits
	Temperature        float32
	RetryShare         float64
}
type Ledger interface {
	Spent(ctx context.Context, key string) (int64, float64, error)
	Add(ctx context.Context, key string, tokens int64, cost float64) error
}
type Event struct{ Provider, Name, Line string }
type Options struct {
	Now    func() time.Time
	Rand   func() float64
	Off    func() bool
	Ledger Ledger
	Report func(Event)
}

func New(Config, Options) (*Models, error) { return &Models{}, nil }
func (*Models) Close()                     {}

func Check(context.Context, Provider) error { return nil }
