package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// collectLater has Go collect garbage for the first time when 16 MiB are in use, and then as
// usual, or as GOGC says. It would begin at 4 MiB, which the types of a kernel take, and most
// runs end before 16, which saves 5 to 10 in 100 of the processor time of a short one.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(400) // of the 4 MiB
	// Nothing refers to this: the first collection takes it.
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}

// limitMemory lets the memory that is not used any more not grow beyond what a file of
// size bytes justifies: the promise is 64 MiB and four times its size.
func limitMemory(size int64) { debug.SetMemoryLimit(52<<20 + 4*size) }

// limitMemoryOf is limitMemory for several recordings that are replayed together: the promise is
// 64 MiB and 1 MiB for each.
func limitMemoryOf(recordings int) { debug.SetMemoryLimit(int64(52+recordings) << 20) }

// limitTypes is limitMemory for the files of types that the user has given, if any.
func limitTypes(files []string) {
	size := int64(0)
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	if len(files) > 0 {
		limitMemory(size)
	}
}
