package symtab

import (
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/access"
	"github.com/putget/putget/put"
)

// Numbers is a Strings in a run: what gives strings their numbers. The zero
// Numbers has none.
type Numbers struct{ t *stringsWriting }

// Numbers is for codecs that put numbers by the million. Where there are no
// tables, or debug marks, it has none; Put has, or reports.
func (k *Strings) Numbers(b *put.Builder) Numbers {
	w := access.Writer(b)
	if w.Err != nil || w.Run == nil || w.Marked() {
		return Numbers{}
	}
	t, ok := k.written(w).(*stringsWriting)
	if !ok {
		t = k.newWriting()
		if !k.write(w, t) {
			return Numbers{}
		}
	}
	return Numbers{t}
}

// Has reports whether there are numbers.
func (x Numbers) Has() bool { return x.t != nil }

// Of is the number that Put would put for s; false where there are no more.
func (x Numbers) Of(s string) (number uint64, ok bool) {
	id, ok := x.t.number(s)
	return uint64(id), ok
}

// Text is all strings of a Strings in a document, by number. The zero Text has
// none.
type Text struct{ strs []string }

// Text gives the strings of r's document where they were decoded as a whole, or
// decodes them if whole says so: for codecs that resolve numbers by the million,
// for which 16 bytes a string are well spent. It fails nothing: what it does
// not have, Get has or reports.
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
		u.Source.SetTable(k.slot, t)
	}
	if t.strs == nil && whole && !t.apart && (t.n > 0 || t.whole() == nil) && t.n > 0 {
		t.strs = make([]string, len(k.known)+int(t.n))
		all := t.strs[copy(t.strs, k.known):]
		for i := range all {
			all[i], _ = t.part(uint64(i))
		}
	}
	return Text{t.strs}
}

// Has reports whether there are strings.
func (x Text) Has() bool { return x.strs != nil }

// At is the string with a number, as Strings.Put put it; false if there is none.
func (x Text) At(number uint64) (string, bool) {
	if number < uint64(len(x.strs)) {
		return x.strs[number], true
	}
	return "", false
}

// whole decodes all strings, unless they do not lie in one piece.
func (t *stringsReading) whole() error {
	p, ok, err := t.sec.Packed()
	if t.apart = err != nil || !ok; err != nil {
		return err
	}
	if ok {
		t.text, t.wide, t.n = string(p.Blob), uint64(p.Width), uint64(len(p.Ends)/p.Width)
		t.ends = make([]byte, p.Width+len(p.Ends)+8)
		copy(t.ends[p.Width:], p.Ends)
		t.pages = pages[string]{}
	}
	return nil
}
