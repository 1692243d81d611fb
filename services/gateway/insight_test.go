package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

const village = "/v1/worlds/village"

// Every pass of a turn is shown, with what it found and how each claim was judged.
func TestATurnIsTraced(t *testing.T) {
	s := open(t)
	s.do("POST", turns, `{"player":"p1","turn_id":"t1","message":"Who owns the ferry?"}`)
	var got gateway.Traced
	s.do("GET", turns+"/t1/trace?player=p1", "").json(t, &got)
	if got.TurnID != "t1" || len(got.Passes) < 4 || got.Passes[0].Record.Pass != schema.PassRetrieve {
		t.Fatalf("%d passes: %+v", len(got.Passes), got)
	}
	last := got.Passes[len(got.Passes)-1].Turn
	if len(last.Evidence) == 0 || last.SpeechReview == nil || len(last.SpeechReview.Claims) == 0 ||
		last.SpeechReview.Claims[0].Verdict.Label != schema.Supported {
		t.Errorf("evidence %v, review %+v", last.Evidence, last.SpeechReview)
	}
	for path, want := range map[string]int{"/t1/trace?player=p2": 404, "/t9/trace?player=p1": 404, "/t1/trace": 400} {
		if got := s.do("GET", turns+path, ""); got.status != want {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

// Turns are told as they end: since a time, behind the last that was seen, and as asked.
func TestTurnsAreToldAsTheyEnd(t *testing.T) {
	s := open(t)
	for _, one := range [][2]string{{"t1", "Who owns the ferry?"}, {"t2", "Do you know the Baron of Quillfeather?"}} {
		s.do("POST", turns, `{"player":"p1","turn_id":"`+one[0]+`","message":"`+one[1]+`"}`)
	}
	since := "?since=" + time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	read := func(query string, n int, headers ...string) (seen []gateway.Ended, places []string) {
		resp, err := s.http.Do(s.request("GET", village+"/outcomes"+query, "", headers...))
		must(t, err)
		defer resp.Body.Close()
		readEvents(t, resp.Body, func(e event) bool {
			var one gateway.Ended
			must(t, json.Unmarshal([]byte(e.data), &one))
			seen, places = append(seen, one), append(places, e.id)
			return len(seen) < n
		})
		return seen, places
	}
	all, places := read(since, 2)
	if len(all) != 2 || all[0].TurnID != "t1" || all[0].Status != schema.StatusExtractive || all[0].NPC != "mira" ||
		all[0].Message == "" || all[0].Sentences != 1 || all[1].Status != schema.StatusUnknown || all[1].At.IsZero() {
		t.Fatalf("%+v", all)
	}
	if one, _ := read(since+"&status=unknown", 1); one[0].TurnID != "t2" {
		t.Errorf("of a status: %+v", one)
	}
	if one, _ := read("", 1, "Last-Event-ID", places[0]); one[0].TurnID != "t2" {
		t.Errorf("behind the first: %+v", one)
	}
}

// torn has Mira remember two homes of a player, which contradict each other.
func (s *site) torn(player string) (one, other schema.Memory) {
	s.t.Helper()
	for i, home := range []string{"Oakham", "Saltmere"} {
		s.do("POST", turns, fmt.Sprintf(`{"player":%q,"message":"I live in %s.","game_time":"1203-05-0%dT10:00:00Z"}`,
			player, home, i+1))
	}
	var found schema.MemoriesFound
	wait(s.t, func() bool {
		s.do("GET", memories+"?player="+player, "").json(s.t, &found)
		return len(found.Memories) == 2
	})
	_, err := s.app.ScanMemory(s.t.Context(), "village")
	must(s.t, err)
	s.do("GET", memories+"?player="+player, "").json(s.t, &found)
	return found.Memories[0], found.Memories[1]
}

// A contradiction is settled by an operator, whose name the log keeps.
func TestAContradictionIsSettled(t *testing.T) {
	s := open(t)
	one, other := s.torn("p1")
	if len(one.Contradicts) != 1 || one.Contradicts[0] != other.ID {
		t.Fatalf("%+v and %+v", one, other)
	}
	at := memories + "/" + one.ID + "/resolve"
	for name, body := range map[string]string{"nothing": `{}`, "both ways": `{"keep":"` + one.ID + `","both":true}`,
		"a stranger": `{"keep":"m9"}`, "a long reason": `{"both":true,"why":"` + strings.Repeat("x", 501) + `"}`} {
		checkProblem(t, name, s.do("POST", at, body))
	}
	got := s.do("POST", at, `{"keep":"`+other.ID+`","why":"she moved"}`)
	if got.status != http.StatusOK || !strings.Contains(got.body, `"by":"operator:inspector"`) ||
		!strings.Contains(got.body, `"why":"she moved"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	var found schema.MemoriesFound
	s.do("GET", memories+"/"+one.ID, "").json(t, &found)
	if m := found.Memories[0]; m.SupersededBy != other.ID || len(m.Contradicts) != 0 {
		t.Errorf("%+v", m)
	}
	checkProblem(t, "settled already", s.do("POST", at, `{"both":true}`))
	var entry schema.MemoryEvent
	got.json(t, &entry)
	checkProblem(t, "an entry of another", s.do("POST", at, `{"undo":"e9"}`))
	if got := s.do("POST", at, `{"undo":"`+entry.ID+`"}`); !strings.Contains(got.body, `"undoes":"`+entry.ID+`"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	var again schema.MemoriesFound
	s.do("GET", memories+"/"+one.ID, "").json(t, &again)
	if m := again.Memories[0]; m.SupersededBy != "" || len(m.Contradicts) != 1 {
		t.Errorf("undone: %+v", m)
	}
}

// erasing is an eraser that knows one player.
type erasing struct{ world, player string }

func (e *erasing) Look(_ context.Context, world, player string) (admin.Plan, error) {
	if player != "p1" {
		return admin.Plan{}, admin.ErrNothingKept
	}
	return admin.Plan{Memories: 2}, nil
}

func (e *erasing) Erase(_ context.Context, world, player string) (admin.Receipt, error) {
	e.world, e.player = world, player
	return admin.Receipt{ID: "r1", Worlds: []string{world}}, nil
}

// A player is erased where the gateway can, with the receipt; elsewhere the problem says how.
func TestAPlayerIsErased(t *testing.T) {
	var e erasing
	s := open(t, func(o *gateway.Options) { o.Eraser = &e })
	if got := s.do("GET", village+"/players/p1", ""); !strings.Contains(got.body, `"memories_in_the_index":2`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.do("DELETE", village+"/players/p1", ""); !strings.Contains(got.body, `"id":"r1"`) ||
		e != (erasing{"village", "p1"}) {
		t.Errorf("%d %s: %+v", got.status, got.body, e)
	}
	checkProblem(t, "nobody", s.do("GET", village+"/players/nobody", ""))
	s.url, _ = s.gateway()
	if got := s.do("DELETE", village+"/players/p1", ""); got.status != http.StatusNotImplemented ||
		!strings.Contains(got.body, "forsooth memory erase") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// Dead letters are listed, and none of another number is tried again.
func TestDeadLettersAreListed(t *testing.T) {
	s := open(t)
	if got := s.do("GET", village+"/letters", ""); got.status != http.StatusOK ||
		!strings.Contains(got.body, `"letters":[]`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	for _, n := range []string{"0", "-1", "x", "7", "99999999999999999999"} {
		checkProblem(t, "letter "+n, s.do("POST", village+"/letters/"+n+"/retry", ""))
	}
}
