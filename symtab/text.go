package symtab

import (
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
)

// Text is all strings of a Strings in a document at once. The zero Text has none.
type Text struct{ t *stringsReading }

// Text gives the strings of r's document where they were decoded as a whole, or
// decodes them if whole says so: for codecs that resolve numbers by the million.
// It fails nothing: what it does not have, Get has or reports.
func (k *Strings) Text(r *get.Reader, whole bool) Text {
	u := access.Reader(r)
	if u.Err != nil || u.Source == nil || u.Marked() {
		return Text{}
	}
	t, ok := k.read(u).(*stringsReading)
	if !ok {
		sec, err := u.Source.Section(k.name)
		if err != nil || sec == nil {
			return Text{}
		}
		t = &stringsReading{k: k, sec: sec}
		u.Source.SetTable(k.index, t)
	}
	if t.ends == nil && (!whole || t.whole() != nil) || t.ends == nil {
		return Text{}
	}
	return Text{t}
}

// Has reports whether there are strings.
func (x Text) Has() bool { return x.t != nil }

// At is the string with a number, as Strings.Put put it; false if there is none.
func (x Text) At(number uint64) (string, bool) {
	known := x.t.k.known
	if number < uint64(len(known)) {
		return known[number], true
	}
	return x.t.part(number - uint64(len(known)))
}

// whole decodes all strings, unless they do not lie in one piece.
func (t *stringsReading) whole() error {
	p, ok, err := t.sec.Packed()
	if err != nil {
		return err
	}
	if t.apart = !ok; ok {
		t.text, t.ends, t.wide = string(p.Blob), p.Ends, p.Width
		t.pages = pages[string]{}
	}
	return nil
}
