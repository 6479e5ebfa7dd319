package putget_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/internal/wire"
)

var update = flag.Bool("update", false, "write the examples of docs/format.md, and the files in testdata that are missing")

// note is what some bytes of an example mean.
type note struct {
	n    int
	text string
}

// annotate writes bytes with their meaning, one note a line or more.
func annotate(data []byte, notes []note) string {
	var s strings.Builder
	off := 0
	for _, n := range notes {
		text := n.text
		for i := 0; i < n.n; i += 8 {
			k := min(8, n.n-i)
			line := fmt.Sprintf("%03x  %-23x  %s", off+i, spaced(data[off+i:off+i+k]), text)
			s.WriteString(strings.TrimRight(line, " ") + "\n")
			text = ""
		}
		off += n.n
	}
	if off != len(data) {
		fmt.Fprintf(&s, "%d bytes are not explained\n", len(data)-off)
	}
	return s.String()
}

// spaced formats as bytes with spaces between them.
type spaced []byte

func (p spaced) Format(f fmt.State, _ rune) {
	text := fmt.Sprintf("% x", []byte(p))
	w, _ := f.Width()
	fmt.Fprintf(f, "%-*s", w, text)
}

// exampleModule is the value of the examples.
func exampleModule() *module {
	list := &typ{Name: "list"}
	list.Fields = []field{{"next", list}}
	loop := &stmt{Op: "loop"}
	loop.Jump = loop
	return &module{Name: "m", Types: []*typ{list}, Funcs: []function{{"f", list, loop}}}
}

var rootNotes = []note{
	{1, "Name: string 0"},
	{1, "Types: 1 element"},
	{1, "  type 0"},
	{1, "Funcs: 1 element"},
	{1, "  Name: string 1"},
	{1, "  Type: type 0"},
	{1, "  Body: statement 0, inline"},
	{1, "    Op: string 2"},
	{1, "    Next: nil"},
	{1, "    Jump: statement 0 again"},
}

var typeNotes = []note{
	{1, "Name: string 3"},
	{1, "Elem: nil"},
	{1, "Fields: 1 element"},
	{1, "  Name: string 4"},
	{1, "  Type: type 0"},
}

func indented(notes []note) (list []note) {
	for _, n := range notes {
		list = append(list, note{n.n, "  " + n.text})
	}
	return list
}

func documentNotes(doc []byte) []note {
	list := []note{
		{6, "magic"},
		{1, "kind: document"},
		{1, "version 1"},
		{8, fmt.Sprintf("length: %d", binary.LittleEndian.Uint64(doc[8:]))},
	}
	list = append(list, note{0, ""})
	list = append(list, rootNotes...)
	list = append(list,
		note{5, `names: the ends of 5 strings`},
		note{14, `"m" "f" "loop" "list" "next"`},
		note{1, "types: the end of 1 entry"})
	list = append(list, typeNotes...)
	return append(list,
		note{8, "sum of bytes 000 to 033"},
		note{1, "directory: no flags"},
		note{7, `  schema "demo 1"`},
		note{1, "  no producer"},
		note{1, "  3 sections"},
		note{3, "  root, no name, 10 bytes"},
		note{7, `  table "names"`},
		note{3, "    19 bytes, 5 entries, ends of 1 byte"},
		note{7, `  table "types"`},
		note{3, "    6 bytes, 1 entry, ends of 1 byte"},
		note{4, "length of the directory: 33"},
		note{8, "seal"})
}

func streamNotes() []note {
	list := []note{
		{6, "magic"},
		{1, "kind: stream"},
		{1, "version 1"},
		{2, "block: begin, 8 bytes"},
		{1, "  no flags"},
		{7, `  schema "demo 1"`},
		{8, "  sum"},
		{2, "block: table, 5 bytes"},
		{5, `  0 is "names"`},
		{8, "  sum"},
		{2, "block: entries, 21 bytes"},
		{2, "  of table 0, 5 entries"},
		{5, "  their lengths"},
		{14, `  "m" "f" "loop" "list" "next"`},
		{8, "  sum"},
		{2, "block: table, 5 bytes"},
		{5, `  1 is "types"`},
		{8, "  sum"},
		{2, "block: entries, 8 bytes"},
		{3, "  of table 1, 1 entry, of 5 bytes"},
	}
	list = append(list, indented(typeNotes)...)
	list = append(list, note{8, "  sum"}, note{2, "block: root, 10 bytes"})
	list = append(list, indented(rootNotes)...)
	return append(list, note{8, "  sum"}, note{2, "block: end"}, note{8, "  sum"})
}

// The examples in docs/format.md are what is written, and can be read.
func TestFormatExamples(t *testing.T) {
	if wire.InlineDepth == 0 {
		t.Skip("the bytes depend on the inline depth")
	}
	const path = "docs/format.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const title = "\n## Examples\n"
	before, examples, _ := strings.Cut(string(text), title)

	s := newSubject("", &putget.Options{Schema: "demo 1"}, false, exampleModule(), moduleCodec{})
	doc, str := s.document(t), s.stream(t, 1)
	source, err := os.ReadFile("tables_test.go")
	if err != nil {
		t.Fatal(err)
	}
	want := "\nThe value is `exampleModule()` in format_test.go, with the types and codecs of tables_test.go:\n" +
		"\n```go\n" + between(t, string(source), "type module struct", "var (") + "```\n" +
		"\nAs a document with the schema \"demo 1\":\n\n```\n" + annotate(doc, documentNotes(doc)) + "```\n" +
		"\nAs a stream of one value, with the same schema:\n\n```\n" + annotate(str, streamNotes()) + "```\n"
	if examples != want {
		if !*update {
			t.Errorf("%s has other examples than\n%s", path, want)
		} else if err := os.WriteFile(path, []byte(before+title+want), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	blocks := strings.Split(examples, "```") // odd: types, document, stream
	if len(blocks) != 7 {
		t.Fatal("no examples")
	}
	if again, err := s.recode(unhex(t, blocks[3])); err != nil || !bytes.Equal(again, doc) {
		t.Errorf("the document: %v", err)
	}
	if again, err := s.resend(unhex(t, blocks[5])); err != nil || !bytes.Equal(again, str) {
		t.Errorf("the stream: %v", err)
	}
}

func between(t *testing.T, text, from, to string) string {
	i := strings.Index(text, from)
	j := strings.Index(text, "\n"+to)
	if i < 0 || j < i {
		t.Fatal("no such lines")
	}
	return text[i:j]
}

// unhex reads an example.
func unhex(t *testing.T, text string) (data []byte) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\n")) {
		var off int
		if _, err := fmt.Sscanf(line, "%x", &off); err != nil || off != len(data) {
			t.Fatalf("%q: the offset is %x", line, len(data))
		}
		for _, digits := range strings.Fields(line[3:min(len(line), 28)]) {
			var b byte
			if _, err := fmt.Sscanf(digits, "%02x", &b); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			data = append(data, b)
		}
	}
	return data
}

// Files of earlier versions are read for ever. testdata/v1 has what version 1
// wrote, and what this version writes is the same: a change is a new version.
func TestGoldens(t *testing.T) {
	for _, s := range append(subjects(), bigSubjects()[0]) {
		if s.o != nil && s.o.Marks {
			continue // has the lines of test files in it
		}
		for _, g := range []struct {
			ext  string
			want []byte
			read func([]byte) ([]byte, error)
		}{
			{"document", s.document(t), s.recode},
			{"stream", s.stream(t, 2), s.resend},
		} {
			path := filepath.Join("testdata", "v1", s.name+"."+g.ext)
			data, err := os.ReadFile(path)
			if err != nil && *update {
				data = g.want
				err = os.WriteFile(path, data, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			again, err := g.read(data)
			if err != nil || !bytes.Equal(again, g.want) {
				t.Errorf("%s holds another value: %v", path, err)
			}
			if wire.InlineDepth > 0 && !bytes.Equal(data, g.want) {
				t.Errorf("%s has other bytes than are written now", path)
			}
		}
	}
}
