// Package unit is the machinery under put.Builder and get.Reader: one unit
// being written or read, and what the units of a run share. The packages of
// the module that stand above put and get reach it through internal/access;
// authors of codecs never see it.
package unit

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/putget/putget/internal/wire"
)

// A Space numbers the keys of one kind, so that a key resolves to an array index.
type Space struct{ n atomic.Int32 }

// Next gives the next index, for a package-level key.
func (s *Space) Next() int { return int(s.n.Add(1) - 1) }

// Len is how many indexes were given.
func (s *Space) Len() int { return int(s.n.Load()) }

// The index spaces: per unit (Local, Refs), down the tree (Scope), per run
// (Env, tables), per session.
var Slots, Scopes, Envs, Tables, Sessions Space

// Resetter is state of a unit: Reset returns it to what a fresh unit sees.
type Resetter interface{ Reset() }

// State is the part of a unit that keys of package state and share resolve in.
//
// Invariant: slots[i] is nil until key i is first used in the unit; active
// lists the indexes that are not nil; spare keeps what earlier units used.
type State struct {
	slots  []Resetter
	spare  []Resetter
	active []int32
	scopes []any // never changed in place: deferred bodies hold it
	env    []any
	fail   func(error)
}

// Slot is the state of key i in this unit, nil before its first use.
func (s *State) Slot(i int) Resetter {
	if i < len(s.slots) {
		return s.slots[i]
	}
	return nil
}

// Activate makes the state of key i, fresh, on its first use in the unit.
func (s *State) Activate(i int, make func() Resetter) Resetter {
	if n := Slots.Len(); len(s.slots) <= i {
		s.slots = slices.Grow(s.slots, n-len(s.slots))[:n]
		s.spare = slices.Grow(s.spare, n-len(s.spare))[:n]
	}
	c := s.spare[i]
	if c == nil {
		c = make()
		s.spare[i] = c
	}
	s.slots[i] = c
	s.active = append(s.active, int32(i))
	return c
}

// resetState returns every key to what a fresh unit sees.
func (s *State) resetState() {
	for _, i := range s.active {
		s.slots[i].Reset()
		s.slots[i] = nil
	}
	s.active = s.active[:0]
	s.scopes = nil
}

// Scope is the value of scope key i, nil where none is set.
func (s *State) Scope(i int) any {
	if i < len(s.scopes) {
		return s.scopes[i]
	}
	return nil
}

// WithScope runs body with scope key i set to v.
func (s *State) WithScope(i int, v any, body func()) {
	old := s.scopes
	scopes := slices.Clone(old)
	for len(scopes) <= i {
		scopes = append(scopes, nil)
	}
	scopes[i] = v
	s.scopes = scopes
	defer func() { s.scopes = old }()
	body()
}

// Env is what the caller gave for env key i, nil if nothing.
func (s *State) Env(i int) any {
	if i < len(s.env) {
		return s.env[i]
	}
	return nil
}

// Fail makes err the unit's error.
func (s *State) Fail(err error) { s.fail(err) }

// MissingEnv fails for an env key that the caller bound nothing to.
func (s *State) MissingEnv(name string) {
	s.fail(&wire.Error{Class: wire.ErrNotFound, Msg: fmt.Sprintf("the codec needs the environment key %q; bind a value to it in the options of the run", name)})
}

// A Binding is an env key's index and the caller's value for it.
type Binding struct {
	Index int
	Name  string
	Value any
}

// BindEnv lays bindings out by index. A key bound twice is a mistake of the caller.
func BindEnv(bindings []Binding) ([]any, error) {
	var env []any
	for _, b := range bindings {
		for len(env) <= b.Index {
			env = append(env, nil)
		}
		if env[b.Index] != nil {
			return nil, &wire.Error{Class: wire.ErrValue, Unit: "options", Msg: fmt.Sprintf("the environment key %q is bound twice", b.Name)}
		}
		env[b.Index] = b.Value
	}
	return env, nil
}
