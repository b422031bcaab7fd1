/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_REGISTERS_H
#define KT_MACHINE_INTEL_PT_REGISTERS_H

#include "machine/intel_pt/cpuid.h"
#include "machine/intel_pt/msr.h"

#include <stdbool.h>
#include <stdint.h>

/* The trace unit's MSRs of one CPU, as software wrote them. */
struct pt_registers {
	uint64_t ctl;
	uint64_t status;
	uint64_t output_base;
	uint64_t output_mask;
	uint64_t cr3_match;
	uint64_t address[2 * PT_ADDRESS_RANGES]; /* A, B, A, B … */
	struct pt_abilities abilities;
};

enum pt_msr_result {
	PT_MSR_DONE,
	PT_MSR_FAULT,	 /* #GP(0): the write has no effect */
	PT_MSR_NOT_OURS, /* another unit's register */
};

/* Reads register @msr into @value. */
enum pt_msr_result pt_registers_read(const struct pt_registers *registers,
				     uint32_t msr, uint64_t *value);

/* Writes @value to register @msr.
 *
 * Returns PT_MSR_FAULT where the SDM specifies a fault: for reserved bits, for
 * encodings that CPUID does not announce, and while TraceEn is set for any
 * change except clearing it (section "Tracing and configuration: IA32_RTIT_CTL
 * MSR").
 */
enum pt_msr_result pt_registers_write(struct pt_registers *registers,
				      uint32_t msr, uint64_t value);

/* IA32_RTIT_CTL.ADDR@range_CFG: off, filter or stop. */
unsigned pt_registers_range_config(const struct pt_registers *registers,
				   unsigned range);

/* Sets the reset values of IA32_RTIT_CTL and MASK_PTRS's fixed ones, and
 * all abilities.
 */
void pt_registers_reset(struct pt_registers *registers);

#endif
