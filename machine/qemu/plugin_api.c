/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/plugin_api.h"

#include <stdio.h>
#include <string.h>

/* This file is compiled twice, with PLUGIN_API 6 and 7 from the Makefile. */
PLUGIN_EXPORT extern int qemu_plugin_version;
int qemu_plugin_version = PLUGIN_API;

#if PLUGIN_API == 7

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   plugin_tb_trans_fn *fn, void *data);
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, plugin_vcpu_fn *fn,
				       void *data);
void qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t id,
					 enum qemu_plugin_discon_type type,
					 plugin_discon_fn *fn, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, plugin_exit_fn *fn,
				    void *data);

void plugin_on_tb_trans(qemu_plugin_id_t id, plugin_tb_trans_fn *fn, void *data)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, fn, data);
}

void plugin_on_vcpu_init(qemu_plugin_id_t id, plugin_vcpu_fn *fn, void *data)
{
	qemu_plugin_register_vcpu_init_cb(id, fn, data);
}

void plugin_on_discon(qemu_plugin_id_t id, plugin_discon_fn *fn, void *data)
{
	qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_ALL, fn,
					    data);
}

void plugin_on_exit(qemu_plugin_id_t id, plugin_exit_fn *fn, void *data)
{
	qemu_plugin_register_atexit_cb(id, fn, data);
}

#elif PLUGIN_API == 6

typedef void api6_tb_trans_fn(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void api6_vcpu_fn(qemu_plugin_id_t id, unsigned int vcpu);
typedef void api6_exit_fn(qemu_plugin_id_t id, void *data);
typedef void api6_discon_fn(qemu_plugin_id_t id, unsigned int vcpu,
			    enum qemu_plugin_discon_type type, uint64_t from_pc,
			    uint64_t to_pc);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   api6_tb_trans_fn *fn);
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, api6_vcpu_fn *fn);
void qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t id,
					 enum qemu_plugin_discon_type type,
					 api6_discon_fn *fn);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, api6_exit_fn *fn,
				    void *data);

/* API 6 passes no user data to callbacks. */
static struct {
	plugin_tb_trans_fn *tb_trans;
	void *tb_trans_data;
	plugin_vcpu_fn *init;
	void *init_data;
	plugin_discon_fn *discon;
	void *discon_data;
	plugin_exit_fn *at_exit;
} api6;

static void on_tb_trans(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	api6.tb_trans(tb, api6.tb_trans_data);
}

static void on_vcpu_init(qemu_plugin_id_t id, unsigned int vcpu)
{
	(void)id;
	api6.init(vcpu, api6.init_data);
}

static void on_discon(qemu_plugin_id_t id, unsigned int vcpu,
		      enum qemu_plugin_discon_type type, uint64_t from_pc,
		      uint64_t to_pc)
{
	(void)id;
	api6.discon(vcpu, type, from_pc, to_pc, api6.discon_data);
}

static void on_exit6(qemu_plugin_id_t id, void *data)
{
	(void)id;
	api6.at_exit(data);
}

void plugin_on_tb_trans(qemu_plugin_id_t id, plugin_tb_trans_fn *fn, void *data)
{
	api6.tb_trans = fn;
	api6.tb_trans_data = data;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_tb_trans);
}

void plugin_on_vcpu_init(qemu_plugin_id_t id, plugin_vcpu_fn *fn, void *data)
{
	api6.init = fn;
	api6.init_data = data;
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init);
}

void plugin_on_discon(qemu_plugin_id_t id, plugin_discon_fn *fn, void *data)
{
	api6.discon = fn;
	api6.discon_data = data;
	qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_ALL,
					    on_discon);
}

void plugin_on_exit(qemu_plugin_id_t id, plugin_exit_fn *fn, void *data)
{
	api6.at_exit = fn;
	qemu_plugin_register_atexit_cb(id, on_exit6, data);
}

#else
#error "PLUGIN_API must be 6 (QEMU 10.2, 11.0) or 7 (QEMU 11.1)"
#endif

bool plugin_api_usable(const qemu_info_t *info, const char *target)
{
	if (info->version.cur < PLUGIN_API || info->version.min > PLUGIN_API) {
		fprintf(stderr,
			"trace unit: built for QEMU plugin API %d, this QEMU"
			" has %d to %d (QEMU 10.2 and 11.0 have 6, 11.1 has"
			" 7)\n",
			PLUGIN_API, info->version.min, info->version.cur);
		return false;
	}
	if (!qemu_plugin_set_pc) {
		fprintf(stderr,
			"trace unit: this QEMU has no qemu_plugin_set_pc();"
			" QEMU 11.0 or newer is needed\n");
		return false;
	}
	if (!info->system_emulation || strcmp(info->target_name, target)) {
		fprintf(stderr, "trace unit: made for a %s machine, not %s\n",
			target, info->target_name);
		return false;
	}
	return true;
}
