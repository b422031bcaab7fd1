/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FUZZ_RECORD_CHANGE_H
#define KT_TESTS_FUZZ_RECORD_CHANGE_H

#include "tests/fuzz/recording/record_list.h"
#include "tests/fuzz/recording/record_mutator.h"

/* The source of changes, and the memory of changed records. */
struct mutation {
	uint64_t random;
	mutate_bytes *bytewise;
	uint8_t *made[8];
	size_t made_count;
};

struct mutation mutation_of(unsigned int seed, mutate_bytes *bytewise);

/* Frees the changed records. */
void mutation_end(struct mutation *mutation);

/* Returns a number below @count, which is not 0. */
size_t mutation_below(struct mutation *mutation, size_t count);

/* Returns memory that mutation_end() frees; NULL if the limit is reached. */
uint8_t *mutation_room(struct mutation *mutation, size_t size);

/* Changes one thing about the records. */
void record_change(struct mutation *mutation, struct record_list *list);

/* Changes the trace after @record, an AUXTRACE, and its size there. */
void trace_change(struct mutation *mutation, struct listed_record *record);

#endif
