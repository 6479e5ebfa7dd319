// Package cache stores byte strings in a local folder under 32-byte keys,
// shared by any number of goroutines and processes.
//
//	c, err := cache.Open(dir)
//	key := cache.NewKey("mytool/parse 1").AddString(goVersion).Add(source).Key()
//	data, err := c.Get(key)
//	if errors.Is(err, cache.ErrMiss) {
//		data = compute(source)
//		err = c.Put(key, data) // a failure costs time later, nothing else
//	}
//
// # Properties
//
//   - Verified: Get returns exactly the bytes of one Put of that key, or an
//     error. Every bit of an entry's file is checked on every read.
//   - Atomic: a reader, in this process or another, sees an entry as it was
//     before a Put or as it is after it. Put writes a temporary file beside the
//     entry and renames it. A Put that fails leaves the old entry as it was and
//     removes its temporary file.
//   - A miss says why: the file is absent, cut short, damaged, of another
//     version, not a regular file, not readable. None of these stops a program
//     that can compute the value again.
//   - Never blocking: a symbolic link, FIFO, socket, device or folder where an
//     entry should be is a miss. Nothing is written outside the folder, even if
//     a sub-folder of it was replaced by a link.
//
// # What it does not do
//
//   - Durability: nothing is synced. After a loss of power an entry may be old,
//     absent, or damaged; damage is detected and is a miss.
//   - Authentication: SHA-256 finds accidents. Whoever may write in the folder
//     can store any contents under any key.
//   - Trimming: the folder only grows. Temporary files of killed processes stay
//     until someone deletes the files whose names start with "put-" and are old.
//   - Streaming: an entry is one slice in memory, of at most [MaxSize] bytes.
//
// The folder and its sub-folders are made when first written to, with mode
// 0700, and entries with mode 0600: contents are often derived from source code
// that others may not read. A folder that others made more open stays so. A
// folder that may not be written works for Get and Verify; Put reports it. The
// whole folder, or any file in it, may be deleted at any time.
//
// # Concurrency
//
// A Cache is immutable and may be used by many goroutines at once. Processes
// need no lock. Of several Puts of one key the last rename wins. On Windows a
// Put may fail while another process has the same entry open without sharing
// it (this package shares it; virus scanners may not).
//
// # Errors
//
// Every error of Get matches [ErrMiss]. An absent entry also matches
// [io/fs.ErrNotExist], one that may not be read [io/fs.ErrPermission], one that
// was cut short [io.ErrUnexpectedEOF]. Errors of Put wrap those of the
// operating system.
//
// # Cost
//
// Get opens, stats, reads and closes one file. It allocates one buffer of the
// file's size, of which the result is the part after the header, and hashes the
// contents once. Put creates and renames one file and hashes the contents once,
// without copying them.
//
// # File format
//
// An entry is the file xx/KEY, where KEY is the key in 64 lower-case
// hexadecimal digits and xx the first two of them. Integers are little-endian.
//
//	offset  size  meaning           legal values
//	     0     7  magic             "pgcache"
//	     7     1  format version    1
//	     8     8  contents' length  0 to 2^30; the file's size less 80
//	    16    32  key               the key that the file's name gives
//	    48    32  contents' hash    their SHA-256
//	    80     n  contents          any
//
// The entry "hello" with the key NewKey("example").Key():
//
//	00  70 67 63 61 63 68 65 01  magic, version
//	08  05 00 00 00 00 00 00 00  length
//	10  c2 aa 98 5b ed 8e 7c ed  key
//	18  ec 86 d4 80 e8 51 c2 02
//	20  8c 07 ae 25 2b e8 42 24
//	28  b0 3a 16 e7 56 66 60 3c
//	30  2c f2 4d ba 5f b0 a3 0e  hash
//	38  26 e8 3b 2a c5 b9 e2 9e
//	40  1b 16 1e 5c 1f a7 42 5e
//	48  73 04 33 62 93 8b 98 24
//	50  68 65 6c 6c 6f           contents
//
// A file xx/put-RANDOM is an entry being written. Files with other names are
// ignored.
package cache
