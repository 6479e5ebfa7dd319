package derive_test

import (
	"fmt"
	"log"

	"github.com/putget/putget"
	"github.com/putget/putget/derive"
	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
	"github.com/putget/putget/state"
	"github.com/putget/putget/symtab"
)

// copyOf sends a value through a document.
func copyOf[T any](v *T, policies ...derive.Policy) (*T, []byte) {
	c := derive.Must(derive.For[T](policies...))
	data, err := putget.Append(nil, v, c, &putget.Options{Schema: c.Schema()})
	if err != nil {
		log.Fatal(err)
	}
	got, err := putget.Decode(data, c, &putget.Options{Schema: c.Schema()})
	if err != nil {
		log.Fatal(err)
	}
	return got, data
}

// size is the length of a value as a bare unit.
func size[T any](v *T, policies ...derive.Policy) int {
	var b put.Builder
	derive.Must(derive.For[T](policies...)).Put(&b, v)
	data, err := b.Done()
	if err != nil {
		log.Fatal(err)
	}
	return len(data)
}

// A codec for a type and all that it leads to. Pointers keep their identity:
// that is the default.
func ExampleFor() {
	type Person struct {
		Name   string
		Friend *Person
	}
	ann := &Person{Name: "Ann"}
	ann.Friend = &Person{"Bob", ann}
	got, _ := copyOf(ann)
	fmt.Println(got.Friend.Name, got.Friend.Friend == got)

	type Account struct {
		Owner  *Person
		Notify func()
	}
	_, err := derive.For[Account]()
	fmt.Println(err)
	// Output:
	// Bob true
	// derive: derive_test.Account.Notify: func() cannot be put; leave the field out with derive.Skip, or give a codec with derive.Use
}

// Own is for trees: nothing is kept of identities but a check.
func ExampleOwn() {
	type Node struct{ Left, Right *Node }
	leaf := &Node{}
	got, _ := copyOf(&Node{leaf, &Node{}}, derive.Own[Node]())
	fmt.Println(*got.Left == Node{})

	c := derive.Must(derive.For[Node](derive.Own[Node]()))
	_, err := putget.Append(nil, &Node{leaf, leaf}, c, nil)
	fmt.Println(err)
	// Output:
	// true
	// putget: value cannot be put: a derive_test.Node is owned by two pointers, or by itself; let its pointers Share, or Inline what may be doubled (root, offset 3, at .Right)
}

func ExampleShare() {
	type Node struct{ Next *Node }
	n := &Node{}
	n.Next = n
	got, _ := copyOf(&n, derive.Share[Node]()) // as without a policy
	fmt.Println((*got).Next == *got)
	// Output: true
}

// Inline is for pointers that stand for an optional value.
func ExampleInline() {
	type Limits struct{ Min, Max *int }
	zero := 0
	got, _ := copyOf(&Limits{Min: &zero, Max: &zero}, derive.Inline[int]())
	fmt.Println(*got.Min, *got.Max, got.Min == got.Max)
	// Output: 0 0 false
}

// Values in a table are the same from everywhere in a document, and each can be
// decoded without the others.
func ExampleTable() {
	type Type struct {
		Name string
		Elem *Type
	}
	integer := &Type{Name: "int"}
	list := []*Type{{"pointer", integer}, integer, {"slice", integer}}
	got, data := copyOf(&list, derive.Table[Type]("types"))
	fmt.Println((*got)[0].Elem == (*got)[1], (*got)[2].Elem == (*got)[1])

	doc, err := putget.Open(data, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range doc.Sections() {
		if s.Name == "types" {
			fmt.Println(s.Entries, "types")
		}
	}
	// Output:
	// true true
	// 3 types
}

func ExampleIntern() {
	type Name string
	names := symtab.NewStrings("example names")
	list := make([]Name, 1000)
	for i := range list {
		list[i] = Name([]string{"github.com/putget/putget/derive", "github.com/putget/putget/symtab"}[i%2])
	}
	got, data := copyOf(&list, derive.Intern[Name](names))
	fmt.Println((*got)[999], len(data) < 1300)
	// Output: github.com/putget/putget/symtab true
}

// Text is for strings that are mostly unlike each other.
func ExampleText() {
	type Comment struct{ Text string }
	list := []Comment{{"// Append appends."}, {"//"}, {"// Append appends."}}
	fmt.Println(size(&list), size(&list, derive.Text[Comment]("Text", nil)))
	// Output: 42 24
}

func ExampleDelta() {
	type Pos int
	list := []Pos{70000, 70004, 70010, 0, 70011}
	fmt.Println(size(&list), size(&list, derive.Delta[Pos](state.NewLocal[derive.Last]("example position"))))
	// Output: 14 8
}

// Enum numbers constants whose values may change.
func ExampleEnum() {
	type Token int
	const (
		EOF Token = 0
		Add Token = 12
		Let Token = 84
	)
	list := []Token{Let, Add, Let, EOF}
	got, _ := copyOf(&list, derive.Enum(EOF, Add, Let))
	fmt.Println(*got)

	_, err := putget.Append(nil, &[]Token{13}, derive.Must(derive.For[[]Token](derive.Enum(EOF, Add, Let))), nil)
	fmt.Println(err)
	// Output:
	// [84 12 84 0]
	// putget: value cannot be put: 13 is not in the enum derive_test.Token; name it in derive.Enum (root, offset 1, at [0])
}

type Expr interface{ String() string }

type Sum struct{ X, Y Expr }
type Num int

func (s *Sum) String() string { return s.X.String() + " + " + s.Y.String() }
func (n Num) String() string  { return fmt.Sprint(int(n)) }

// A union is the types that an interface holds.
func ExampleUnion() {
	var e Expr = &Sum{Num(1), &Sum{Num(2), Num(3)}}
	got, _ := copyOf(&e, derive.Union[Expr]((*Sum)(nil), Num(0)), derive.Own[Sum]())
	fmt.Println(*got)
	// Output: 1 + 2 + 3
}

// celsius is put as tenths of a degree.
type celsius float64

type celsiusCodec struct{}

func (celsiusCodec) Put(b *put.Builder, c *celsius) { b.Int(int(*c * 10)) }
func (celsiusCodec) Get(r *get.Reader, c *celsius)  { *c = celsius(r.Int()) / 10 }

// Use brings a codec written by hand.
func ExampleUse() {
	list := []celsius{20.5, -3}
	got, _ := copyOf(&list, derive.Use("celsius 1", celsiusCodec{}))
	fmt.Println(*got, size(&list, derive.Use("celsius 1", celsiusCodec{})))
	// Output: [20.5 -3] 4
}

func ExampleUseField() {
	type Day struct {
		Low, High celsius
		hidden    celsius
	}
	got, _ := copyOf(&Day{1.5, 2.5, 3.5}, derive.UseField[Day]("hidden", "celsius 1", celsiusCodec{}))
	fmt.Println(*got)
	// Output: {1.5 2.5 3.5}
}

func ExampleSparse() {
	type Style struct {
		Font          string
		Size, Indent  int
		Bold, Italics bool
		Children      []*Style
	}
	v := &Style{Size: 12}
	fmt.Println(size(v), size(v, derive.Sparse[Style]()))
	// Output: 6 2
}

func ExampleSkip() {
	type Cache struct {
		Key   string
		Value any
	}
	got, _ := copyOf(&Cache{"k", 5}, derive.Skip[Cache]("Value"))
	fmt.Println(got.Key, got.Value)
	// Output: k <nil>
}

// Part gives the codec of a type that another codec leads to.
func ExamplePart() {
	type Leaf struct{ N int }
	type Tree struct{ Leaves []*Leaf }
	trees := derive.Must(derive.For[Tree]())
	leaves, err := derive.Part[Leaf](trees)
	if err != nil {
		log.Fatal(err)
	}
	var b put.Builder
	leaves.Put(&b, &Leaf{5})
	data, err := b.Done()
	fmt.Println(data, err)
	// Output: [10] <nil>
}
