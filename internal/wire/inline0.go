//go:build putget_inline0

package wire

// InlineDepth 0 defers every edge; see the other file.
const InlineDepth = 0
