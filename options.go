package putget

import (
	"github.com/putget/putget/get"
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
	"github.com/putget/putget/put"
	"github.com/putget/putget/state"
)

// Codec puts and gets values of type T. Writing needs only Put, reading only
// Get; a codec with both keeps the two directions of a type together.
//
// A Get fills a zero value, and does not look inside what pointers, Refs and
// tables returned: that may be filled later. See [get.Reader.Later].
type Codec[T any] interface {
	put.Codec[T]
	get.Codec[T]
}

// Limits bounds what reading may cost beyond what the input pays for. Writers
// refuse what readers with the same limits would. Its fields:
//
//	Depth int // of nesting in a unit; 0 is the default, 10,000
//	Free  int // bytes that elements without input may cost; 0 is the default, 512 KiB; less: none
type Limits = wire.Limits

// Maybe is a value that may be absent, without a pointer. Its fields:
//
//	Value T
//	OK    bool // whether there is a Value
type Maybe[T any] = wire.Maybe[T]

// Options of documents and streams. nil and the zero value have the defaults,
// which are safe for hostile input. Options are not changed by what uses them
// and may be shared.
type Options struct {
	// Env binds environment keys, for writing and for reading.
	Env []state.Binding

	// Limits are for writing and for reading.
	Limits Limits

	// Schema names what the codecs make of the values, such as "mytool AST 3"
	// or the hash that package derive makes. It is written; a reader that has
	// one refuses every other with ErrSchema. Empty: a codec of package derive
	// gives its own to a document, and Root and Decode refuse one of another
	// derived codec; of others nothing is checked.
	Schema string

	// Marks makes a writer record with every primitive what was put and by
	// which line. Readers notice, and report a Get that does not match its
	// Put with both lines. Ten times the size and time: for tests.
	Marks bool

	// Producer says who wrote a document. Nothing compares it.
	Producer string

	// ContentHash makes a writer put the hash that Document.ContentHash
	// returns into the document.
	ContentHash bool

	// Sections are written into a document in this order; see
	// Document.Section. Their names must differ.
	Sections []Section

	// Domain, for reading, is shared by documents that refer to each other;
	// nil gives each document its own. See NewDomain.
	Domain *Domain
}

// Section is a part of a document that is the caller's own: bytes with a name.
// Readers that know nothing of it skip it.
type Section struct {
	Name string
	Data []byte
}

// Domain is what documents that refer to each other have in common: one lock,
// held while any of them decodes. A codec of one can go on in another; see In.
type Domain struct{ d unit.Domain }

// NewDomain makes a domain, for Options.
func NewDomain() *Domain { return new(Domain) }

var defaults Options

func (o *Options) orDefault() *Options {
	if o == nil {
		return &defaults
	}
	return o
}

// env lays out the bindings.
func (o *Options) env() ([]any, error) {
	env, err := unit.BindEnv(o.Env)
	if err != nil {
		return nil, &Error{Class: ErrValue, Unit: "options", Err: err}
	}
	return env, nil
}
