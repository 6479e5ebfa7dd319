package main

import (
	"context"
	"fmt"

	"golang.org/x/tools/go/packages"
)

// listed is a package's files, or what is wrong with it.
type listed struct {
	files  []string // absolute
	errors []string
}

// list asks the go command for the packages that the patterns match. It loads
// neither imports nor types, and runs no cgo: the files are as they were written.
func list(ctx context.Context, patterns []string) ([]listed, error) {
	pkgs, err := packages.Load(&packages.Config{
		Context: ctx,
		Mode:    packages.NeedName | packages.NeedFiles,
	}, patterns...)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("stopped while listing packages: %w", context.Cause(ctx))
	}
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w", err)
	}
	all := make([]listed, len(pkgs))
	for i, p := range pkgs {
		all[i] = listed{files: p.GoFiles}
		for _, e := range p.Errors {
			text := p.PkgPath + ": " + e.Msg
			if e.Pos != "" && e.Pos != "-" {
				text = e.Pos + ": " + e.Msg
			}
			all[i].errors = append(all[i].errors, text)
		}
	}
	return all, nil
}
