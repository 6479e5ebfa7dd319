package goast

// Tokens are the tokens that have numbers.
var Tokens = tokens
