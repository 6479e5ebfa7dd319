package putget_test

import (
	"errors"
	"testing"

	"github.com/putget/putget"
	"github.com/putget/putget/derive"
)

// A derived codec knows its schema: a document of another one is refused also
// where no options name a schema.
func TestDerivedSchema(t *testing.T) {
	type one struct{ A, B int }
	type other struct{ A, C int }
	ones, others := derive.Must(derive.For[one]()), derive.Must(derive.For[other]())
	doc, err := putget.Append(nil, &one{1, 2}, ones, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := putget.Decode(doc, ones, nil); err != nil || *v != (one{1, 2}) {
		t.Error(v, err)
	}
	if v, err := putget.Decode(doc, others, nil); !errors.Is(err, putget.ErrSchema) {
		t.Errorf("%v, %v", v, err)
	}
	named, err := putget.Append(nil, &one{1, 2}, ones, &putget.Options{Schema: "mine 1"})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := putget.Decode(named, others, nil); err != nil || *v != (other{1, 2}) {
		t.Errorf("a schema of the caller's own is the caller's to compare: %v, %v", v, err)
	}
}
