/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_OUTPUT_H
#define KT_MACHINE_INTEL_PT_OUTPUT_H

#include "machine/intel_pt/registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the trace unit reaches the machine it is part of. */
struct pt_bus {
	/* Physical memory; false when there is none at @address. */
	bool (*read)(void *machine, uint64_t address, void *bytes, size_t size);
	bool (*write)(void *machine, uint64_t address, const void *bytes,
		      size_t size);
	/* The performance monitoring interrupt: a region with INT is full. */
	void (*interrupt)(void *machine);
	void *machine;
};

/* Writes packets to physical memory: ToPA tables or a single range.
 *
 * Keeps OUTPUT_BASE, OUTPUT_MASK_PTRS and STATUS (PacketByteCnt, Stopped,
 * Error) as the SDM has them, section "Trace Output".  Packets are gathered
 * and written a few hundred bytes at a time; registers and memory are right
 * after pt_output_flush().
 */
enum { PT_OUTPUT_GATHER = 512 };

struct pt_output {
	struct pt_registers *registers;
	const struct pt_bus *bus;
	uint8_t bytes[PT_OUTPUT_GATHER];
	size_t used;
	uint64_t entry; /* the ToPA entry being filled */
	bool entry_valid;
	uint64_t since_psb; /* bytes, as PacketByteCnt counts them */
	bool discarding;    /* packets are being lost */
};

/* Borrows both, which outlive @output. */
void pt_output_init(struct pt_output *output, struct pt_registers *registers,
		    const struct pt_bus *bus);

/* TraceEn was set: starts at what the registers say. */
void pt_output_start(struct pt_output *output);

/* Appends one whole packet of @size bytes, at most PT_OUTPUT_GATHER.
 *
 * Once the unit has stopped (STOP region full, error) packets are dropped.
 */
void pt_output_put(struct pt_output *output, const uint8_t *bytes, size_t size);

/* A PSB begins here: PacketByteCnt counts from it. */
void pt_output_restart_count(struct pt_output *output);

void pt_output_flush(struct pt_output *output);

/* True when STATUS.Stopped or STATUS.Error is set. */
bool pt_output_halted(const struct pt_output *output);

#endif
