/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/apic.h"
#include "machine/qemu/guest.h"

/* Interrupt request register: 8 words of 32 bits, 16 bytes apart (SDM volume
 * 3, "Local APIC Register Address Map").
 */
#define APIC_IRR 0xfee00200ull
enum { APIC_IRR_WORDS = 8, APIC_IRR_STRIDE = 16 };

bool apic_is_pending(void *machine)
{
	struct guest *guest = machine;
	uint32_t word;

	for (unsigned i = 0; i < APIC_IRR_WORDS; i++)
		if (guest_read_physical(guest, APIC_IRR + i * APIC_IRR_STRIDE,
					&word, sizeof(word)) &&
		    word)
			return true;
	return false;
}
