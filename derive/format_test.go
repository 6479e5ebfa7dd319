package derive_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/putget/putget/derive"
	"github.com/putget/putget/internal/wire"
)

// The example in the package's documentation is what it says.
func TestFormatExample(t *testing.T) {
	type leaf struct{ Yes bool }
	type record struct {
		Name   string
		Nums   []int16
		Self   *record
		Any    map[string]any
		Leaves []*leaf
	}
	v := &record{"r", []int16{-2}, nil, map[string]any{"x": circle{7}}, []*leaf{{true}}}
	v.Self = v
	c := codecFor[record](t, derive.Own[leaf](), derive.Union[any](circle{}))
	roundTrip(t, false, c, v)
	if wire.InlineDepth == 0 {
		t.Skip("every body comes later")
	}

	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(doc), "is these bytes:\n//\n")
	var want []byte
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(line, "//\t")
		if !ok {
			break
		}
		p, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(line[:13]), " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, p...)
	}
	if got := bare(t, c, v); !bytes.Equal(got, want) {
		t.Errorf("\n% x, documented as\n% x", got, want)
	}
}
