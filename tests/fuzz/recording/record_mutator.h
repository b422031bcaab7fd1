/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FUZZ_RECORD_MUTATOR_H
#define KT_TESTS_FUZZ_RECORD_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/* Changes some of @size bytes, of which there may be @room afterwards, knowing
 * nothing of them.  Returns how many there are: libFuzzer's LLVMFuzzerMutate.
 */
typedef size_t mutate_bytes(uint8_t *bytes, size_t size, size_t room);

/* Changes an input of fuzz_recording as whoever knows what a recording is made
 * of: records come, go, change their order, kind, size and fields, take those of
 * others; trace gets and loses packets; the other files and the options change
 * by @bytewise.  @seed says how.  Returns the new size.
 */
size_t record_mutator_run(uint8_t *bytes, size_t size, size_t room,
			  unsigned int seed, mutate_bytes *bytewise);

/* Makes @out of the first input with some records of the second one.  Returns its
 * size; 0 if there is no @room.
 */
size_t record_mutator_cross(const uint8_t *first, size_t first_size,
			    const uint8_t *second, size_t second_size,
			    uint8_t *out, size_t room, unsigned int seed);

#endif
