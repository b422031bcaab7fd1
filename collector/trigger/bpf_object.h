/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_BPF_OBJECT_H
#define KT_COLLECTOR_BPF_OBJECT_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_code;

/* Calls of bpf(2). Unless stated otherwise, each returns a descriptor, to be
 * closed with close(2); or -1 with errno set.
 */

int bpf_map_new(enum bpf_map_type type, size_t key_bytes, size_t value_bytes,
		size_t entries);

/* Returns 0 or -1. */
int bpf_map_set(int map, const void *key, const void *value);

/* Removes @key from @map. Returns 0, or -1, also if @key is missing. */
int bpf_map_forget(int map, const void *key);

/* Loads @code. If the kernel's verifier rejects it, @why is set to its reason
 * as one line, cut to @size; "" if the verifier was not reached.
 */
int bpf_program_load(enum bpf_prog_type type, const struct bpf_code *code,
		     char *why, size_t size);

/* Loads @code as a program that one of the kernel's iterators runs for each of
 * its objects; @function is the iterator's type number (kernel_types.h).
 */
int bpf_iterator_load(const struct bpf_code *code, uint32_t function);

/* bpf_iterator_attach() attaches such a program. bpf_iterator_open() opens its
 * output as a file; reading it iterates over the objects of the network
 * namespace in which this thread was at the time of the open.
 */
int bpf_iterator_attach(int program);
int bpf_iterator_open(int link);

/* Runs @program at the raw tracepoint @name until the descriptor is closed. */
int bpf_raw_tracepoint_open(const char *name, int program);

#endif
