// Page writes what docs/grounding.md shows of the verifier that ships: the figures
// of its calibration, between two markers, the plots beside them, and with -examples
// the answers of the binary to the page's own examples. It measures nothing.
//
//	bin/page -examples bin/forsooth
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail/nli"
)

func main() {
	calibration := flag.String("calibration", "internal/entail/nli/calibration.json", "what the calibrate command wrote")
	docs := flag.String("docs", "docs", "folder of grounding.md and calibration.svg")
	binary := flag.String("examples", "", "forsooth binary that answers the page's examples; without it they stay as "+
		"they are")
	flag.Parse()
	if err := run(context.Background(), *calibration, *docs, *binary); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, calibration, docs, binary string) error {
	c, err := readCalibration(calibration)
	if err != nil {
		return err
	}
	page := filepath.Join(docs, "grounding.md")
	text, err := os.ReadFile(page) //nolint:gosec // the caller's own file
	if err != nil {
		return err
	}
	out, err := between(string(text), figures(c))
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	if binary != "" {
		if out, err = answered(out, asking(ctx, binary)); err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
	}
	if err := os.WriteFile(filepath.Join(docs, plotName), []byte(plots(c)), 0o600); err != nil {
		return err
	}
	return os.WriteFile(page, []byte(out), 0o600)
}

func readCalibration(path string) (nli.Calibration, error) {
	var c nli.Calibration
	data, err := os.ReadFile(path) //nolint:gosec // the caller's own file
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	if len(c.Curve) == 0 || len(c.Reliable) == 0 {
		return c, fmt.Errorf("%s: holds no curve; write it with the calibrate command", path)
	}
	if _, ok := pointAt(c, c.Thresholds.Entailment); !ok {
		return c, fmt.Errorf("%s: its curve has no point at its threshold, %g; write it with the calibrate command", path,
			c.Thresholds.Entailment)
	}
	return c, nil
}

// The markers of what is generated.
const (
	begin = "<!-- figures -->"
	end   = "<!-- /figures -->"
)

// between puts a text between the markers of a page.
func between(page, with string) (string, error) {
	head, rest, ok := strings.Cut(page, begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed || strings.Count(page, begin) != 1 || strings.Count(page, end) != 1 {
		return "", fmt.Errorf("does not hold %s and %s once, in this order", begin, end)
	}
	return head + begin + "\n" + strings.TrimSpace(with) + "\n" + end + tail, nil
}

// asking runs an example with the binary.
func asking(ctx context.Context, binary string) func(args []string) (string, error) {
	return func(args []string) (string, error) {
		out, err := exec.CommandContext(ctx, binary, args...).Output() //nolint:gosec // the caller's own binary
		if err != nil {
			return "", fmt.Errorf("%s %s: %w", binary, strings.Join(args, " "), err)
		}
		return string(out), nil
	}
}
