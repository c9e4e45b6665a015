package main

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"wakelab/engine"
	"wakelab/engine/param"
)

// costsPage is the page of every number and switch of the model: a table a
// group, in the order of the parameter table.
var costsPage = template.Must(template.New("costs").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'">
<title>Wakelab: every cost with its source</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="css/page.css">
</head>
<body>
<header class="top"><a class="brand" href="./">Wakelab</a> <span class="tagline">every cost with its range, source and confidence</span></header>
<main>
<section class="figures">
<h1>Every cost with its source</h1>
<p class="note">Model version {{.Version}}. {{.Counts}}. The values are those of 2 x EPYC 9654 and Linux v6.5; presets of machines, kernels and workloads change some. <code>wakelab show PRESET</code> lists theirs.</p>
</section>
{{range .Groups}}<section class="figures">
<h2 id="{{.Name}}">{{.Title}}</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="{{.Name}}">
<table>
<thead><tr><th scope="col">Parameter</th><th scope="col">Value</th><th scope="col">Allowed</th><th scope="col">Confidence</th><th scope="col">Source</th></tr></thead>
<tbody>
{{range .Rows}}<tr id="{{.Key}}"><th scope="row">{{.Title}} <code>{{.Key}}</code><small>{{.Help}}</small></th><td>{{.Value}}</td><td>{{.Range}}</td><td>{{.Confidence}}</td><td>{{.Source}}</td></tr>
{{end}}</tbody>
</table>
</div>
</section>
{{end}}</main>
</body>
</html>
`))

// costGroups names the groups of the parameter table on the page.
var costGroups = []struct{ name, title string }{
	{"machine", "Machine"}, {"kernel", "Kernel switches"}, {"cost", "Kernel costs"}, {"workload", "Workloads"}, {"run", "Runs"},
}

type costGroup struct {
	Name, Title string
	Rows        []costRow
}

type costRow struct {
	Key, Title, Help, Value, Range, Source string
	Confidence                             param.Confidence
}

func writeCostsPage(w io.Writer) error {
	page := struct {
		Version int
		Counts  string
		Groups  []costGroup
	}{Version: engine.ModelVersion}
	count := map[param.Confidence]int{}
	for _, g := range costGroups {
		page.Groups = append(page.Groups, costGroup{Name: g.name, Title: g.title})
	}
	for i := range engine.Params() {
		d := &engine.Params()[i]
		count[d.Confidence]++
		g := slices.IndexFunc(page.Groups, func(g costGroup) bool { return g.Name == d.Group })
		if g < 0 {
			return fmt.Errorf("parameter %s: group %q is not on the page", d.Key, d.Group)
		}
		page.Groups[g].Rows = append(page.Groups[g].Rows, costRow{d.Key, d.Title, d.Help, d.Format(d.DefaultValue()), d.Range(), d.Source, d.Confidence})
	}
	var counts []string
	for c := param.Published; c <= param.Choice; c++ {
		counts = append(counts, fmt.Sprintf("%d %s", count[c], c))
	}
	page.Counts = "Of its numbers and switches there are: " + strings.Join(counts, ", ")
	return costsPage.Execute(w, page)
}
