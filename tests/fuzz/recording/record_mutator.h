/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FUZZ_RECORD_MUTATOR_H
#define KT_TESTS_FUZZ_RECORD_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/* Changes some of @size bytes, which may grow to @room, without knowledge of
 * their format. Returns the new size: libFuzzer's LLVMFuzzerMutate.
 */
typedef size_t mutate_bytes(uint8_t *bytes, size_t size, size_t room);

/* Changes an input of fuzz_recording with knowledge of the format: adds,
 * removes, reorders and resizes records, changes their kind and fields, or
 * copies fields of other records; adds and removes trace packets; changes the
 * other files and the options by @bytewise. @seed determines the change.
 * Returns the new size.
 */
size_t record_mutator_run(uint8_t *bytes, size_t size, size_t room,
			  unsigned int seed, mutate_bytes *bytewise);

/* Makes @out of the first input and some records of the second. Returns its
 * size; 0 if @room is too small.
 */
size_t record_mutator_cross(const uint8_t *first, size_t first_size,
			    const uint8_t *second, size_t second_size,
			    uint8_t *out, size_t room, unsigned int seed);

#endif
