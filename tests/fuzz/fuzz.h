/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FUZZ_FUZZ_H
#define KT_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry; each tests/fuzz/fuzz_<parser>.c has one.  Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
