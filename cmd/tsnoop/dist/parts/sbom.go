package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The elements of CycloneDX 1.6 that a program of Go modules needs.
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Time      string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type       string       `json:"type"`
		Ref        string       `json:"bom-ref"`
		Name       string       `json:"name"`
		Version    string       `json:"version"`
		Hashes     []hash       `json:"hashes,omitempty"`
		Licences   []expression `json:"licenses"`
		PURL       string       `json:"purl"`
		Properties []property   `json:"properties,omitempty"`
	}
	hash struct {
		Alg     string `json:"alg"`
		Content string `json:"content"`
	}
	expression struct {
		Expression string `json:"expression"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// sbom lists the parts of a program.
func sbom(info *debug.BuildInfo, parts []part, program string) ([]byte, error) {
	file, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	version := "v" + strings.TrimPrefix(os.Getenv("VERSION"), "v")
	main := component{Type: "application", Name: info.Main.Path, Version: version, Licences: []expression{{"MIT"}},
		PURL: purl(info.Main.Path, version), Hashes: []hash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(file))}}}
	main.Ref = main.PURL
	for _, s := range info.Settings {
		if s.Key == "GOOS" || s.Key == "GOARCH" || s.Key == "CGO_ENABLED" || s.Key == "vcs.revision" {
			main.Properties = append(main.Properties, property{"go:" + s.Key, s.Value})
		}
	}
	b := bom{Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{time.Unix(epoch, 0).UTC().Format(time.RFC3339), main}}
	uses := dependency{Ref: main.Ref}
	for _, p := range parts {
		c := p.component()
		b.Components = append(b.Components, c)
		uses.DependsOn = append(uses.DependsOn, c.Ref)
	}
	b.Dependencies = []dependency{uses}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

func (p part) component() component {
	var ids []string
	for _, l := range p.licences {
		for id := range strings.SplitSeq(l.id, " AND ") {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	c := component{Type: "library", Name: p.Path, Version: p.Version, PURL: purl(p.Path, strings.TrimPrefix(p.Version, "go")),
		Licences: []expression{{strings.Join(ids, " AND ")}}}
	c.Ref = c.PURL
	if p.Sum != "" {
		c.Properties = []property{{"go:sum", p.Sum}}
	}
	return c
}

// purl is a package URL.
func purl(path, version string) string { return "pkg:golang/" + path + "@" + version }
