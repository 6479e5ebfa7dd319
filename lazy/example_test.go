package lazy_test

import (
	"fmt"
	"log"

	"github.com/putget/putget"
	"github.com/putget/putget/get"
	"github.com/putget/putget/lazy"
	"github.com/putget/putget/put"
)

// Page is a page of a document; its text is read when somebody looks at it.
type Page struct {
	Title string
	Text  lazy.Cell[string]
}

type (
	pageCodec struct{}
	textCodec struct{}
)

var texts = lazy.New[string]("texts", textCodec{})

func (pageCodec) Put(b *put.Builder, p *Page) { b.String(p.Title); texts.Put(b, &p.Text) }
func (pageCodec) Get(r *get.Reader, p *Page)  { p.Title = r.String(); p.Text = texts.Get(r) }

func (textCodec) Put(b *put.Builder, s *string) { b.String(*s) }
func (textCodec) Get(r *get.Reader, s *string) {
	*s = r.String()
	fmt.Println("reading", len(*s), "bytes")
}

func Example() {
	text := "It was a dark and stormy night."
	doc, err := putget.Append(nil, &Page{"One", lazy.Of(&text)}, pageCodec{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	page, err := putget.Decode(doc, pageCodec{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Title)
	for range 2 {
		text, err := page.Text.Get()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(*text)
	}
	// Output:
	// One
	// reading 31 bytes
	// It was a dark and stormy night.
	// It was a dark and stormy night.
}
