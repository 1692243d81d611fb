// Command schemagen writes the JSON Schemas of the wire contract, made from the
// types of pkg/schema and internal/protocol, into docs/schema, the AsyncAPI document of
// the subjects beside that folder, and the gateway's OpenAPI document. It is run by go generate.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run . ../../docs/schema

// The packages of the contract as seen from this package's folder, where go generate
// and the tests run.
const (
	schemaDir   = "../../pkg/schema"
	protocolDir = "../protocol"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: schemagen DIR; run it by go generate ./internal/schemagen")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string) error {
	files, err := generate(schemaDir, protocolDir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	api, err := asyncapi()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "..", asyncapiFile), api, 0o644); err != nil {
		return err
	}
	doors, err := openapi()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "..", "..", "services", "gateway", "openapi.json"), doors, 0o644)
}
