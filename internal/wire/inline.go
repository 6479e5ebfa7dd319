//go:build !putget_inline0

package wire

// InlineDepth is how many pointers nest inline before the next is deferred.
// The bytes depend on it, the reader does not. 16 was the fastest of 8 to 512.
// The build tag putget_inline0 sets it to 0, so that every edge is deferred:
// a Get that looks into a pointer's value too early then fails at once.
const InlineDepth = 16
