package clients_test

import (
	"os/exec"
	"testing"
)

// The Python client keeps to its types.
func TestThePythonClientIsTyped(t *testing.T) {
	check := exec.CommandContext(t.Context(), need(t, "../.venv/engines/python/bin/mypy"), "--cache-dir=/dev/null",
		"--python-executable="+need(t, "../.venv/engines/python/bin/python"), "forsooth", "conformance.py", "example.py")
	check.Dir = "python"
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
