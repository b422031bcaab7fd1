/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/tree_internal.h"

#include "common/error.h"
#include "decoder/code/code_space.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable()
#define __lsan_enable()
#endif

/* ID for the decoder of a stream without frames, which may have none. */
enum { ANY_ID = 0x10 };

/* OpenCSD's configuration of a unit, by protocol. */
union config {
	ocsd_etmv3_cfg etmv3;
	ocsd_ptm_cfg ptm;
	ocsd_etmv4_cfg etmv4;
	ocsd_ete_cfg ete;
};

/* Fields shared by the configurations of two protocols. */
#define V7_SETTINGS(unit, id) \
	.reg_idr = (unit)->idr, .reg_ctrl = (unit)->config, \
	.reg_ccer = (unit)->ccer, .reg_trc_id = (id), .arch_ver = ARCH_V7, \
	.core_prof = profile_CortexA

/* The architecture only determines which instructions are branches: those of
 * pointer authentication were undefined before it was introduced.
 */
#define V8_SETTINGS(unit, id) \
	.reg_idr0 = (unit)->idr0, .reg_idr1 = (unit)->idr1, \
	.reg_idr2 = (unit)->idr2, .reg_idr8 = (unit)->idr8, \
	.reg_configr = (unit)->config, .reg_traceidr = (id), \
	.arch_ver = ARCH_AA64, .core_prof = profile_CortexA

static void configure_etmv3(union config *config,
			    const struct coresight_unit *unit, uint32_t id)
{
	config->etmv3 = (ocsd_etmv3_cfg){ V7_SETTINGS(unit, id) };
}

static void configure_ptm(union config *config,
			  const struct coresight_unit *unit, uint32_t id)
{
	config->ptm = (ocsd_ptm_cfg){ V7_SETTINGS(unit, id) };
}

static void configure_etmv4(union config *config,
			    const struct coresight_unit *unit, uint32_t id)
{
	config->etmv4 = (ocsd_etmv4_cfg){ V8_SETTINGS(unit, id) };
}

static void configure_ete(union config *config,
			  const struct coresight_unit *unit, uint32_t id)
{
	config->ete = (ocsd_ete_cfg){
		V8_SETTINGS(unit, id),
		.reg_devarch = unit->devarch,
	};
}

static const struct {
	const char *name;
	ocsd_trace_protocol_t protocol;
	size_t sync_zeros;
	void (*configure)(union config *config,
			  const struct coresight_unit *unit, uint32_t id);
} decoders[] = {
	[CORESIGHT_ETMV3] = { OCSD_BUILTIN_DCD_ETMV3, OCSD_PROTOCOL_ETMV3, 5,
			      configure_etmv3 },
	[CORESIGHT_PTM] = { OCSD_BUILTIN_DCD_PTM, OCSD_PROTOCOL_PTM, 5,
			    configure_ptm },
	[CORESIGHT_ETMV4] = { OCSD_BUILTIN_DCD_ETMV4I, OCSD_PROTOCOL_ETMV4I, 11,
			      configure_etmv4 },
	[CORESIGHT_ETE] = { OCSD_BUILTIN_DCD_ETE, OCSD_PROTOCOL_ETE, 11,
			    configure_ete },
};

/* Returns the protocol for OpenCSD's C API, which up to version 1.5 has no
 * callback for ETE packets. They have the format of the ETMv4 version in
 * TRCIDR1.
 */
static enum coresight_protocol
packet_protocol(const struct coresight_unit *unit)
{
	return unit->protocol == CORESIGHT_ETE ? CORESIGHT_ETMV4 :
						 unit->protocol;
}

ocsd_trace_protocol_t coresight_tree_protocol(const struct coresight_unit *unit)
{
	return decoders[packet_protocol(unit)].protocol;
}

size_t coresight_tree_sync_zeros(const struct coresight_unit *unit)
{
	return decoders[unit->protocol].sync_zeros;
}

static uint32_t decoder_id(const struct coresight_unit *unit)
{
	bool is_valid = unit->trace_id >= CORESIGHT_FIRST_ID &&
			unit->trace_id <= CORESIGHT_LAST_ID;

	return is_valid ? unit->trace_id : ANY_ID;
}

int coresight_tree_open(struct coresight_tree *tree,
			const struct coresight_unit *unit,
			enum coresight_depth depth)
{
	enum coresight_protocol protocol = depth == CORESIGHT_PACKETS ?
						   packet_protocol(unit) :
						   unit->protocol;
	struct coresight_unit told = *unit;
	union config config;
	int flags = depth == CORESIGHT_PACKETS ? OCSD_CREATE_FLG_PACKET_PROC :
						 OCSD_CREATE_FLG_FULL_DECODER;

	*tree = (struct coresight_tree){
		.handle = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0),
	};
	if (!tree->handle)
		return -ERROR_MEMORY;
	if (depth == CORESIGHT_EXECUTION)
		told.idr8 = 0;
	decoders[protocol].configure(&config, &told, decoder_id(unit));
	if (ocsd_dt_create_decoder(tree->handle, decoders[protocol].name, flags,
				   &config, &tree->trace_id) != OCSD_OK)
		return -ERROR_UNSUPPORTED;
	return 0;
}

/* OpenCSD 1.3 and 1.5 never free the allocation of
 * ocsd_dt_set_gen_elem_outfn(), 32 bytes for each tree. A suppression by name
 * would make the leak sanitizer read all debug information when each program
 * ends.
 */
int coresight_tree_on_element(struct coresight_tree *tree,
			      FnTraceElemIn consume, const void *context)
{
	ocsd_err_t error;

	__lsan_disable();
	error = ocsd_dt_set_gen_elem_outfn(tree->handle, consume, context);
	__lsan_enable();
	return error == OCSD_OK ? 0 : -ERROR_MEMORY;
}

void coresight_tree_close(struct coresight_tree *tree)
{
	if (tree->handle)
		ocsd_destroy_dcd_tree(tree->handle);
	tree->handle = NULL;
}

static uint32_t read_code(const void *ctx, const ocsd_vaddr_t address,
			  const ocsd_mem_space_acc_t space,
			  const uint32_t wanted, uint8_t *buffer)
{
	struct code_space *code = (struct code_space *)(uintptr_t)ctx;

	(void)space;
	return (uint32_t)code_space_copy(code, address, buffer, wanted);
}

/* OpenCSD's cache treats an instruction that ends at the highest address as
 * cached. No kernel has code in the last page: its addresses are errors.
 */
#define LAST_ADDRESS (UINT64_MAX - 4096)

int coresight_memory_attach(struct coresight_tree *tree,
			    struct code_space *code)
{
	ocsd_err_t error = ocsd_dt_add_callback_mem_acc(tree->handle, 0,
							LAST_ADDRESS,
							OCSD_MEM_SPACE_ANY,
							read_code, code);

	return error == OCSD_OK ? 0 : -ERROR_MEMORY;
}

/* Removing a region clears OpenCSD's cache. */
int coresight_memory_refresh(struct coresight_tree *tree,
			     struct code_space *code)
{
	if (!tree->handle)
		return 0;
	ocsd_dt_remove_mem_acc(tree->handle, 0, OCSD_MEM_SPACE_ANY);
	return coresight_memory_attach(tree, code);
}
