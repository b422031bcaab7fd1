/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which QEMU versions the plugins accept, and their message about a
 * rejected one.
 */
#include "machine/qemu/plugin_api.h"
#include "machine/tests/plugin_callbacks.h"
#include "machine/tests/stderr_text.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   plugin_tb_trans_fn *fn, void *data);
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, plugin_vcpu_fn *fn,
				       void *data);
void qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t id,
					 enum qemu_plugin_discon_type type,
					 plugin_discon_fn *fn, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, plugin_exit_fn *fn,
				    void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   plugin_tb_trans_fn *fn, void *data)
{
	ck_assert_int_eq(id, CALLBACK_ID);
	fn(NULL, data);
}

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, plugin_vcpu_fn *fn,
				       void *data)
{
	ck_assert_int_eq(id, CALLBACK_ID);
	fn(CALLBACK_VCPU, data);
}

void qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t id,
					 enum qemu_plugin_discon_type type,
					 plugin_discon_fn *fn, void *data)
{
	ck_assert_int_eq(id, CALLBACK_ID);
	fn(CALLBACK_VCPU, type, CALLBACK_FROM, CALLBACK_TO, data);
}

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, plugin_exit_fn *fn,
				    void *data)
{
	ck_assert_int_eq(id, CALLBACK_ID);
	fn(data);
}

void qemu_plugin_set_pc(uint64_t vaddr)
{
	(void)vaddr;
	abort();
}

static const struct {
	const char *target;
	int oldest, newest; /* accepted by this QEMU */
	bool system;
	const char *refusal; /* part of the message; NULL: accepted */
} qemus[] = {
	{ "x86_64", 2, 7, true, NULL },
	{ "x86_64", 7, 9, true, NULL },
	{ "x86_64", 2, 6, true, "plugin API 7, this QEMU has 2 to 6" },
	{ "x86_64", 0, 1, true, "plugin API 7, this QEMU has 0 to 1" },
	{ "x86_64", 8, 8, true, "plugin API 7, this QEMU has 8 to 8" },
	{ "aarch64", 2, 7, true, "x86_64 machine, not aarch64" },
	{ "x86_64", 2, 7, false, "x86_64 machine" },
};

START_TEST(qemu_is_taken_or_refused_by_name)
{
	const qemu_info_t info = {
		.target_name = qemus[_i].target,
		.version = { qemus[_i].oldest, qemus[_i].newest },
		.system_emulation = qemus[_i].system,
	};
	char *said;

	stderr_text_begin();
	ck_assert_int_eq(plugin_api_usable(&info, "x86_64"),
			 !qemus[_i].refusal);
	said = stderr_text_end();
	if (qemus[_i].refusal)
		ck_assert_msg(strstr(said, qemus[_i].refusal), "said: %s",
			      said);
	else
		ck_assert_str_eq(said, "");
	free(said);
}
END_TEST

START_TEST(callbacks_find_what_they_were_registered_with)
{
	check_plugin_callbacks();
}
END_TEST

SUITE("plugin_api7")
{
	TEST_EACH(qemu_is_taken_or_refused_by_name, qemus);
	TEST(callbacks_find_what_they_were_registered_with);
}
