// Deedfit fits the models of internal/deed to phrasings.yaml, and says what they
// are worth on NPCs that they were not fitted on.
//
//	bin/deedfit [-out internal/deed/fit.json] [-show]
package main

import (
	"context"
	"encoding/gob"
	"flag"
	"fmt"
	"os"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/embed"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "deedfit:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	in := flag.String("in", "lab/deedfit/phrasings.yaml", "the phrasings to fit on")
	out := flag.String("out", "", "where to write the fit; without it, it is only measured")
	show := flag.Bool("show", false, "print every phrasing that is read wrongly")
	cache := flag.String("cache", "", "a file that keeps vectors for the next run")
	flag.Parse()
	all, err := read(*in)
	if err != nil {
		return err
	}
	encoder, err := app.Encoder()
	if err != nil {
		return err
	}
	kept := &keeping{Embedder: encoder, vectors: map[string][]float32{}}
	if err := kept.load(*cache); err != nil {
		return err
	}
	f, err := fitTo(ctx, kept, all, *show)
	if err != nil {
		return err
	}
	if err := kept.save(*cache); err != nil {
		return err
	}
	if *out == "" {
		return nil
	}
	return write(*out, f)
}

// keeping is an encoder that keeps its vectors for the next run.
type keeping struct {
	embed.Embedder
	vectors map[string][]float32
}

// Embed embeds what is not kept.
func (k *keeping) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var missing []string
	for _, s := range texts {
		if _, ok := k.vectors[s]; !ok {
			missing = append(missing, s)
		}
	}
	vectors, err := k.Embedder.Embed(ctx, missing)
	if err != nil {
		return nil, err
	}
	for i, s := range missing {
		k.vectors[s] = vectors[i]
	}
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = k.vectors[s]
	}
	return out, nil
}

func (k *keeping) load(path string) error {
	f, err := os.Open(path)
	if path == "" || os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // read only
	return gob.NewDecoder(f).Decode(&k.vectors)
}

func (k *keeping) save(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(f).Encode(k.vectors); err != nil {
		return err
	}
	return f.Close()
}
