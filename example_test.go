package putget_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
	"github.com/putget/putget/symtab"
)

// A Package imports others, in a graph that may have cycles.
type Package struct {
	Path    string
	Imports []*Package
}

var (
	paths    = symtab.NewStrings("paths")
	packages = symtab.NewTable[Package]("packages", packageCodec{})
)

type packageCodec struct{}

func (packageCodec) Put(b *put.Builder, p *Package) {
	paths.Put(b, p.Path)
	put.Slice(b, p.Imports, importCodec{})
}

func (packageCodec) Get(r *get.Reader, p *Package) {
	p.Path = paths.Get(r)
	p.Imports = get.Slice(r, importCodec{})
}

// importCodec puts a reference to a package.
type importCodec struct{}

func (importCodec) Put(b *put.Builder, p **Package) { packages.Put(b, *p) }
func (importCodec) Get(r *get.Reader, p **Package)  { *p = packages.Get(r) }

// samplePackages are a and b, which import each other.
func samplePackages() *Package {
	a := &Package{Path: "example.org/a"}
	b := &Package{Path: "example.org/b", Imports: []*Package{a}}
	a.Imports = []*Package{b}
	return a
}

// A value and back: what was one pointer is one pointer again.
func Example() {
	root := samplePackages()
	data, err := putget.Append(nil, &root, importCodec{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	got, err := putget.Decode(data, importCodec{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	a := *got
	fmt.Println(a.Path, "imports", a.Imports[0].Path)
	fmt.Println(a.Imports[0].Imports[0] == a)
	// Output:
	// example.org/a imports example.org/b
	// true
}

// A document in a file, of which only what is asked for is read.
func ExampleOpenFile() {
	root := samplePackages()
	data, err := putget.Append(nil, &root, importCodec{}, &putget.Options{
		Schema:   "packages 1",
		Producer: "example",
		Sections: []putget.Section{{Name: "license", Data: []byte("MIT")}},
	})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "putget")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "packages")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		log.Fatal(err)
	}

	d, err := putget.OpenFile(path, &putget.Options{Schema: "packages 1"})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	license, err := d.Section("license")
	if err != nil {
		log.Fatal(err)
	}
	second, err := packages.Load(d, 1) // without the root
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, license %s\n", second.Path, license)
	for _, s := range d.Sections() {
		fmt.Println(s.Kind, s.Name, s.Entries)
	}

	_, err = putget.OpenFile(path, &putget.Options{Schema: "packages 2"})
	fmt.Println(errors.Is(err, putget.ErrSchema))
	// Output:
	// example.org/b, license MIT
	// root  0
	// table packages 2
	// table paths 2
	// user license 0
	// true
}

// Values through a pipe. What the first brought into tables, the second
// refers to.
func ExampleEncoder() {
	var pipe bytes.Buffer
	e := putget.NewEncoder(&pipe, nil)
	a := samplePackages()
	for _, p := range []*Package{a, a.Imports[0]} {
		if err := putget.EncodeTo(e, &p, importCodec{}); err != nil {
			log.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		log.Fatal(err)
	}

	d := putget.NewDecoder(&pipe, nil)
	for {
		p, err := putget.DecodeFrom(d, importCodec{})
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println((*p).Path)
	}
	// Output:
	// example.org/a
	// example.org/b
}

// Equal graphs have equal fingerprints, however they were made.
func ExampleFingerprint() {
	a, b := samplePackages(), samplePackages()
	f1, err := putget.Fingerprint(&a, importCodec{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	f2, err := putget.Fingerprint(&b, importCodec{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	b.Imports[0].Imports[0] = &Package{Path: "example.org/a"} // equal, but another
	f3, err := putget.Fingerprint(&b, importCodec{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f1 == f2, f1 == f3)
	// Output: true false
}
