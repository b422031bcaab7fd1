/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/apic.h"
#include "machine/qemu/guest.h"

/* The interrupt request register (8 words of 32 bits, 16 bytes apart) and the
 * timer's LVT entry (SDM volume 3, "Local APIC Register Address Map").
 */
#define APIC_IRR 0xfee00200ull
#define APIC_LVT_TIMER 0xfee00320ull
enum {
	APIC_IRR_WORDS = 8,
	APIC_IRR_STRIDE = 16,
	WORD_VECTORS = 32,
	LVT_VECTOR = 0xff,
};

/* Linux gives devices the vectors below the timer's. The timer's vector and
 * higher ones belong to the timer and to interrupts that CPUs raise themselves,
 * for example for irq_work (arch/x86/include/asm/irq_vectors.h). Before the
 * timer has a vector, all vectors count as devices'.
 */
static unsigned first_own_vector(struct guest *guest)
{
	uint32_t entry;

	if (!guest_read_physical(guest, APIC_LVT_TIMER, &entry,
				 sizeof(entry)) ||
	    !(entry & LVT_VECTOR))
		return APIC_IRR_WORDS * WORD_VECTORS;
	return entry & LVT_VECTOR;
}

static uint32_t below(unsigned vector)
{
	return vector < WORD_VECTORS ? (1u << vector) - 1 : UINT32_MAX;
}

bool apic_device_is_pending(void *machine)
{
	struct guest *guest = machine;
	unsigned end = first_own_vector(guest);
	uint32_t word;

	for (unsigned i = 0; i * WORD_VECTORS < end; i++)
		if (guest_read_physical(guest, APIC_IRR + i * APIC_IRR_STRIDE,
					&word, sizeof(word)) &&
		    word & below(end - i * WORD_VECTORS))
			return true;
	return false;
}
