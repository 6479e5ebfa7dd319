package unit

import "sync"

// Builders and Readers hold *put.Builder and *get.Reader for reuse, all without
// references to values: with what codecs keep in them they are worth more than
// their size. One that a panic of a codec passes by is not given back.
var Builders, Readers sync.Pool
