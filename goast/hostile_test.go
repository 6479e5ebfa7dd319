package goast_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/goast"
	"github.com/putget/putget/graphtest"
	"github.com/putget/putget/internal/testdoc"
	"github.com/putget/putget/put"
)

// small is a source with some of everything that a document has.
const small = `// Package p.
package p

import "io"

//line o.y:4
func f(r io.Reader) (n int) { // again
	if x := g(r); x != nil { return 1 } // again
	return +
}

type T struct{ a, b *T }

var _ = []T{{a: nil}, {b: nil}} /* free */
`

type smallDocument struct {
	name    string
	doc     []byte
	options *goast.Options
}

// smallDocuments are documents without and with objects, and one of two files.
func smallDocuments(t testing.TB) []smallDocument {
	t.Helper()
	var list []smallDocument
	for name, mode := range map[string]parser.Mode{"plain": mode, "objects": withObjects} {
		fset := token.NewFileSet()
		f := parse(t, fset, "small.go", []byte(small), mode)
		if len(f.Errors) == 0 {
			t.Fatal("no errors")
		}
		o := &goast.Options{Objects: name == "objects"}
		list = append(list, smallDocument{name, encode(t, fset, []*goast.File{f}, o), o})
	}
	fset := token.NewFileSet()
	files := []*goast.File{built(fset, 20, function()), built(fset, 0)}
	stray := &ast.CommentGroup{List: []*ast.Comment{{Slash: 2, Text: "// stray"}}}
	files[0].Syntax.Comments = []*ast.CommentGroup{{List: []*ast.Comment{{Text: "// listed"}}}}
	files[0].Syntax.Doc = stray
	files[1].Syntax.Doc = files[0].Syntax.Comments[0]
	files[1].Syntax.Decls = []ast.Decl{documented(stray, function()), &ast.BadDecl{From: 3, To: 30}}
	return append(list, smallDocument{"files", encode(t, fset, files, nil), &goast.Options{}})
}

// checkAny decodes any bytes at all, by all entries of the package: the result
// is an error of a known class that leaves the FileSet as it was, or trees that
// can be encoded, and come back the same from that.
func checkAny(t testing.TB, doc []byte) {
	t.Helper()
	fset := occupied(5)
	before := holds(fset)
	files, err := goast.Decode(fset, doc)
	if err != nil {
		if !known(err) {
			t.Fatalf("%v: not of a known class", err)
		}
		wantSame(t, before, holds(fset))
	}
	other := occupied(5)
	decls, errDecls := goast.DecodeDecls(other, doc)
	if errDecls != nil {
		if !known(errDecls) {
			t.Fatalf("declarations: %v: not of a known class", errDecls)
		}
		wantSame(t, before, holds(other))
	}
	if err == nil && errDecls != nil {
		t.Fatalf("only the declarations are refused: %v", errDecls)
	}
	if errDecls == nil {
		whole := true
		for _, fn := range functions(decls.Files) {
			if fn == nil {
				continue
			}
			body, bodyErr := decls.Body(fn)
			if bodyErr != nil {
				if whole = false; err == nil || !known(bodyErr) {
					t.Fatalf("a body is refused: %v; all: %v", bodyErr, err)
				}
			}
			fn.Body = body
		}
		if whole && err == nil {
			if d := graphtest.Diff(files, decls.Files); d != "" {
				t.Fatal("declarations with their bodies differ: ", d)
			}
		}
	}
	if err != nil {
		return
	}
	if n := len(holds(fset)) - len(before); n != len(files) {
		t.Fatalf("%d trees, %d files", len(files), n)
	}
	checkCanonical(t, fset, files, doc)
}

// checkCanonical: what was decoded encodes to the same bytes. Where a document
// says something in another way than this package would (names in another order,
// wrong counts of nodes), it comes back the same from other bytes, and then from
// the same.
func checkCanonical(t testing.TB, fset *token.FileSet, files []*goast.File, doc []byte) {
	t.Helper()
	var failed []error
	for i, o := range bothOptions { // that a document has objects cannot be told from any tree
		first, err := goast.Encode(fset, files, o)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if bytes.Equal(first, doc) {
			return
		}
		again := occupied(5)
		decoded, err := goast.Decode(again, first)
		if err != nil {
			t.Fatalf("what was encoded is refused: %v", err)
		}
		opts := ignoreObjects
		if i > 0 {
			opts = nil
		}
		if d := graphtest.Diff(files, decoded, opts...); d != "" {
			t.Fatal(d)
		}
		second, err := goast.Encode(again, decoded, o)
		if err != nil {
			t.Fatalf("what was encoded before: %v", err)
		}
		if !bytes.Equal(first, second) {
			t.Fatalf("encoded\n%x\nthen\n%x", first, second)
		}
	}
	if len(failed) == len(bothOptions) {
		t.Fatal(failed)
	}
}

// TestTruncated: a document that is cut short is so reported, at every length.
func TestTruncated(t *testing.T) {
	for _, d := range smallDocuments(t) {
		for n := range d.doc {
			fset := occupied(5)
			if _, err := goast.Decode(fset, d.doc[:n]); !errors.Is(err, putget.ErrTruncated) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s cut at %d: %v", d.name, n, err)
			}
			if _, err := goast.DecodeDecls(fset, d.doc[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s cut at %d: %v", d.name, n, err)
			}
			if list := holds(fset); len(list) != 1 {
				t.Fatalf("%d files are left behind", len(list)-1)
			}
			cut := bytes.Clone(d.doc[:n])
			if n >= 16 {
				binary.LittleEndian.PutUint64(cut[8:], uint64(n))
			}
			if testdoc.Reseal(cut) {
				checkAny(t, cut)
			}
		}
	}
}

// TestFlipped: each flipped bit is found; with the checksums made right, it is
// an error or a tree that can be encoded.
func TestFlipped(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	for _, d := range smallDocuments(t) {
		same, refused, other := 0, 0, 0
		for bit := 0; bit < 8*len(d.doc); bit += step {
			flipped := bytes.Clone(d.doc)
			flipped[bit/8] ^= 1 << (bit % 8)
			fset := occupied(5)
			if _, err := goast.Decode(fset, flipped); err == nil || !known(err) {
				t.Fatalf("%s, bit %d: %v", d.name, bit, err)
			}
			if !testdoc.Reseal(flipped) {
				continue
			}
			checkAny(t, flipped)

			files, err := goast.Decode(fset, flipped)
			if err != nil {
				refused++
				continue
			}
			if again, err := goast.Encode(fset, files, d.options); err == nil && bytes.Equal(flipped, again) {
				same++
			} else {
				other++
			}
		}
		t.Logf("%s: %d bytes; of the flipped %d are refused, %d are other trees, %d are other ways to say one", d.name, len(d.doc), refused, same, other)
		if same == 0 || refused == 0 {
			t.Error("no flipped bit had one of the outcomes")
		}
	}
}

// TestHostileMemory: no document costs memory beyond a multiple of its size.
func TestHostileMemory(t *testing.T) {
	const multiple, constant = 256, 1 << 20
	worst := uint64(0)
	check := func(doc []byte) {
		t.Helper()
		fset := occupied(5)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		goast.Decode(fset, doc)
		d, err := goast.DecodeDecls(fset, doc)
		if err == nil {
			for _, fn := range functions(d.Files) {
				if fn != nil {
					d.Body(fn)
				}
			}
		}
		runtime.ReadMemStats(&after)
		n := after.TotalAlloc - before.TotalAlloc
		worst = max(worst, n)
		if n > uint64(multiple*len(doc)+constant) {
			t.Fatalf("%d bytes cost %d", len(doc), n)
		}
	}
	for _, d := range smallDocuments(t) {
		// Every byte of the sections, and the counts in the directory, as a large number.
		bodyEnd, _ := testdoc.Layout(d.doc)
		step := 1
		if testing.Short() {
			step = 5
		}
		for i := 16; i < len(d.doc)-12; i += step {
			for _, huge := range []string{"\xff\xff\xff\xff\x07", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x7f", "\xff\x7f"} {
				doc := bytes.Clone(d.doc)
				copy(doc[i:len(doc)-12], huge)
				if testdoc.Reseal(doc) {
					check(doc)
				}
			}
		}
		if bodyEnd < 100 {
			t.Error("no sections")
		}
	}
	t.Logf("%d bytes at most", worst)
}

// The files of a document need not fit into a FileSet.
func TestHugeFile(t *testing.T) {
	fset := token.NewFileSet()
	files := []*goast.File{built(fset, 1<<30), built(fset, 1<<30-10)}
	doc := encode(t, fset, files, nil)
	got := token.NewFileSet()
	decode(t, got, doc)
	if got.Base() != fset.Base() {
		t.Errorf("base %d, want %d", got.Base(), fset.Base())
	}
	if size := int64(1) << 32; int64(int(size)) == size { // where positions have 64 bits
		built(fset, 1<<30)
	} else if _, err := goast.Decode(got, doc); !errors.Is(err, putget.ErrLimit) {
		t.Errorf("two times the files: %v", err)
	}

	// Files whose sizes add up to less than nothing, in 32 bits.
	const size = 1<<28 + 5
	fset = token.NewFileSet()
	doc = encode(t, fset, []*goast.File{built(fset, size), built(fset, size), built(fset, size), built(fset, size)}, nil)
	was := binary.AppendUvarint(nil, size)
	for _, huge := range []uint64{1<<31 - 3, 1<<31 - 2, 1<<31 - 1, 1<<32 - 1, 1<<35 - 1} {
		grown := bytes.ReplaceAll(doc, was, binary.AppendUvarint(nil, huge))
		if bytes.Equal(doc, grown) || len(doc) != len(grown) || !testdoc.Reseal(grown) {
			t.Fatal("the sizes are not where they should be")
		}
		if _, err := goast.Decode(token.NewFileSet(), grown); !errors.Is(err, putget.ErrCorrupt) {
			t.Errorf("files of %d bytes: %v", huge, err)
		}
		checkAny(t, grown)
	}
}

// nothing codes a root without bytes.
type nothing struct{}

func (nothing) Put(*put.Builder, *struct{}) {}
func (nothing) Get(*get.Reader, *struct{})  {}

// TestForeign: what is no document of this package is refused by what it is.
func TestForeign(t *testing.T) {
	foreign, err := putget.Append(nil, new(struct{}), nothing{}, &putget.Options{Schema: "other 1"})
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Clone(foreign)
	newer[7]++
	testdoc.Reseal(newer)
	for _, test := range []struct {
		name string
		data []byte
		want error
	}{
		{"nothing", nil, putget.ErrTruncated},
		{"a source", []byte(small), putget.ErrCorrupt},
		{"zeros", make([]byte, 100), putget.ErrCorrupt},
		{"another schema", foreign, putget.ErrSchema},
		{"a newer version", newer, putget.ErrVersion},
	} {
		fset := token.NewFileSet()
		if _, err := goast.Decode(fset, test.data); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
		if _, err := goast.DecodeDecls(fset, test.data); !errors.Is(err, test.want) {
			t.Errorf("%s: declarations: %v", test.name, err)
		}
		if fset.Base() != 1 {
			t.Errorf("%s: the FileSet changed", test.name)
		}
	}
}

// Later blocks of a long document are checked, too.
func TestDamagedBlocks(t *testing.T) {
	src := "package p\n" + strings.Repeat("\nvar x = f(1, a.b, \"abc\") // comment\nfunc f() { return x }\n", 2000)
	fset, f := one(t, src)
	doc := encode(t, fset, []*goast.File{f}, nil)
	if len(doc) < 8*4096 {
		t.Fatalf("only %d bytes", len(doc))
	}
	for at := 0; at < len(doc); at += 777 {
		doc[at] ^= 16
		if _, err := goast.Decode(token.NewFileSet(), doc); !known(err) {
			t.Errorf("byte %d: %v", at, err)
		}
		doc[at] ^= 16
	}
	decode(t, token.NewFileSet(), doc)
}
