/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_BPF_OBJECT_H
#define KT_COLLECTOR_BPF_OBJECT_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_code;

/* Calls of bpf(2).  Each returns a descriptor, to be closed with close(2), or
 * what else it says; else -1 with errno set.
 */

int bpf_map_new(enum bpf_map_type type, size_t key_bytes, size_t value_bytes,
		size_t entries);

/* Returns 0 or -1. */
int bpf_map_set(int map, const void *key, const void *value);

/* Takes @key out of @map.  Returns 0, or -1: it may not be there. */
int bpf_map_forget(int map, const void *key);

/* Loads @code.  What keeps the kernel from it, its verifier says in @why, cut
 * to @size, one line; "" if it was never asked.
 */
int bpf_program_load(enum bpf_prog_type type, const struct bpf_code *code,
		     char *why, size_t size);

/* Loads @code as a program that one of the kernel's iterators runs for each of
 * its objects: @function is the number of its type (kernel_types.h).
 */
int bpf_iterator_load(const struct bpf_code *code, uint32_t function);

/* Attaches such a program; opens a file of what it writes, which goes through the
 * objects as it is read, those of the network namespace that this thread is in
 * now.
 */
int bpf_iterator_attach(int program);
int bpf_iterator_open(int link);

/* Runs the program @program at the raw tracepoint @name until the descriptor
 * is closed.
 */
int bpf_raw_tracepoint_open(const char *name, int program);

#endif
