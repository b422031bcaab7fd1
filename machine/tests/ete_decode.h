/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_ETE_DECODE_H
#define KT_MACHINE_TESTS_ETE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* OpenCSD as the reference: its decoding of an ETE's bytes. */
struct ete_decoded {
	uint64_t *addresses; /* of the instructions executed; owned */
	size_t count, room;
	uint64_t exceptions;
	uint64_t trace_ons;
	uint64_t cycles; /* the sum of all cycle counts */
	uint64_t last_timestamp;
	uint64_t timestamps;
	bool timestamps_grow;
	uint32_t last_context_id;
	uint64_t errors; /* bad packets, missing code */
};

/* Reads the instruction at @address; returns false if there is none. */
typedef bool ete_code_fn(void *context, uint64_t address, uint32_t *insn);

/* Decodes @size bytes traced with TRCCONFIGR @config. */
void ete_decode(struct ete_decoded *decoded, const uint8_t *bytes, size_t size,
		uint64_t config, ete_code_fn *code, void *context);
void ete_decoded_free(struct ete_decoded *decoded);

#endif
