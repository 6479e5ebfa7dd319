package symtab_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
	"github.com/putget/putget/state"
	"github.com/putget/putget/symtab"
)

// The bytes of all kinds of tables, as the package comment has them.
func TestFormat(t *testing.T) {
	a, b2 := &symbol{name: "b", kind: 7, v: 1}, &symbol{name: "main", v: 2}
	x := &named{name: "n", methods: []typ{}}
	x.underlying = &pointer{x}
	f, err := encode(func(b *put.Builder) {
		symbols.Put(b, a)
		symbols.Put(b, nil)
		symbols.Put(b, b2)
		symbols.Put(b, a)
		typs.Put(b, x)
		trees.Put(b, &tree{"t", nil, nil})
	})
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, got []byte, want string) {
		t.Helper()
		if hex.EncodeToString(got) != want {
			t.Errorf("%s: got %x, want %s", what, got, want)
		}
	}
	check("root", f.root, "01"+"00"+"02"+"01"+"01"+"01")
	for table, want := range map[string][]string{
		"symbols":     {"020702", "000004"},                        // name, kind, v
		"symbolNames": {"62"},                                      // "b" is number 2
		"typs":        {"02016e" + "0102" + "0101" + "09", "0101"}, // two rests
		"trees":       {"01740000"},
		// widths 1 and 1, checks, kinds, numbers, entries
		"symbols.index": {"11" + checkByte("b") + checkByte("main") + "0700" + "0200" + "0001"},
	} {
		e := f.tables[table]
		if e.Len() != len(want) {
			t.Errorf("%s: %d entries, want %d", table, e.Len(), len(want))
			continue
		}
		for id := range want {
			data, _ := e.Entry(id)
			check(fmt.Sprint(table, "#", id), data, want[id])
		}
	}
	// The fences of a node.
	var list []*symbol
	for i := range 300 {
		list = append(list, &symbol{name: fmt.Sprintf("k%03d", i)})
	}
	f, err = encode(func(b *put.Builder) {
		for _, s := range list {
			symbols.Put(b, s)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	e := f.tables["symbols.index"]
	if e.Len() != 4 {
		t.Fatalf("%d nodes, want 3 leaves and the root", e.Len())
	}
	data, _ := e.Entry(3)
	check("root node", data, "01"+"0408"+hex.EncodeToString([]byte("k128k256")))
}

// checkByte is FNV-1a, whose 32 bits are folded to 8.
func checkByte(s string) string {
	h := uint32(0x811c9dc5)
	for _, c := range []byte(s) {
		h ^= uint32(c)
		h *= 0x01000193
	}
	return fmt.Sprintf("%02x", byte(h>>24)^byte(h>>16)^byte(h>>8)^byte(h))
}

// Env is the same in all units.
func TestEnv(t *testing.T) {
	env := state.NewEnv[int]("base")
	k := symtab.NewTable[int]("based", funcs[int]{
		func(b *put.Builder, v *int) { b.Int(*v - env.Of(b)) },
		func(r *get.Reader, v *int) { *v = r.Int() + env.Of(r) },
	})
	v := 10
	doc, err := putget.Append(nil, &v, put.Func[int](func(b *put.Builder, v *int) { k.Put(b, v) }), &putget.Options{Env: []state.Binding{env.Bind(3)}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := putget.Open(doc, &putget.Options{Env: []state.Binding{env.Bind(100)}})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := k.Load(d, 0); err != nil || *p != 107 {
		t.Errorf("%v, %v", p, err)
	}
	if d, err = putget.Open(doc, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Load(d, 0); !errors.Is(err, putget.ErrNotFound) {
		t.Error(err)
	}
}

// A failure takes back what a session made, in all documents of the domain.
func TestRollbackAcross(t *testing.T) {
	boom := errors.New("boom")
	domain := putget.NewDomain()
	var far *putget.Document
	fail, decoded := true, 0
	count := symtab.NewTable[int]("count", funcs[int]{
		func(b *put.Builder, v *int) { b.Int(*v) },
		func(r *get.Reader, v *int) { *v = r.Int(); decoded++ },
	})
	near := symtab.NewTable[int]("near", funcs[int]{
		func(b *put.Builder, v *int) { b.Int(*v) },
		func(r *get.Reader, v *int) {
			putget.In(r, far, func(r *get.Reader) { count.Load(r, 0) })
			r.Later(0, func() error {
				if fail {
					return boom
				}
				return nil
			})
			*v = r.Int()
		},
	})
	open := func(k *symtab.Table[int]) *putget.Document {
		v := 5
		doc, err := putget.Append(nil, &v, put.Func[int](func(b *put.Builder, v *int) { k.Put(b, v) }), nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := putget.Open(doc, &putget.Options{Domain: domain})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	far = open(count)
	d := open(near)
	if _, err := near.Load(d, 0); !errors.Is(err, boom) || decoded != 1 {
		t.Errorf("%v after %d", err, decoded)
	}
	fail = false
	if _, err := near.Load(d, 0); err != nil || decoded != 2 {
		t.Errorf("%v after %d: the entry was not taken back", err, decoded)
	}
	if p, err := count.Load(far, 0); err != nil || *p != 5 || decoded != 2 {
		t.Errorf("%v, %v after %d: the entry was not published", p, err, decoded)
	}
}
