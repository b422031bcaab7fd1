/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/plugin_callbacks.h"
#include "machine/qemu/plugin_api.h"

#include <check.h>

static void count_tb(struct qemu_plugin_tb *tb, void *userdata)
{
	ck_assert_ptr_null(tb);
	++*(int *)userdata;
}

static void count_vcpu(unsigned int vcpu, void *userdata)
{
	ck_assert_int_eq(vcpu, CALLBACK_VCPU);
	++*(int *)userdata;
}

static void count_discon(unsigned int vcpu, enum qemu_plugin_discon_type type,
			 uint64_t from_pc, uint64_t to_pc, void *userdata)
{
	ck_assert_int_eq(vcpu, CALLBACK_VCPU);
	ck_assert_int_eq(type, QEMU_PLUGIN_DISCON_ALL);
	ck_assert_int_eq(from_pc, CALLBACK_FROM);
	ck_assert_int_eq(to_pc, CALLBACK_TO);
	++*(int *)userdata;
}

static void count_exit(void *userdata)
{
	++*(int *)userdata;
}

void check_plugin_callbacks(void)
{
	int calls[4] = { 0 };

	plugin_on_tb_trans(CALLBACK_ID, count_tb, &calls[0]);
	plugin_on_vcpu_init(CALLBACK_ID, count_vcpu, &calls[1]);
	plugin_on_discon(CALLBACK_ID, count_discon, &calls[2]);
	plugin_on_exit(CALLBACK_ID, count_exit, &calls[3]);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(calls[i], 1);
}
