package natstest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Backup is what a server's account holds, stream by stream with their consumers, as
// `nats account backup` writes it into a folder.
type Backup map[string]snapshot

type snapshot struct {
	config, state json.RawMessage
	chunks        [][]byte
}

// answered is how long the server may take over one request or chunk.
const answered = 20 * time.Second

// administrator connects as a user may who has an inbox of his own.
func administrator(t testing.TB, url, user, password string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.UserInfo(user, password), nats.CustomInboxPrefix("_INBOX_"+user))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// ask makes a request to the server's interface and reads the answer.
func ask(t testing.TB, nc *nats.Conn, subject string, what, into any) {
	t.Helper()
	body, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	m, err := nc.Request(subject, body, answered)
	if err != nil {
		t.Fatalf("%s: %v", subject, err)
	}
	read(t, subject, m.Data, into)
}

func read(t testing.TB, subject string, data []byte, into any) {
	t.Helper()
	var said struct {
		Error *struct{ Description string } `json:"error"`
	}
	if err := json.Unmarshal(data, &said); err != nil || said.Error != nil {
		t.Fatalf("%s: %v in %s", subject, err, data)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v in %s", subject, err, data)
	}
}

// TakeBackup takes a snapshot of every stream that a user's account holds.
func TakeBackup(t testing.TB, url, user, password string) Backup {
	t.Helper()
	nc := administrator(t, url, user, password)
	var names struct{ Streams []string }
	ask(t, nc, "$JS.API.STREAM.NAMES", struct{}{}, &names)
	b := Backup{}
	for _, name := range names.Streams {
		b[name] = snapshotOf(t, nc, name)
	}
	return b
}

func snapshotOf(t testing.TB, nc *nats.Conn, stream string) snapshot {
	t.Helper()
	inbox := nc.NewInbox()
	sub, err := nc.SubscribeSync(inbox)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe() //nolint:errcheck // the connection ends with the test
	var about struct{ Config, State json.RawMessage }
	ask(t, nc, "$JS.API.STREAM.SNAPSHOT."+stream, map[string]any{"deliver_subject": inbox, "jsck": true}, &about)
	s := snapshot{config: about.Config, state: about.State}
	for {
		m, err := sub.NextMsg(answered)
		if err != nil {
			t.Fatalf("snapshot of %s: %v", stream, err)
		}
		if len(m.Data) == 0 {
			if status := m.Header.Get("Status"); status != "" && status != "204" {
				t.Fatalf("snapshot of %s: %s", stream, fmt.Sprint(m.Header))
			}
			return s
		}
		s.chunks = append(s.chunks, m.Data)
		if m.Reply != "" {
			if err := m.Respond(nil); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Restore makes the streams of a backup in an account that has none.
func (b Backup) Restore(t testing.TB, url, user, password string) {
	t.Helper()
	nc := administrator(t, url, user, password)
	for name, s := range b {
		var to struct {
			Subject string `json:"deliver_subject"`
		}
		ask(t, nc, "$JS.API.STREAM.RESTORE."+name, map[string]any{"config": s.config, "state": s.state}, &to)
		for _, chunk := range s.chunks {
			if _, err := nc.Request(to.Subject, chunk, answered); err != nil {
				t.Fatalf("restore %s: %v", name, err)
			}
		}
		m, err := nc.Request(to.Subject, nil, answered)
		if err != nil {
			t.Fatalf("restore %s: %v", name, err)
		}
		read(t, "restore "+name, m.Data, &struct{}{})
	}
}
