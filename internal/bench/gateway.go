package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// HTTP measures what a turn costs more over the gateway than over pkg/client: the same
// messages, one at a time and turn about, to one mesh. The tax is the difference of the
// two at the same quantile.
func HTTP(ctx context.Context, w *world.World, turns int) (_ []Figure, err error) {
	load, err := NewLoad(w)
	if err != nil {
		return nil, err
	}
	a, end, err := InProcess(ctx, app.Options{Worlds: []*world.World{w}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	direct, err := client.Connect(ctx, a.Server.URL(), client.Options{})
	if err != nil {
		return nil, err
	}
	defer direct.Close()
	d, err := openDoor(ctx, a.Server.URL())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	ways := []func(context.Context, *schema.Request) error{
		func(ctx context.Context, r *schema.Request) error {
			turn, err := direct.Say(ctx, *r)
			if err != nil {
				return err
			}
			defer turn.Close()
			_, err = turn.Reply(ctx)
			return err
		}, d.post,
	}
	took, err := turnAbout(ctx, load, turns, ways)
	if err != nil {
		return nil, err
	}
	at := func(way int, q float64) float64 {
		return Milliseconds(took[way][min(len(took[way])-1, int(q*float64(len(took[way]))))])
	}
	return []Figure{
		Plain("client_p50", at(0, .5), "ms"), Plain("client_p99", at(0, .99), "ms"), Plain("http_p50", at(1, .5), "ms"),
		Plain("http_p99", at(1, .99), "ms"),
		AtMost("http_tax_p50", at(1, .5)-at(0, .5), "ms", 1.5), AtMost("http_tax_p99", at(1, .99)-at(0, .99), "ms", 6),
	}, nil
}

// turnAbout runs the same messages each way, which goes first by turns, and gives the
// times in order. The first tenth warms up.
func turnAbout(ctx context.Context, load *Load, turns int, ways []func(context.Context,
	*schema.Request) error) ([][]time.Duration, error) {
	took := make([][]time.Duration, len(ways))
	for n := range turns + turns/10 {
		for i := range ways {
			way := (i + n) % len(ways)
			r := load.Request(fmt.Sprintf("way%d", way), 0, n)
			began := time.Now()
			if err := ways[way](ctx, r); err != nil {
				return nil, err
			}
			if n >= turns/10 {
				took[way] = append(took[way], time.Since(began))
			}
		}
	}
	for _, t := range took {
		slices.Sort(t)
	}
	return took, nil
}

// httpDoor is a gateway before a mesh, and who calls it.
type httpDoor struct {
	url    string
	client *client.Client
	http   *http.Client
	stop   context.CancelFunc
	served chan error
}

func openDoor(ctx context.Context, broker string) (*httpDoor, error) {
	c, err := client.Connect(ctx, broker, client.Options{})
	if err != nil {
		return nil, err
	}
	g, err := gateway.New(gateway.Options{Client: c})
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &httpDoor{url: "http://" + listener.Addr().String(), client: c,
		http: &http.Client{Transport: &http.Transport{}}, served: make(chan error, 1)}
	ctx, d.stop = context.WithCancel(ctx)
	go func() { d.served <- g.Serve(ctx, listener) }()
	return d, nil
}

func (d *httpDoor) close() error {
	d.http.CloseIdleConnections()
	d.stop()
	err := <-d.served
	d.client.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (d *httpDoor) post(ctx context.Context, r *schema.Request) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+"/v1/worlds/"+r.World+"/npcs/"+r.NPC+"/turns",
		bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := d.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, body)
	}
	return err
}
