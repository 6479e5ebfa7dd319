package cache_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/putget/putget/cache"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	c, err := cache.Open(dir)
	if err != nil {
		panic(err)
	}

	source := []byte("package p\n")
	key := cache.NewKey("mytool/lines 1").AddString("go1.26").Add(source).Key()

	_, err = c.Get(key)
	fmt.Println("miss:", errors.Is(err, cache.ErrMiss), "absent:", errors.Is(err, fs.ErrNotExist))

	if err := c.Put(key, []byte("1 line")); err != nil {
		panic(err)
	}
	data, err := c.Get(key)
	fmt.Printf("%s, %v\n", data, err)
	// Output:
	// miss: true absent: true
	// 1 line, <nil>
}

// Verify reads a whole cache, for instance to count it or to find damage.
func ExampleCache_Verify() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	c, err := cache.Open(dir)
	if err != nil {
		panic(err)
	}
	for _, word := range []string{"one", "two", "three"} {
		if err := c.Put(cache.NewKey("word").AddString(word).Key(), []byte(word)); err != nil {
			panic(err)
		}
	}

	var entries, damaged int
	var size int64
	for entry, err := range c.Verify() {
		if err != nil {
			damaged++
			continue
		}
		entries++
		size += entry.Size
	}
	fmt.Printf("%d entries, %d bytes, %d damaged\n", entries, size, damaged)
	// Output: 3 entries, 11 bytes, 0 damaged
}
