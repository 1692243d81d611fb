package config

import (
	"strings"
	"testing"
)

func TestQdrantAddress(t *testing.T) {
	for url, want := range map[string]struct {
		addr string
		tls  bool
	}{
		"localhost":                {"localhost:6334", false},
		"localhost:7000":           {"localhost:7000", false},
		"http://10.0.0.7:6334/":    {"10.0.0.7:6334", false},
		"https://qdrant.game:6334": {"qdrant.game:6334", true},
		"http://[::1]":             {"[::1]:6334", false},
	} {
		addr, tls, err := Qdrant{URL: url}.Address()
		if addr != want.addr || tls != want.tls || err != nil {
			t.Errorf("%s: %s, TLS %v, %v", url, addr, tls, err)
		}
	}
	for url, want := range map[string]string{"ftp://x": "no address", "http://": "no address",
		"http://x/collections": "no address", "http://me:secret@x": "no address",
		"http://x:6333": "gRPC port", "http://x:port": "no address"} {
		if _, _, err := (Qdrant{URL: url}).Address(); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestQdrantSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("FORSOOTH_QDRANT_KEY", "k1")
	s, err := Load("", map[string]any{"qdrant.url": "http://localhost:6334"})
	if err != nil || s.Qdrant.Nodes != 1 || s.Qdrant.Prefix != "" {
		t.Fatalf("%+v, %v", s, err)
	}
	if key, err := s.Qdrant.Key(); err != nil || key.Reveal() != "k1" {
		t.Errorf("%v", err)
	}
	for key, value := range map[string]any{"qdrant.nodes": 2, "qdrant.prefix": "a b", "qdrant.url": "http://x:6333"} {
		if _, err := Load("", map[string]any{key: value}); err == nil || !strings.HasPrefix(err.Error(), key) {
			t.Errorf("%s %v: %v", key, value, err)
		}
	}
}
