package symtab_test

import (
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
	"github.com/putget/putget/symtab"
)

var textNames = symtab.NewStrings("text names", "known")

// Numbers and Text give the numbers and strings that Put and Get give.
func TestNumbersAndText(t *testing.T) {
	words := []string{"known", "a", "b", "a", "", "known", "b"}
	putWords := put.Func[[]string](func(b *put.Builder, words *[]string) {
		x := textNames.Numbers(b)
		if !x.Has() {
			t.Fatal("a document has no numbers")
		}
		b.Uvarint(uint64(len(*words)))
		for i, s := range *words {
			n, ok := x.Of(s)
			if !ok {
				t.Fatalf("%q has no number", s)
			}
			if i%2 == 0 {
				b.Uvarint(n)
			} else {
				textNames.Put(b, s)
			}
		}
	})
	doc, err := putget.Append(nil, &words, putWords, nil)
	if err != nil {
		t.Fatal(err)
	}
	getWords := get.Func[[]string](func(r *get.Reader, words *[]string) {
		x := textNames.Text(r, true)
		if !x.Has() {
			t.Fatal("a document has no text")
		}
		if s, ok := x.At(4); ok {
			t.Errorf("number 4 of 4 is %q", s)
		}
		for i := range r.Uvarint() {
			if i%2 == 0 {
				s, ok := x.At(r.Uvarint())
				if !ok {
					t.Fatal("a number has no string")
				}
				*words = append(*words, s)
			} else {
				*words = append(*words, textNames.Get(r))
			}
		}
	})
	got, err := putget.Decode(doc, getWords, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range *got {
		if s != words[i] {
			t.Errorf("%d: %q, want %q", i, s, words[i])
		}
	}
	if len(*got) != len(words) {
		t.Errorf("%d words, want %d", len(*got), len(words))
	}

	var b put.Builder
	b.Reset(nil, nil)
	if textNames.Numbers(&b).Has() {
		t.Error("a bare unit has numbers")
	}
	var r get.Reader
	r.Reset(nil, nil)
	if textNames.Text(&r, true).Has() {
		t.Error("a bare unit has text")
	}
}
