package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// newCacheCommand makes the command "putget cache".
func newCacheCommand() *cobra.Command {
	var dir string
	var verify, asJSON bool
	cmd := &cobra.Command{
		Use:   "cache [packages]",
		Short: "Parse packages into the cache, load them back, compare, and time it",
		Long: `Cache stores the syntax tree of every Go file of the packages: patterns as the
go command takes them, by default the packages of the current module; std is the
standard library. Test files are left out, comments are kept.

A file that has no current entry in the cache is parsed and stored. The trees of
all files are loaded back from what is stored, and those of newly stored files
are compared with the parsed ones: same nodes, same identity, same positions.

The table counts nodes as ast.Inspect visits them. Its seconds are of this run:
each call alone, in one goroutine, from bytes in memory to trees and back,
without reading and writing files. "declarations" loads the trees without the
bodies of functions.

Files that do not parse are reported, their partial trees are stored with their
errors, and the rest goes on; the exit status is then 1. A damaged entry is
reported and written again. The folder may be deleted at any time.

The fields of the JSON object:

  packages         packages with Go files
  files            files that were loaded
  nodes            nodes in their trees
  source_bytes     size of the files
  encoded_bytes    size of their entries
  parse_seconds    time to parse the files that were parsed
  encode_seconds   time to encode the files that were newly stored
  load_seconds     time to load all files
  decls_seconds    time to load them without the bodies of functions
  verified_files   files whose loaded trees were compared with the parsed
  cached_packages  packages all of whose files had current entries`,
		Example: `  putget cache             # the current module
  putget cache std         # the standard library
  putget cache --json ./...`,
		RunE: func(cmd *cobra.Command, patterns []string) error {
			if dir == "" && cmd.Flags().Changed("dir") {
				return errors.New("the folder that --dir names is empty")
			}
			byDefault := len(patterns) == 0
			if byDefault {
				patterns = []string{"./..."}
			}
			out, log := cmd.OutOrStdout(), &reporter{w: cmd.ErrOrStderr()}
			figures, err := cachePackages(cmd.Context(), log, dir, verify, patterns)
			if byDefault && errors.Is(err, errNoPackages) {
				err = fmt.Errorf("%w; without arguments the packages are those of the current module: outside of one, name some, such as std", err)
			}
			if err != nil {
				return &failure{err}
			}
			if asJSON {
				err = figures.writeJSON(out)
			} else {
				err = figures.writeTable(out)
			}
			if err == nil && log.problems > 0 {
				err = fmt.Errorf("%s reported above; the rest is done", count(log.problems, "problem"))
			}
			if err != nil {
				return &failure{err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the `folder` of the cache (default "+defaultDirHelp()+")")
	cmd.Flags().BoolVar(&verify, "verify", false, "parse every file, and compare its tree with the stored one")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead of the table")
	return cmd
}

func defaultDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the cache: %w; name one with --dir", err)
	}
	return filepath.Join(dir, "putget"), nil
}

// defaultDirHelp is what the help says of the default.
func defaultDirHelp() string {
	if dir, err := defaultDir(); err == nil {
		return dir
	}
	return "putget in the user's cache folder"
}

var errNoPackages = errors.New("no packages with Go files match")
