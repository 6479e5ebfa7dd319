package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// figures are what a run counts and measures.
type figures struct {
	Packages       int
	Files          int // loaded
	Nodes          int
	SourceBytes    int
	EncodedBytes   int
	VerifiedFiles  int // parsed, and compared with what was loaded
	CachedPackages int // all of whose files were current

	verify       bool // current files, too
	current      int  // files
	parsing      stopwatch
	encoding     stopwatch
	loading      stopwatch
	loadingDecls stopwatch
}

func (f *figures) writeJSON(w io.Writer) error {
	return json.NewEncoder(w).Encode(struct {
		Packages       int     `json:"packages"`
		Files          int     `json:"files"`
		Nodes          int     `json:"nodes"`
		SourceBytes    int     `json:"source_bytes"`
		EncodedBytes   int     `json:"encoded_bytes"`
		ParseSeconds   float64 `json:"parse_seconds"`
		EncodeSeconds  float64 `json:"encode_seconds"`
		LoadSeconds    float64 `json:"load_seconds"`
		DeclsSeconds   float64 `json:"decls_seconds"`
		VerifiedFiles  int     `json:"verified_files"`
		CachedPackages int     `json:"cached_packages"`
	}{
		f.Packages, f.Files, f.Nodes, f.SourceBytes, f.EncodedBytes,
		f.parsing.total.Seconds(), f.encoding.total.Seconds(), f.loading.total.Seconds(), f.loadingDecls.total.Seconds(),
		f.VerifiedFiles, f.CachedPackages,
	})
}

func (f *figures) writeTable(w io.Writer) error {
	var t strings.Builder
	for _, row := range []struct {
		name string
		n    int
	}{
		{"packages", f.Packages},
		{"files", f.Files},
		{"nodes", f.Nodes},
		{"source bytes", f.SourceBytes},
		{"encoded bytes", f.EncodedBytes},
	} {
		fmt.Fprintf(&t, "%-29s%12s\n", row.name, comma(row.n))
	}
	for _, row := range []struct {
		name string
		*stopwatch
	}{
		{"seconds to parse", &f.parsing},
		{"seconds to encode", &f.encoding},
		{"seconds to load", &f.loading},
		{"seconds to load declarations", &f.loadingDecls},
	} {
		fmt.Fprintf(&t, "%-29s%12.3f  (%s)\n", row.name, row.total.Seconds(), count(row.calls, "file"))
	}
	if f.current > 0 {
		what := "loaded, not parsed"
		if f.verify {
			what = "loaded, and parsed to compare"
		}
		fmt.Fprintf(&t, "\n%s current: %s.\n", were(f.current, "file"), what)
	}
	if f.VerifiedFiles > 0 {
		fmt.Fprintf(&t, "\n%s compared with the parsed: isomorphic.\n", were(f.VerifiedFiles, "loaded tree"))
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// reporter writes what a run has to say, around a progress bar if there is one.
type reporter struct {
	w        io.Writer
	bar      *progressbar.ProgressBar // nil: not on a terminal
	problems int
}

// problem reports what makes the exit status 1.
func (r *reporter) problem(text string) {
	r.problems++
	r.print(text)
}

// note reports what needs no attention.
func (r *reporter) note(text string) { r.print("putget: " + text) }

func (r *reporter) print(text string) {
	if r.bar != nil {
		r.bar.Clear()
	}
	fmt.Fprintln(r.w, text)
}

// start shows a bar for so many steps if the reporter writes to a terminal.
func (r *reporter) start(steps int) {
	f, ok := r.w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || steps == 0 {
		return
	}
	r.bar = progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription("files"),
		progressbar.OptionSetWidth(40),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(50*time.Millisecond),
		progressbar.OptionClearOnFinish())
}

func (r *reporter) advance() {
	if r.bar != nil {
		r.bar.Add(1)
	}
}

func (r *reporter) stop() {
	if r.bar != nil {
		r.bar.Clear()
		r.bar = nil
	}
}

// count is a number with its noun, which takes an s.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return comma(n) + " " + noun
}

// were is count with its verb.
func were(n int, noun string) string {
	if n == 1 {
		return count(n, noun) + " was"
	}
	return count(n, noun) + " were"
}

// comma separates the thousands of n, which is not negative.
func comma(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
