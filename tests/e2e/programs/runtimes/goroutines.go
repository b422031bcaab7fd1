// SPDX-License-Identifier: MIT

// A server whose 100 goroutines each answer requests; counts its functions'
// calls, and each goroutine's own by its id.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	workers  = 100
	requests = 20
	extra    = 7 // some goroutines answer up to so many more
)

var costs, answers, descents int64

type box[T any] struct{ value T }

//go:noinline
func costOf(item int) int {
	cost := 0

	atomic.AddInt64(&costs, 1)
	for i := 0; i < 50; i++ {
		cost = (cost*31 + item + i) % 10007
	}
	return cost
}

// Its frames are open while the goroutine waits.
//
//go:noinline
func descend(depth int, in, out chan box[int]) int {
	atomic.AddInt64(&descents, 1)
	if depth > 0 {
		return descend(depth-1, in, out) + 1
	}
	return answer(in, out)
}

// Returns the id of the goroutine, which Go shows only as text.
func ownID() (id int) {
	text := make([]byte, 64)
	fmt.Sscanf(string(text[:runtime.Stack(text, false)]), "goroutine %d", &id)
	return id
}

//go:noinline
func answer(in, out chan box[int]) int {
	sum := 0

	atomic.AddInt64(&answers, 1)
	for request := range in {
		sum += costOf(request.value)
		out <- box[int]{sum}
	}
	return sum
}

func main() {
	var group sync.WaitGroup
	var in, out [workers]chan box[int]
	var ids [workers]int

	for i := range in {
		in[i], out[i] = make(chan box[int]), make(chan box[int])
		group.Add(1)
		go func(i int) {
			defer group.Done()
			ids[i] = ownID()
			descend(i%5, in[i], out[i])
		}(i)
	}
	for n := 0; n < requests+extra; n++ {
		for i := range in {
			if n < requests+i%extra {
				in[i] <- box[int]{n}
			}
		}
		for i := range out {
			if n < requests+i%extra {
				<-out[i]
			}
		}
	}
	for i := range in {
		close(in[i])
	}
	group.Wait()
	fmt.Println("main.costOf", costs)
	fmt.Println("main.answer", answers)
	fmt.Println("main.descend", descents)
	for i, id := range ids {
		fmt.Printf("goroutine %d gave %d answers\n", id, requests+i%extra)
	}
}
