package world_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var update = flag.Bool("update", false, "write the golden files")

func loadHarbour(t *testing.T) *world.World {
	t.Helper()
	w, problems, err := world.LoadDir(filepath.Join("testdata", "harbour"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range world.Errors(problems) {
		t.Error(p)
	}
	return w
}

// The chunks of a world with every kind of document, as an index receives them.
func TestChunksAreAsTheyWere(t *testing.T) {
	var b strings.Builder
	for _, c := range loadHarbour(t).Chunks() {
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	golden := filepath.Join("testdata", "harbour.chunks.jsonl")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("chunks have changed (go test -update writes them):\n%s", b.String())
	}
}

func TestLoadingTwiceGivesTheSame(t *testing.T) {
	a, b := loadHarbour(t), loadHarbour(t)
	if a.Version != b.Version || a.Version == "" {
		t.Errorf("versions %q and %q", a.Version, b.Version)
	}
	if !reflect.DeepEqual(a.Chunks(), b.Chunks()) {
		t.Error("the same files gave other chunks")
	}
}

func TestScopeOfAChunkIsThatOfItsDocument(t *testing.T) {
	w := loadHarbour(t)
	scope := map[string]string{}
	for _, c := range w.Chunks() {
		for _, h := range w.Handles() {
			if world.ScopeOf(c, w.NPCs[h]) && !strings.Contains(scope[c.Path], h) {
				scope[c.Path] += h + " "
			}
		}
	}
	want := map[string]string{
		"lore/tides.md": "osric wren ", "lore/prices.yaml": "osric wren ", "lore/gate.log": "osric wren ",
		"npcs/osric/home/sign.txt": "osric ", "npcs/osric/npc.yaml": "osric ",
		"npcs/wren/home/letter.eml": "wren ", "npcs/wren/npc.yaml": "wren ",
	}
	if !reflect.DeepEqual(scope, want) {
		t.Errorf("scope = %v, want %v", scope, want)
	}
}

func TestSecretsAreChunksOnlyUnderTheirCondition(t *testing.T) {
	var secrets []protocol.Chunk
	for _, c := range loadHarbour(t).Chunks() {
		if c.Type == "secret" {
			secrets = append(secrets, c)
		}
		if strings.Contains(c.Text, "cannot swim") {
			t.Errorf("a secret without a condition is in chunk %s", c.ID)
		}
	}
	if len(secrets) != 1 || secrets[0].Requires != "trust >= 40" || secrets[0].ID != "npcs/osric/npc.yaml#secret-1" {
		t.Errorf("secrets = %+v", secrets)
	}
}

func TestSecretOpensWithItsCondition(t *testing.T) {
	osric := loadHarbour(t).NPCs["osric"]
	if s := osric.Secrets[0]; s.Open(world.Facts{Trust: 39}) || !s.Open(world.Facts{Trust: 40}) {
		t.Error("trust >= 40 does not decide")
	}
	if osric.Secrets[1].Open(world.Facts{Trust: 100}) {
		t.Error("a secret without a condition is told")
	}
}

func schemaOrigin(s string) schema.Origin { return schema.Origin(s) }
