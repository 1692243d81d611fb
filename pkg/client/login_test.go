package client

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is wrong with a login is said before the broker is asked, in one line that
// names the file.
func TestLoginFilesAreReadFirst(t *testing.T) {
	dir := t.TempDir()
	file := func(name, body string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	missing := filepath.Join(dir, "missing")
	t.Setenv("CLIENT_TEST_SECRET", " ")
	for name, c := range map[string]struct {
		login Login
		want  string
	}{
		"credentials":    {Login{Creds: missing}, missing},
		"password":       {Login{User: "game", Password: SecretFile(missing)}, missing},
		"empty password": {Login{User: "game", Password: SecretFile(file("empty", "\n"))}, "is empty"},
		"variable":       {Login{Token: SecretEnv("CLIENT_TEST_SECRET")}, "CLIENT_TEST_SECRET"},
		"authority":      {Login{CA: file("ca.pem", "no PEM")}, "holds no certificate"},
		"certificate":    {Login{Cert: missing, Key: missing}, missing},
	} {
		_, err := Connect(t.Context(), "nats://127.0.0.1:1", Options{Login: c.login})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q in one line", name, err, c.want)
		}
	}
	if got, err := SecretFile(file("secret", "s3cret\n"))(); err != nil || got != "s3cret" {
		t.Errorf("a secret: %q, %v", got, err)
	}
}
