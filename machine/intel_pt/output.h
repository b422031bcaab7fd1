/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_OUTPUT_H
#define KT_MACHINE_INTEL_PT_OUTPUT_H

#include "machine/intel_pt/fault.h"
#include "machine/intel_pt/registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The trace unit's access to its machine. */
struct pt_bus {
	/* Access physical memory. Return false if @address does not exist. */
	bool (*read)(void *machine, uint64_t address, void *bytes, size_t size);
	bool (*write)(void *machine, uint64_t address, const void *bytes,
		      size_t size);
	/* Raises the performance monitoring interrupt: a region with INT is
	 * full, or almost full if tables have one region each.
	 */
	void (*interrupt)(void *machine);
	void *machine;
};

/* Writes packets to physical memory: ToPA tables or a single range.
 *
 * Maintains OUTPUT_BASE, OUTPUT_MASK_PTRS and STATUS (PacketByteCnt, Stopped,
 * Error) as specified in the SDM, section "Trace Output". Packets are collected
 * and written a few hundred bytes at a time; registers and memory are up to
 * date after pt_output_flush().
 */
enum { PT_OUTPUT_GATHER = 512 };

struct pt_output {
	struct pt_registers *registers;
	const struct pt_bus *bus;
	uint8_t bytes[PT_OUTPUT_GATHER];
	size_t used;
	uint64_t entry; /* the ToPA entry being filled */
	bool entry_valid;
	uint64_t since_psb; /* bytes, as counted by PacketByteCnt */
	bool discarding;    /* packets are being lost */
	struct unit_fault fault;
};

/* Borrows @registers and @bus, which must outlive @output. */
void pt_output_init(struct pt_output *output, struct pt_registers *registers,
		    const struct pt_bus *bus);

/* Starts at the registers' position when TraceEn was set. */
void pt_output_start(struct pt_output *output);

/* Appends one complete packet of @size bytes, at most PT_OUTPUT_GATHER.
 *
 * Packets are dropped once the unit has stopped (STOP region full, error).
 */
void pt_output_put(struct pt_output *output, const uint8_t *bytes, size_t size);

/* Restarts PacketByteCnt, because a PSB starts here. */
void pt_output_restart_count(struct pt_output *output);

void pt_output_flush(struct pt_output *output);

/* Returns true if STATUS.Stopped or STATUS.Error is set. */
bool pt_output_halted(const struct pt_output *output);

#endif
