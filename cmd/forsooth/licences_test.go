package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// allowed are the licences under which a module may be built in, by a passage that
// each has and no other. What is not here is for a person to judge.
var allowed = []struct {
	name    string
	passage *regexp.Regexp
}{
	{"Apache-2.0", regexp.MustCompile(`apache license,?( version|.{0,3}version) 2\.0`)},
	{"MPL-2.0", regexp.MustCompile(`mozilla public license,? version 2\.0`)},
	{"BSD-3-Clause", regexp.MustCompile(`redistributions of source code must retain.*neither the names? .* may be used ` +
		`to endorse`)},
	{"BSD-2-Clause", regexp.MustCompile(`redistributions of source code must retain.*redistributions in binary form ` +
		`must reproduce`)},
	{"MIT", regexp.MustCompile(`permission is hereby granted, free of charge, to any person obtaining a copy`)},
	{"ISC", regexp.MustCompile(`permission to use, copy, modify,? and(/or)? distribute this software for any purpose ` +
		`with or without fee`)},
	{"Unlicense", regexp.MustCompile(`this is free and unencumbered software released into the public domain`)},
	{"CC0-1.0", regexp.MustCompile(`cc0 1\.0 universal`)},
}

// refused are passages of licences that would bind whoever builds the module in.
var refused = regexp.MustCompile(`gnu (affero |lesser )?general public license|server side public license` +
	`|business source license|commons clause|non-?commercial`)

// licenceOf is the licence of a text, or nothing.
func licenceOf(text string) string {
	flat := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, l := range allowed {
		if l.passage.MatchString(flat) && (l.name == "MPL-2.0" || !refused.MatchString(flat)) {
			return l.name
		}
	}
	return ""
}

// module is one that the binary holds.
type module struct{ Path, Version, Dir string }

// built are the modules of the packages that cmd/forsooth and the tests' helpers
// are made of, without this one.
func built(t *testing.T) []module {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=Module", "github.com/forsooth-npc/forsooth/cmd/forsooth",
		"github.com/forsooth-npc/forsooth/pkg/client")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]module{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module != nil && !p.Module.Main {
			seen[p.Module.Path] = module{p.Module.Path, p.Module.Version, p.Module.Dir}
		}
	}
	var all []module
	for _, m := range seen {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return all
}

func TestEveryModuleHasALicenceThatIsAllowed(t *testing.T) {
	all := built(t)
	if len(all) < 20 {
		t.Fatalf("only %d modules are found", len(all))
	}
	count := map[string]int{}
	for _, m := range all {
		files, err := filepath.Glob(filepath.Join(m.Dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, f := range files {
			name := strings.ToUpper(filepath.Base(f))
			if found != "" || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") &&
				!strings.HasPrefix(name, "UNLICENSE") {
				continue
			}
			data, err := os.ReadFile(f)
			if err != nil {
				continue // a folder
			}
			found = licenceOf(string(data))
		}
		if found == "" {
			t.Errorf("%s %s has no licence that is allowed; look at it, and take another module or add the licence here", m.Path,
				m.Version)
		}
		count[found]++
	}
	t.Logf("%d modules: %v", len(all), count)
}

func TestALicenceThatBindsIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n  Version 2.0, January 2004":                                      "Apache-2.0",
		"GNU GENERAL PUBLIC LICENSE Version 3, 29 June 2007":                               "",
		"GNU AFFERO GENERAL PUBLIC LICENSE":                                                "",
		"Permission is hereby granted, free of charge, to any person obtaining a copy\nof": "MIT",
		"“Commons Clause” License Condition v1.0. Apache License, Version 2.0":             "",
		"Business Source License 1.1":                                                      "",
		"All rights reserved.":                                                             "",
	} {
		if got := licenceOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
