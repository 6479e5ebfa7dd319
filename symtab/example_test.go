package symtab_test

import (
	"fmt"
	"log"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
	"github.com/putget/putget/symtab"
)

// A Decl is a declaration; declarations refer to each other.
type Decl struct {
	Name string
	Uses []*Decl
}

type declCodec struct{}

var (
	declNames = symtab.NewStrings("names")
	decls     = symtab.NewTable[Decl]("decls", declCodec{})
	declIndex = symtab.NewIndex(decls, declNames, func(d *Decl) (string, uint8, bool) { return d.Name, 'd', true })
)

func (declCodec) Put(b *put.Builder, d *Decl) {
	declNames.Put(b, d.Name)
	put.Slice(b, d.Uses, declPtr{})
}

func (declCodec) Get(r *get.Reader, d *Decl) {
	d.Name = declNames.Get(r)
	d.Uses = get.Slice(r, declPtr{})
}

// declPtr is a pointer to a Decl as an element.
type declPtr struct{}

func (declPtr) Put(b *put.Builder, p **Decl) { decls.Put(b, *p) }
func (declPtr) Get(r *get.Reader, p **Decl)  { *p = decls.Get(r) }

// module makes a document of three declarations.
func module() []byte {
	f, g, h := &Decl{Name: "f"}, &Decl{Name: "g"}, &Decl{Name: "h"}
	f.Uses = []*Decl{f, g} // f calls itself
	g.Uses = []*Decl{f}
	doc, err := putget.Append(nil, &[]*Decl{f, h}, put.Func[[]*Decl](func(b *put.Builder, l *[]*Decl) {
		put.Slice(b, *l, declPtr{})
	}), nil)
	if err != nil {
		log.Fatal(err)
	}
	return doc
}

// Identity across a document: two declarations that use each other.
func ExampleTable() {
	list, err := putget.Decode(module(), get.Func[[]*Decl](func(r *get.Reader, l *[]*Decl) {
		*l = get.Slice(r, declPtr{})
	}), nil)
	if err != nil {
		log.Fatal(err)
	}
	f := (*list)[0]
	g := f.Uses[1]
	fmt.Println(f.Name, g.Name, f.Uses[0] == f, g.Uses[0] == f)
	// Output: f g true true
}

// Finding one declaration by name decodes it, and what it uses.
func ExampleIndex() {
	doc, err := putget.Open(module(), nil)
	if err != nil {
		log.Fatal(err)
	}
	hits, err := declIndex.Find(doc, "g")
	if err != nil || len(hits) == 0 {
		log.Fatal("no g: ", err)
	}
	g, err := decls.Load(doc, hits[0].ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Name, "uses", g.Uses[0].Name)
	for hit, err := range declIndex.All(doc) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s is entry %d, of kind %c\n", hit.Name, hit.ID, hit.Kind)
	}
	// Output:
	// g uses f
	// f is entry 0, of kind d
	// g is entry 2, of kind d
	// h is entry 1, of kind d
}

// A Class has a constructor, which wants the superclass; its methods, which may
// return the class itself, come later.
type Class struct {
	name    string
	super   *Class
	returns []*Class // of each method
}

func NewClass(name string, super *Class) *Class { return &Class{name: name, super: super} }

type classCodec struct{}

var classes = symtab.NewBuilt[*Class]("classes", classCodec{})

func (classCodec) Put(b *put.Builder, c *Class) {
	b.String(c.name)
	classes.Put(b, c.super)
	b.Rest(func(b *put.Builder) {
		put.Slice(b, c.returns, put.Func[*Class](func(b *put.Builder, c **Class) { classes.Put(b, *c) }))
	})
}

func (classCodec) Get(r *get.Reader) *Class {
	c := NewClass(r.String(), classes.Get(r))
	r.Rest(0, func(r *get.Reader) {
		c.returns = get.Slice(r, get.Func[*Class](func(r *get.Reader, c **Class) { *c = classes.Get(r) }))
	})
	return c
}

// Values that constructors make, with a cycle through what is left for later.
func ExampleBuilt() {
	object := NewClass("Object", nil)
	list := NewClass("List", object)
	list.returns = []*Class{list, object}
	doc, err := putget.Append(nil, &list, put.Func[*Class](func(b *put.Builder, c **Class) { classes.Put(b, *c) }), nil)
	if err != nil {
		log.Fatal(err)
	}
	c, err := putget.Decode(doc, get.Func[*Class](func(r *get.Reader, c **Class) { *c = classes.Get(r) }), nil)
	if err != nil {
		log.Fatal(err)
	}
	got := *c
	fmt.Println(got.name, got.super.name, got.returns[0] == got, got.returns[1] == got.super)
	// Output: List Object true true
}

// Term is an expression: two that look the same are the same.
type Term struct {
	op   string
	l, r *Term
}

type termCodec struct{}

var terms = symtab.NewCons[*Term]("terms", termCodec{})

func (termCodec) Put(b *put.Builder, t *Term) { b.String(t.op); terms.Put(b, t.l); terms.Put(b, t.r) }
func (termCodec) Get(r *get.Reader) *Term     { return &Term{r.String(), terms.Get(r), terms.Get(r)} }

// Equal values become one.
func ExampleCons() {
	x := func() *Term { return &Term{op: "x"} }
	sum := &Term{"+", &Term{"*", x(), x()}, &Term{"*", x(), x()}}
	doc, err := putget.Append(nil, sum, put.Func[Term](func(b *put.Builder, t *Term) { terms.Put(b, t) }), nil)
	if err != nil {
		log.Fatal(err)
	}
	d, err := putget.Open(doc, nil)
	if err != nil {
		log.Fatal(err)
	}
	n, err := terms.Len(d)
	if err != nil {
		log.Fatal(err)
	}
	t, err := terms.Load(d, symtab.ID(n-1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, t.l == t.r, t.l.l == t.r.r)
	// Output: 3 true true
}
