/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_TRACE_BUFFER_H
#define KT_MACHINE_ARM_ETE_TRACE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The Trace Buffer Extension: writes the unit's bytes to memory, and holds
 * back what comes while it may not write, so that nothing is lost.
 *
 * Source: Arm ARM, "Trace Buffer Unit"; op2 of S3_0_C9_C11_<op2> selects the
 * register.
 */
enum trb_register {
	TRBLIMITR_EL1,
	TRBPTR_EL1,
	TRBBASER_EL1,
	TRBSR_EL1,
	TRBMAR_EL1,
	TRBMPAM_EL1,
	TRBTRG_EL1,
	TRBIDR_EL1,
	TRB_REGISTERS,
};

#define TRBLIMITR_E (1ull << 0)
#define TRBLIMITR_FM 0x6ull
#define TRBLIMITR_NVM (1ull << 5)
#define TRBLIMITR_LIMIT (~0xfffull)

#define TRBSR_S (1ull << 17)
#define TRBSR_EA (1ull << 18)
#define TRBSR_WRAP (1ull << 20)
#define TRBSR_IRQ (1ull << 22)
#define TRBSR_BUFFER_FILLED 1ull
#define TRBSR_STAGE1_ABORT (0x24ull << 26)
#define TRBSR_TRANSLATION_FAULT 0x07ull

/* How the CPU's trace reaches the machine that it is part of. */
struct ete_bus {
	/* The physical address of the kernel's @address; false if it is not
	 * mapped.
	 */
	bool (*translate)(void *machine, uint64_t address, uint64_t *physical);
	bool (*write)(void *machine, uint64_t physical, const void *bytes,
		      size_t size);
	/* The trace buffer's interrupt becomes pending. */
	void (*interrupt)(void *machine);
	void *machine;
};

struct trace_buffer;

/* Copies @bus.  NULL when out of memory; free accepts NULL. */
struct trace_buffer *trace_buffer_new(const struct ete_bus *bus);
void trace_buffer_free(struct trace_buffer *buffer);

uint64_t trace_buffer_read(const struct trace_buffer *buffer,
			   enum trb_register which);
void trace_buffer_write(struct trace_buffer *buffer, enum trb_register which,
			uint64_t value);

/* Enabled: bytes are taken.  They go to memory unless collection has stopped
 * (buffer filled, fault); they wait then until software has cleared TRBSR.S
 * and enabled the buffer again.
 */
bool trace_buffer_is_enabled(const struct trace_buffer *buffer);
bool trace_buffer_is_stopped(const struct trace_buffer *buffer);

/* Appends one packet.  It waits for trace_buffer_flush(). */
void trace_buffer_put(struct trace_buffer *buffer, const uint8_t *bytes,
		      size_t size);

/* Forgets what waits. */
void trace_buffer_clear(struct trace_buffer *buffer);

/* So much waits that it is worth while. */
bool trace_buffer_is_due(const struct trace_buffer *buffer);

/* What was put is in memory afterwards, unless collection has stopped.  Call
 * it while the kernel runs, whose addresses the buffer has.
 */
void trace_buffer_flush(struct trace_buffer *buffer);

#endif
