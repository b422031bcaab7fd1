/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the plugins' shim for QEMU 11.0, whose callbacks get no user data, and
 * for QEMU 10.2, which has the same API without one required function.
 */
#include "machine/qemu/plugin_api.h"
#include "machine/tests/plugin_callbacks.h"
#include "machine/tests/stderr_text.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

typedef void api6_tb_trans_fn(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void api6_vcpu_fn(qemu_plugin_id_t id, unsigned int vcpu);
typedef void api6_discon_fn(qemu_plugin_id_t id, unsigned int vcpu,
			    enum qemu_plugin_discon_type type, uint64_t from_pc,
			    uint64_t to_pc);
typedef void api6_exit_fn(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   api6_tb_trans_fn *fn);
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, api6_vcpu_fn *fn);
void qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t id,
					 enum qemu_plugin_discon_type type,
					 api6_discon_fn *fn);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, api6_exit_fn *fn,
				    void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   api6_tb_trans_fn *fn)
{
	fn(id, NULL);
}

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, api6_vcpu_fn *fn)
{
	fn(id, CALLBACK_VCPU);
}

void qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t id,
					 enum qemu_plugin_discon_type type,
					 api6_discon_fn *fn)
{
	fn(id, CALLBACK_VCPU, type, CALLBACK_FROM, CALLBACK_TO);
}

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, api6_exit_fn *fn,
				    void *data)
{
	fn(id, data);
}

static const struct {
	int oldest, newest; /* accepted by this QEMU */
	const char *refusal;
} qemus[] = {
	{ 2, 5, "plugin API 6, this QEMU has 2 to 5" },
	{ 7, 7, "plugin API 6, this QEMU has 7 to 7" },
	{ 2, 6, "no qemu_plugin_set_pc(); QEMU 11.0 or newer" },
};

START_TEST(qemu_is_refused_by_name)
{
	const qemu_info_t info = {
		.target_name = "x86_64",
		.version = { qemus[_i].oldest, qemus[_i].newest },
		.system_emulation = true,
	};
	char *said;

	stderr_text_begin();
	ck_assert(!plugin_api_usable(&info, "x86_64"));
	said = stderr_text_end();
	ck_assert_msg(strstr(said, qemus[_i].refusal), "said: %s", said);
	free(said);
}
END_TEST

START_TEST(callbacks_find_what_they_were_registered_with)
{
	check_plugin_callbacks();
}
END_TEST

SUITE("plugin_api6")
{
	TEST_EACH(qemu_is_refused_by_name, qemus);
	TEST(callbacks_find_what_they_were_registered_with);
}
