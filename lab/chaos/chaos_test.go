package chaos

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/forsooth-npc/forsooth/internal/app"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A short run of few turns: that the machinery strikes, mends, ends and reads. The
// long ones are `make chaos`.
func TestAShortRunStrikesAndHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a broker and two processes")
	}
	worlds, _, err := app.LoadWorlds(nil)
	if err != nil {
		t.Fatal(err)
	}
	// The tests of other packages use this machine at the same time: a deadline of a few
	// seconds would try it and not the mesh.
	r, err := Run(t.Context(), Options{World: worlds[0], For: 8 * time.Second, Turns: 30, Seed: 3, Processes: 2,
		Deadline: 30 * time.Second, Told: t.Logf,
		Only: []string{"kill-before-handle", "kill-after-handle", "kill-after-publish", "flap", "llm-500",
			"published-twice", gatewayKilled, gatewaySpeaking, gatewayStopped}})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r.Line(), r.ByKind)
	if r.Turns == 0 || r.Faults == 0 || r.Prompts == 0 {
		t.Errorf("%d turns, %d faults, %d prompts: nothing was tried", r.Turns, r.Faults, r.Prompts)
	}
	if r.Doors == nil || r.Doors.Turns == 0 || r.Doors.Turns >= r.Turns || r.Doors.Breaks == 0 {
		t.Errorf("of %d turns, by sockets: %+v; want half of them, and a gateway that died", r.Turns, r.Doors)
	}
	if r.Away >= r.TookS/2 {
		t.Errorf("the broker was away for %.1f s of %.1f", r.Away, r.TookS)
	}
	if r.Still > r.TookS {
		t.Errorf("the machine stood still for %.1f s of %.1f", r.Still, r.TookS)
	}
	for _, v := range r.Violations {
		t.Errorf("%+v", v)
	}
}

func TestAKindThatIsNoneIsRefused(t *testing.T) {
	if err := CheckKinds([]string{"flap", "earthquake"}); err == nil {
		t.Error("it is taken")
	}
}

// A cluster of three servers loses the one that leads, and is parted: what it has
// promised holds, and every turn ends.
func TestAClusterLosesItsLeaderAndHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts three servers and two processes")
	}
	worlds, _, err := app.LoadWorlds(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), Options{World: worlds[0], For: 12 * time.Second, Turns: 30, Seed: 3, Processes: 2,
		Deadline: 30 * time.Second, Told: t.Logf,
		Cluster: true, Only: ofCluster})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r.Line(), r.ByKind)
	if r.Turns == 0 || r.Faults == 0 {
		t.Errorf("%d turns, %d faults: nothing was tried", r.Turns, r.Faults)
	}
	for _, v := range r.Violations {
		t.Errorf("%+v", v)
	}
}
