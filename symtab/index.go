package symtab

import "github.com/putget/putget/internal/unit"

type indexer[V any] interface {
	build(run *unit.Run, n int, value func(ID) V) error
}
