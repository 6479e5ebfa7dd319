package derive_test

import (
	"testing"

	"github.com/putget/putget/derive"
	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
)

type zzV struct{ N int; M int }
type zzP struct{ P *int }
type zzc struct{}

func (zzc) Put(b *put.Builder, v *zzV) { b.Int(v.N) }
func (zzc) Get(r *get.Reader, v *zzV) {
	n := r.Int()
	r.Later(0, func() error { v.N = n; return nil })
}

type zzpc struct{}

func (zzpc) Put(b *put.Builder, v *zzP) { b.Int(*v.P) }
func (zzpc) Get(r *get.Reader, v *zzP) {
	n := r.Int()
	r.Later(0, func() error { v.P = &n; return nil })
}

type zzT struct {
	S []zzV
	M map[string]zzV
	U any
	W any
}

func TestZZ(t *testing.T) {
	c := derive.Must(derive.For[zzT](derive.Use[zzV]("v", zzc{}), derive.Use[zzP]("p", zzpc{}), derive.Union[any](zzV{}, zzP{})))
	n := 4
	data, err := put.Append(nil, &zzT{[]zzV{{1, 0}}, map[string]zzV{"a": {2, 0}, "b": {5, 0}}, zzV{3, 0}, zzP{&n}}, c)
	v, err2 := get.Value(data, c)
	t.Logf("%v %v %+v", err, err2, v)
}
