package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/forsooth-npc/forsooth/weights"
)

// onnx is onnxruntime in a process of its own. It answers batch by batch, so that
// it takes turns with the engine that it stands beside.
type onnx struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *json.Decoder
	said bytes.Buffer // on standard error
	dir  string       // the weights of this binary, for it to read
}

// onnxBatch is what it is asked.
type onnxBatch struct {
	IDs   [][]int32 `json:"ids"`
	Split int       `json:"split"` // tokens of the first text, with its marks
}

// onnxAnswer is what it says of a batch.
type onnxAnswer struct {
	FP32 onnxTime `json:"fp32"`
	INT8 onnxTime `json:"int8"`
}

type onnxTime struct {
	MS       float64   `json:"ms"` // of the processor, for the whole batch
	Entailed []float64 `json:"entailed"`
}

// startONNX starts the interpreter and waits until its graphs are built.
func startONNX(ctx context.Context, python, script string) (_ *onnx, err error) {
	if _, err := os.Stat(script); err != nil {
		return nil, fmt.Errorf("%w; run in a checkout, or name the script by --script", err)
	}
	o := &onnx{}
	if o.dir, err = os.MkdirTemp("", "forsooth-bench-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(o.dir))
		}
	}()
	file := filepath.Join(o.dir, "verifier.safetensors")
	if err := os.WriteFile(file, weights.Verifier, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(o.dir, "vocab.txt"), weights.Vocab, 0o600); err != nil {
		return nil, err
	}
	o.cmd = exec.CommandContext(ctx, python, script, "--serve", "--weights", file)
	o.cmd.Stderr = &o.said
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := o.cmd.Start(); err != nil {
		return nil, fmt.Errorf("--python: %w", err)
	}
	o.out = json.NewDecoder(out)
	var hello struct {
		Version string `json:"onnxruntime"`
	}
	if err := o.out.Decode(&hello); err != nil {
		return nil, o.failed(err)
	}
	if hello.Version == "" {
		return nil, o.failed(errors.New("it does not say which onnxruntime it runs"))
	}
	return o, nil
}

// failed ends the process, whose own last line says more than what broke here.
func (o *onnx) failed(err error) error {
	_ = o.in.Close()
	_ = o.cmd.Process.Kill()
	_ = o.cmd.Wait() // the buffer is whole from here on
	lines := strings.Split(strings.TrimSpace(o.said.String()), "\n")
	if last := lines[len(lines)-1]; last != "" {
		err = errors.New(last)
	}
	return fmt.Errorf("%s: %w", filepath.Base(o.cmd.Path), err)
}

// ask has a batch read.
func (o *onnx) ask(ids [][]int32) (onnxAnswer, error) {
	var a onnxAnswer
	if err := json.NewEncoder(o.in).Encode(onnxBatch{IDs: ids, Split: premiseTokens + 2}); err != nil {
		return a, o.failed(err)
	}
	if err := o.out.Decode(&a); err != nil {
		return a, o.failed(err)
	}
	for _, t := range []onnxTime{a.FP32, a.INT8} {
		if t.MS <= 0 || len(t.Entailed) != len(ids) {
			return a, o.failed(fmt.Errorf("it answers %d pairs with %d, in %g ms", len(ids), len(t.Entailed), t.MS))
		}
	}
	return a, nil
}

// close lets the process end by itself.
func (o *onnx) close() error {
	_ = o.in.Close()
	_ = o.cmd.Wait() // how it ended does not change what it said
	return os.RemoveAll(o.dir)
}
