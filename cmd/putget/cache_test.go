package main

import (
	"bytes"
	"context"
	"encoding/json"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/putget/putget/cache"
	"github.com/putget/putget/goast"
)

// module makes a module of the files, and enters it.
func module(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.26\n")
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	t.Chdir(dir)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

var twoPackages = map[string]string{
	"a/a.go":      "// Package a is first.\npackage a\n\nfunc F(x int) int { return x + 1 } // one more\n",
	"a/b.go":      "package a\n\n//line other.y:7\nvar V = `raw`\n",
	"b/b.go":      "package b\n\nimport _ \"example.com/absent\"\n\ntype T[P any] struct{ p *T[P] }\n",
	"b/b_test.go": "package b\n",
}

// result is what a command did.
type result struct {
	status         int
	stdout, stderr string
}

func putget(args ...string) result {
	var stdout, stderr bytes.Buffer
	status := run(context.Background(), args, &stdout, &stderr)
	return result{status, stdout.String(), stderr.String()}
}

// want checks the status, and that the outputs match regular expressions. An
// empty one stands for no output.
func (r result) want(t *testing.T, status int, stdout, stderr string) {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d", r.status, status)
	}
	for _, out := range []struct{ name, got, want string }{
		{"stdout", r.stdout, stdout},
		{"stderr", r.stderr, stderr},
	} {
		if out.want == "" {
			out.want = `^$`
		}
		if !regexp.MustCompile(out.want).MatchString(out.got) {
			t.Errorf("%s does not match %s:\n%s", out.name, out.want, out.got)
		}
	}
}

// numbers decodes the one object that --json prints.
func (r result) numbers(t *testing.T) map[string]float64 {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(r.stdout))
	m := map[string]float64{}
	if err := d.Decode(&m); err != nil {
		t.Fatalf("%v\n%s%s", err, r.stdout, r.stderr)
	}
	if d.More() {
		t.Errorf("more than one object: %s", r.stdout)
	}
	return m
}

// entries are the files of the cache in dir.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "??", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestTable(t *testing.T) {
	module(t, twoPackages)
	dir := t.TempDir()
	putget("cache", "--dir", dir).want(t, 0, `^packages +2
files +3
nodes +\d\d
source bytes +\d{3}
encoded bytes +[\d,]{3,5}
seconds to parse +0\.\d{3}  \(3 files\)
seconds to encode +0\.\d{3}  \(3 files\)
seconds to load +0\.\d{3}  \(3 files\)
seconds to load declarations +0\.\d{3}  \(3 files\)

3 loaded trees were compared with the parsed: isomorphic\.
$`, "")
	if n := len(entries(t, dir)); n != 3 {
		t.Errorf("%d entries", n)
	}

	putget("cache", "--dir", dir, "./a").want(t, 0, `seconds to parse +0\.000  \(0 files\)
seconds to encode +0\.000  \(0 files\)
seconds to load +0\.\d{3}  \(2 files\)
seconds to load declarations +0\.\d{3}  \(2 files\)

2 files were current: loaded, not parsed\.
$`, "")

	putget("cache", "--dir", dir, "--verify").want(t, 0, `seconds to parse +0\.\d{3}  \(3 files\)
seconds to encode +0\.000  \(0 files\)
(?s:.*)
3 files were current: loaded, and parsed to compare\.

3 loaded trees were compared with the parsed: isomorphic\.
$`, "")
}

func TestJSON(t *testing.T) {
	module(t, twoPackages)
	dir := t.TempDir()
	first := putget("cache", "--dir", dir, "--json")
	first.want(t, 0, `^\{.*\}\n$`, "")
	m := first.numbers(t)
	fields := []string{
		"cached_packages", "decls_seconds", "encode_seconds", "encoded_bytes", "files", "load_seconds",
		"nodes", "packages", "parse_seconds", "source_bytes", "verified_files",
	}
	if got := slices.Sorted(maps.Keys(m)); !slices.Equal(got, fields) {
		t.Errorf("fields %q, want %q", got, fields)
	}
	help := putget("cache", "--help").stdout
	for _, name := range fields {
		if !strings.Contains(help, "\n  "+name+" ") {
			t.Errorf("the help does not describe %s", name)
		}
	}
	source := 0
	for _, name := range []string{"a/a.go", "a/b.go", "b/b.go"} {
		source += len(twoPackages[name])
	}
	expect := func(m map[string]float64, want map[string]int) {
		t.Helper()
		for name, n := range want {
			if m[name] != float64(n) {
				t.Errorf("%s is %v, want %d", name, m[name], n)
			}
		}
	}
	expect(m, map[string]int{"packages": 2, "files": 3, "source_bytes": source, "verified_files": 3, "cached_packages": 0})
	for _, name := range []string{"nodes", "encoded_bytes", "parse_seconds", "encode_seconds", "load_seconds", "decls_seconds"} {
		if m[name] <= 0 {
			t.Errorf("%s is %v", name, m[name])
		}
	}

	// A second run has only hits; one with a changed file, hits and a miss.
	second := putget("cache", "--dir", dir, "--json").numbers(t)
	expect(second, map[string]int{
		"packages": 2, "files": 3, "nodes": int(m["nodes"]), "source_bytes": source, "encoded_bytes": int(m["encoded_bytes"]),
		"parse_seconds": 0, "encode_seconds": 0, "verified_files": 0, "cached_packages": 2,
	})
	write(t, "a/a.go", "package a\n")
	expect(putget("cache", "--dir", dir, "--json").numbers(t), map[string]int{
		"packages": 2, "files": 3, "verified_files": 1, "cached_packages": 1,
	})
}

func TestDamagedEntry(t *testing.T) {
	module(t, twoPackages)
	dir := t.TempDir()
	putget("cache", "--dir", dir).want(t, 0, "packages", "")
	intact := map[string][]byte{}
	for i, name := range entries(t, dir) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		intact[name] = data
		switch i {
		case 0:
			data = data[:len(data)/2]
		case 1:
			data = bytes.Clone(data)
			data[len(data)-1] ^= 1
		}
		write(t, name, string(data))
	}
	putget("cache", "--dir", dir).want(t, 0, `1 file was current`,
		`(?m)\A(putget: \S+\.go is parsed and stored again: cache: miss: .*(truncated|checksum mismatch).*\n){2}\z`)
	for name, want := range intact {
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s was not written as before: %v", name, err)
		}
	}
	putget("cache", "--dir", dir).want(t, 0, "3 files were current", "")
}

// A file that does not parse keeps its partial tree and its errors.
func TestBrokenFiles(t *testing.T) {
	files := maps.Clone(twoPackages)
	files["broken/a.go"] = "package broken\n\nfunc f() {\n\tif\n}\n"
	files["broken/b.go"] = "package broken\n"
	files["empty/a.go"] = ""
	module(t, files)
	dir := t.TempDir()
	const stderr = `(?s)\A\S+broken.a\.go:5:1: [^\n]+\n.*\S+empty.a\.go:1:1: [^\n]+\nputget: \d problems reported above; the rest is done\n\z`
	putget("cache", "--dir", dir).want(t, 1, `(?s)\Apackages +4\nfiles +6\n.*6 loaded trees were compared`, stderr)
	putget("cache", "--dir", dir).want(t, 1, `6 files were current`, stderr)
}

// A stored tree that is not the file's is found, and gone.
func TestWrongTree(t *testing.T) {
	module(t, map[string]string{"a.go": "package a\n\nvar X int\n"})
	dir := t.TempDir()
	putget("cache", "--dir", dir).want(t, 0, "packages", "")

	// As go list names it: the folder may be behind a link.
	pkgs, err := list(context.Background(), []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	name := pkgs[0].files[0]
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	store, err := cache.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	trees := goast.Cache{Store: store, Mode: mode}
	fset := token.NewFileSet()
	other, err := trees.Parse(fset, name, []byte("package a\n\nvar Y int\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := trees.Put(fset, name, src, other); err != nil {
		t.Fatal(err)
	}
	putget("cache", "--dir", dir, "--verify").want(t, 1, `files +1\n`, `a\.go: the stored tree is not the parsed one: .*want "X", got "Y"`)
	putget("cache", "--dir", dir).want(t, 0, `1 loaded tree was compared`, `a\.go is parsed and stored again`)
	putget("cache", "--dir", dir, "--verify").want(t, 0, `1 loaded tree was compared`, "")
}

func TestPatterns(t *testing.T) {
	module(t, twoPackages)
	dir := t.TempDir()
	for _, c := range []struct{ pattern, stderr string }{
		{"nosuch", `nosuch: package nosuch is not in std`},
		{"./nosuch", `nosuch: .*(not found|no such)`},
		{"example.com/other", `no required module provides package example.com/other`},
		{"example.com/other/...", `matched? no packages|no packages with Go files match \["example.com/other/..."\]`},
	} {
		putget("cache", "--dir", dir, c.pattern).want(t, 1, "", c.stderr)
	}
	putget("cache", "--dir", dir, "nosuch", "example.com/m/b").want(t, 1, `\Apackages +1\n`, `nosuch is not in std`)
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args   []string
		stderr string
	}{
		{[]string{"cache", "--nosuch"}, `\Aputget: unknown flag: --nosuch\nRun 'putget cache --help' for usage\.\n\z`},
		{[]string{"cache", "--dir"}, `\Aputget: flag needs an argument: --dir\n`},
		{[]string{"cache", "--dir", ""}, `\Aputget: the folder that --dir names is empty\nRun 'putget cache --help' for usage\.\n\z`},
		{[]string{"nosuch"}, `\Aputget: unknown command "nosuch" for "putget"\nRun 'putget --help' for usage\.\n\z`},
	} {
		putget(c.args...).want(t, 2, "", c.stderr)
	}
	putget("cache", "--help").want(t, 0, `(?s)putget cache \[packages\].*--dir folder.*--json.*--verify`, "")
}

func TestUnwritableFolder(t *testing.T) {
	module(t, twoPackages)
	write(t, "file", "not a folder")
	putget("cache", "--dir", "file").want(t, 1, "", `\Aputget: .*parsed and stored again(?s:.*)\nputget: cannot write in file: not a directory; name another folder with --dir\n\z`)

	if os.Getuid() <= 0 {
		return // root writes anywhere, and Windows has other rights
	}
	if err := os.Mkdir("locked", 0o500); err != nil {
		t.Fatal(err)
	}
	putget("cache", "--dir", "locked").want(t, 1, "", `\Aputget: cannot write in locked: permission denied; name another folder with --dir\n\z`)
}

// Without arguments and a module there is a hint.
func TestNoModule(t *testing.T) {
	t.Chdir(t.TempDir())
	putget("cache", "--dir", t.TempDir()).want(t, 1, "", `(?s)putget: no packages with Go files match.*: outside of one, name some, such as std\n\z`)
}

func TestDefaultFolder(t *testing.T) {
	if runtime.GOOS == "darwin" || runtime.GOOS == "plan9" {
		t.Skip("the user's cache folder goes with the home folder, in which the go command writes, too")
	}
	module(t, twoPackages)
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv("LocalAppData", home)
	t.Setenv("GOCACHE", t.TempDir())
	putget("cache").want(t, 0, `3 loaded trees`, "")
	dir, err := defaultDir()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(dir, home) || len(entries(t, dir)) != 3 {
		t.Errorf("%d entries in %s", len(entries(t, dir)), dir)
	}
}

func TestInterrupt(t *testing.T) {
	module(t, twoPackages)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	status := run(ctx, []string{"cache", "--dir", t.TempDir()}, &stdout, &stderr)
	result{status, stdout.String(), stderr.String()}.want(t, 130, "", `\Aputget: stopped while listing packages: `)

	// Between two files.
	ctx, cancel = context.WithCancel(context.Background())
	j := &job{log: &reporter{w: &stderr}}
	cancel()
	if err := j.pkg(ctx, listed{files: []string{"a.go"}}); err == nil || j.Files > 0 {
		t.Errorf("went on: %v", err)
	}
}
