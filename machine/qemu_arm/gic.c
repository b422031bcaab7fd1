/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/gic.h"

/* A CPU's redistributor has two frames of 64 KiB; the second has the pending
 * bits of its private interrupts. The trace buffer's interrupt is private
 * interrupt 15 (../host/device_tree.sh), after the 16 interrupts between CPUs.
 */
#define GICR_BASE 0x080a0000ull
#define GICR_STRIDE 0x20000ull
#define GICR_ISPENDR0 0x10200ull
enum { TRACE_BUFFER_INTERRUPT = 16 + 15 };

/* The distributor has the shared interrupts, which follow the 32 private ones.
 * PCI's four wires are 3 to 6 of them.
 */
#define GICD_ISPENDR1 0x08000204ull
#define PCI_INTERRUPTS (0xfu << 3)

void gic_raise_trace_buffer(struct guest *guest, unsigned index)
{
	uint32_t bit = 1u << TRACE_BUFFER_INTERRUPT;

	guest_write_physical(guest,
			     GICR_BASE + index * GICR_STRIDE + GICR_ISPENDR0,
			     &bit, sizeof(bit));
}

bool gic_device_is_pending(void *machine)
{
	uint32_t word;

	return guest_read_physical(machine, GICD_ISPENDR1, &word,
				   sizeof(word)) &&
	       word & PCI_INTERRUPTS;
}
