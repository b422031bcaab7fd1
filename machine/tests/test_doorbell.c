/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how long a vCPU is stopped after it rang a device's doorbell, with a
 * fake local APIC that has pending interrupts.
 */
#include "machine/qemu/apic.h"
#include "machine/qemu/doorbell.h"
#include "machine/qemu/guest.h"
#include "tests/run_suite.h"

#include <string.h>

/* As in Linux, devices' vectors are below the timer's. */
enum { DEVICE = 0x22, LAST_DEVICE = 0xeb, TIMER = 0xec, IRQ_WORK = 0xf6 };

/* The name of QEMU's device with the doorbell; other devices have none. */
struct qemu_plugin_hwaddr {
	const char *name;
};

/* A substitute for struct guest. */
struct machine {
	uint32_t lvt_timer;
	uint32_t irr[8];
	unsigned polls;	   /* how often the register was read */
	unsigned answered; /* the read at which the device has answered */
	unsigned device;   /* its vector */
};

bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *hwaddr)
{
	return hwaddr;
}

const char *
qemu_plugin_hwaddr_device_name(const struct qemu_plugin_hwaddr *hwaddr)
{
	return hwaddr->name;
}

static void pend(struct machine *machine, unsigned vector)
{
	machine->irr[vector / 32] |= 1u << vector % 32;
}

bool guest_read_physical(struct guest *guest, uint64_t address, void *bytes,
			 size_t size)
{
	struct machine *machine = (void *)guest;
	uint32_t word = 0;

	if (address == 0xfee00200 && ++machine->polls == machine->answered)
		pend(machine, machine->device);
	if (address == 0xfee00320)
		word = machine->lvt_timer;
	else if (address >= 0xfee00200 && address < 0xfee00280)
		word = machine->irr[(address - 0xfee00200) / 16];
	else
		return false;
	memcpy(bytes, &word, size);
	return true;
}

static unsigned polls_of(struct machine *machine, const char *name)
{
	struct qemu_plugin_hwaddr doorbell = { name };

	doorbell_wait(&doorbell, apic_device_is_pending, machine);
	return machine->polls;
}

#define FILES "virtio-pci-notify-virtio-9p"

static const unsigned devices[] = { DEVICE, 0x3f, 0x40, LAST_DEVICE };

START_TEST(waits_for_the_device)
{
	struct machine machine = {
		.lvt_timer = TIMER,
		.device = devices[_i],
		.answered = 3,
	};

	ck_assert_uint_eq(polls_of(&machine, FILES), 3);
}
END_TEST

/* Vectors that belong to no device: while only these are pending, the device
 * has not answered.
 */
static const unsigned own[] = { TIMER, TIMER + 1, IRQ_WORK, 0xff };

START_TEST(other_interrupts_that_wait_are_no_answer)
{
	struct machine machine = {
		.lvt_timer = TIMER,
		.device = DEVICE,
		.answered = 5,
	};

	pend(&machine, own[_i]);
	ck_assert_uint_eq(polls_of(&machine, FILES), 5);
}
END_TEST

START_TEST(an_answer_that_waits_beside_the_timer_is_enough)
{
	struct machine machine = { .lvt_timer = TIMER };

	pend(&machine, TIMER);
	pend(&machine, LAST_DEVICE);
	ck_assert_uint_le(polls_of(&machine, FILES), 1);
}
END_TEST

START_TEST(before_the_timer_is_set_up_all_are_devices)
{
	struct machine machine = {
		.lvt_timer = 0x10000,
		.device = 0xfd,
		.answered = 2,
	};

	ck_assert_uint_eq(polls_of(&machine, FILES), 2);
}
END_TEST

START_TEST(other_doorbells_hold_nobody)
{
	struct machine machine = { .lvt_timer = TIMER };

	ck_assert_uint_eq(polls_of(&machine, "virtio-pci-notify-virtio-net"),
			  0);
	ck_assert_uint_eq(polls_of(&machine, "virtio-pci-isr-virtio-9p"), 0);
	doorbell_wait(NULL, apic_device_is_pending, &machine);
	ck_assert_uint_eq(machine.polls, 0);
}
END_TEST

SUITE("doorbell")
{
	TEST_EACH(waits_for_the_device, devices);
	TEST_EACH(other_interrupts_that_wait_are_no_answer, own);
	TEST(an_answer_that_waits_beside_the_timer_is_enough);
	TEST(before_the_timer_is_set_up_all_are_devices);
	TEST(other_doorbells_hold_nobody);
}
