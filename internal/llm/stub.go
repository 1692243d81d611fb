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
