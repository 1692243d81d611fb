package access

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)

func ring(t *testing.T, now *time.Time) *Ring {
	t.Helper()
	r, err := OpenRing(filepath.Join(t.TempDir(), "keys.json"), func() time.Time { return *now })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func add(t *testing.T, r *Ring, k Key) (Key, string) {
	t.Helper()
	made, text, err := Make(k, rand.Reader, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Add(made); err != nil {
		t.Fatal(err)
	}
	return made, text
}

// A key opens what it is for, and the file that keeps it does not hold it.
func TestAKeyIsKnownByItsHash(t *testing.T) {
	now := noon
	r := ring(t, &now)
	if all, err := r.List(); err != nil || len(all) != 0 {
		t.Fatalf("%v %v", all, err)
	}
	if asked, err := r.Asked(); err != nil || asked {
		t.Errorf("without a file a key is asked for: %v", err)
	}
	made, text := add(t, r, Key{Name: "game", Worlds: []string{"village"}, Rights: []Right{Play}})
	other, _ := add(t, r, Key{Name: "other", Rights: []Right{Play}})
	found, grant, err := r.Find(text)
	if err != nil || grant != nil || found.ID != made.ID || !found.May(Play, "village") ||
		found.May(Play, "elsewhere") ||
		found.May(Read, "village") {
		t.Errorf("%+v %v", found, err)
	}
	data, err := os.ReadFile(r.path)
	if err != nil || strings.Contains(string(data), text[len(text)-20:]) {
		t.Errorf("the file holds the key, or: %v", err)
	}
	if info, err := os.Stat(r.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	for name, shown := range map[string]string{"nothing": "", "no secret": "fk_" + made.ID + "_",
		"another's id":  strings.Replace(text, made.ID, other.ID, 1),
		"a letter more": text + "A", "the hash": "fk_" + made.ID + "_" + made.Hash, "huge": text + strings.Repeat("A",
			1<<20), "no key": "Bearer " + text} {
		if _, _, err := r.Find(shown); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n, err := r.Remove("game"); err != nil || n != 1 {
		t.Error(n, err)
	}
	if _, _, err := r.Find(text); !errors.Is(err, ErrUnknown) {
		t.Errorf("taken away: %v", err)
	}
	if _, err := r.Remove("game"); err == nil {
		t.Error("it was taken away twice")
	}
	if _, err := r.Remove("other"); err != nil {
		t.Fatal(err)
	}
	if asked, err := r.Asked(); err != nil || !asked {
		t.Errorf("with the last key taken away the doors stand open: %v", err)
	}
}

// What another process writes is taken within a second; a file that cannot be read opens
// no door.
func TestTheFileIsReadAgain(t *testing.T) {
	now := noon
	r := ring(t, &now)
	other := &Ring{path: r.path, now: r.now}
	_, text := add(t, other, Key{Name: "game", Rights: []Right{Play}})
	now = now.Add(lookEvery)
	if _, _, err := r.Find(text); err != nil {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(r.path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	now = now.Add(lookEvery)
	if _, _, err := r.Find(text); err == nil || errors.Is(err, ErrUnknown) {
		t.Errorf("%v", err)
	}
	if _, err := r.List(); err == nil {
		t.Error("it is taken for a file without keys")
	}
}

func TestKeysThatCannotBe(t *testing.T) {
	for name, k := range map[string]Key{"no name": {Rights: []Right{Play}}, "no right": {Name: "x"},
		"another right": {Name: "x", Rights: []Right{"all"}},
		"a world":       {Name: "x", Rights: []Right{Play}, Worlds: []string{"*"}}, "a player": {Name: "x",
			Rights: []Right{Play}, Player: "a.b"},
		"a rate": {Name: "x", Rights: []Right{Play}, Rate: -1}, "two players": {Name: "x", Rights: []Right{Play},
			Player: "p", Users: true}} {
		if _, _, err := Make(k, rand.Reader, noon); err == nil {
			t.Errorf("%s: it is made", name)
		}
	}
}

// A token lets its holder be one player for a while. Whatever is changed in it, it is
// none; and it ends with its key.
func TestATokenIsOnePlayerForAWhile(t *testing.T) {
	now := noon
	r := ring(t, &now)
	made, _ := add(t, r, Key{Name: "game", Worlds: []string{"village"}, Rights: []Right{Play, Read}})
	reads, _ := add(t, r, Key{Name: "reads", Rights: []Right{Read}})
	bound, _ := add(t, r, Key{Name: "bound", Rights: []Right{Play}, Player: "p9"})
	grant := Grant{World: "village", Player: "p1", Expires: noon.Add(time.Minute)}
	text, err := Mint(&made, grant, noon)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := r.Find(text)
	if err != nil || *got != grant {
		t.Errorf("%+v %v", got, err)
	}
	parts := strings.Split(text, ".")
	forged := base64.RawURLEncoding.EncodeToString(
		[]byte(`{"world":"village","player":"p2","expires":"2026-05-03T12:01:00Z"}`),
	)
	for name, shown := range map[string]string{
		"another player":   strings.Join([]string{parts[0], parts[1], forged, parts[3]}, "."),
		"another key":      strings.Join([]string{parts[0], reads.ID, parts[2], parts[3]}, "."),
		"no signature":     strings.Join(parts[:3], ".") + ".",
		"a short one":      text[:len(text)-4],
		"a longer one":     text + "AAAA",
		"one part":         "fp.",
		"broken":           "fp.a.%.%",
		"the key's prefix": "fk_" + text,
	} {
		if _, _, err := r.Find(shown); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, bad := range map[string]struct {
		k *Key
		g Grant
	}{
		"a key that may not play": {&reads, grant}, "another world": {&made, Grant{World: "elsewhere", Player: "p1",
			Expires: grant.Expires}},
		"another player": {&bound, grant}, "no player": {&made, Grant{World: "village", Expires: grant.Expires}},
		"too long":    {&made, Grant{World: "village", Player: "p1", Expires: noon.Add(MaxLife + time.Second)}},
		"in the past": {&made, Grant{World: "village", Player: "p1", Expires: noon}},
		"an NPC":      {&made, Grant{World: "village", Player: "p1", NPC: "*", Expires: grant.Expires}},
	} {
		if _, err := Mint(bad.k, bad.g, noon); err == nil {
			t.Errorf("%s: it is made", name)
		}
	}
	now = grant.Expires
	if _, _, err := r.Find(text); !errors.Is(err, ErrUnknown) {
		t.Errorf("shown again after its time: %v", err)
	}
	now = noon
	if _, err := r.Remove(made.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Find(text); !errors.Is(err, ErrUnknown) {
		t.Errorf("its key is gone: %v", err)
	}
}

// A key that a person has broken in the file signs nothing.
func TestAKeyWithoutASecretSignsNothing(t *testing.T) {
	k := Key{ID: "x", Rights: []Right{Play}}
	if _, _, err := read([]Key{k}, "fp.x.e30.", noon); !errors.Is(err, ErrUnknown) {
		t.Errorf("%v", err)
	}
}

// Who takes the file of a running gateway away opens no door: a key is asked for until the
// process starts again without a file.
func TestAFileThatIsTakenAwayOpensNoDoor(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "keys.json"), time.Now()
	r, err := OpenRing(path, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Add(Key{ID: "a", Name: "a"}); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * lookEvery)
	if asked, err := r.Asked(); err != nil || !asked {
		t.Fatalf("with a key: %v, %v", asked, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * lookEvery)
	if asked, err := r.Asked(); err != nil || !asked {
		t.Errorf("without its file: %v, %v", asked, err)
	}
}
