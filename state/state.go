package state

import "github.com/putget/putget/internal/unit"

// Unit is a *put.Builder or a *get.Reader.
type Unit interface {
	// State is where keys resolve. Codecs have no use for it.
	State() *unit.State
	// Fail makes err the error of the unit, if it has none.
	Fail(err error)
}

// A Local is a variable of type T in every unit, zero at the unit's start.
type Local[T any] struct {
	index int
	name  string
}

// NewLocal makes a key. The name shows in errors and debugging only.
func NewLocal[T any](name string) *Local[T] {
	return &Local[T]{unit.Slots.Next(), name}
}

// String gives the key's name.
func (l *Local[T]) String() string { return l.name }

type local[T any] struct{ v T }

func (c *local[T]) Reset() { c.v = *new(T) }

// Of is the variable in the unit that u is in. The pointer is valid while u is
// in that unit.
func (l *Local[T]) Of(u Unit) *T {
	s := u.State()
	if c, ok := s.Slot(l.index).(*local[T]); ok {
		return &c.v
	}
	return &s.Activate(l.index, func() unit.Resetter { return new(local[T]) }).(*local[T]).v
}

// A Scope is an immutable value of type T that is seen from where it is set
// down the tree.
type Scope[T any] struct {
	index int
	name  string
}

// NewScope makes a key. The name shows in errors and debugging only.
func NewScope[T any](name string) *Scope[T] {
	return &Scope[T]{unit.Scopes.Next(), name}
}

// String gives the key's name.
func (k *Scope[T]) String() string { return k.name }

// Of is the innermost value set, zero where none is. Entries of tables and lazy
// cells are units of their own, which nothing encloses.
func (k *Scope[T]) Of(u Unit) T {
	v, _ := u.State().Scope(k.index).(T)
	return v
}

// With runs body with the value set to v. It copies the list of scopes: a few
// words a call.
func (k *Scope[T]) With(u Unit, v T, body func()) {
	u.State().WithScope(k.index, v, body)
}

// An Env is a value of type T that the caller of a run supplies.
type Env[T any] struct {
	index int
	name  string
}

// NewEnv makes a key. The name shows in the error when the caller gave nothing.
func NewEnv[T any](name string) *Env[T] {
	return &Env[T]{unit.Envs.Next(), name}
}

// String gives the key's name.
func (k *Env[T]) String() string { return k.name }

// A Binding is a value for an [Env], for the options of a run.
type Binding = unit.Binding

// Bind makes v the value of the key in the runs that get the binding.
func (k *Env[T]) Bind(v T) Binding {
	return unit.Binding{Index: k.index, Name: k.name, Value: &v}
}

// Of is the value that the caller bound. Where there is none the unit fails,
// with an error that names the key and matches putget.ErrNotFound.
func (k *Env[T]) Of(u Unit) T {
	s := u.State()
	if v, ok := s.Env(k.index).(*T); ok {
		return *v
	}
	s.MissingEnv(k.name)
	return *new(T)
}
