package main

import (
	"context"
	"debug/buildinfo"
	"io"
	"maps"
	"slices"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// bill writes a list of the modules in the programs, in the format CycloneDX. It reads the
// modules from the programs, so that the list matches them.
func (r *release) bill(context.Context) error {
	modules := map[string]string{}
	goVersion := ""
	for _, p := range r.platforms {
		info, err := buildinfo.ReadFile(r.binary(p))
		if err != nil {
			return err
		}
		goVersion = info.GoVersion
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			modules[m.Path] = m.Version
		}
	}
	modules["std"] = goVersion // the name of the standard library in vulnerability databases
	var components []cyclonedx.Component
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		purl := "pkg:golang/" + path + "@" + modules[path]
		components = append(components, cyclonedx.Component{
			BOMRef: purl, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: modules[path], PackageURL: purl,
		})
	}
	b := cyclonedx.NewBOM()
	b.Metadata = &cyclonedx.Metadata{
		Timestamp: r.time.UTC().Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: "locus", Type: cyclonedx.ComponentTypeApplication, Name: "locus", Version: r.version,
			Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "BSD-3-Clause"}}},
		},
	}
	b.Components = &components
	return create(r.file("sbom.cdx.json"), func(w io.Writer) error {
		return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(b)
	})
}
