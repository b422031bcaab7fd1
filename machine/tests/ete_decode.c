/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/ete_decode.h"
#include "machine/arm_ete/registers.h"

#include <opencsd/c_api/opencsd_c_api.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable()
#define __lsan_enable()
#endif

struct referee {
	struct ete_decoded *decoded;
	ete_code_fn *code;
	void *context;
};

static void add_range(struct ete_decoded *decoded,
		      const ocsd_generic_trace_elem *element)
{
	for (uint64_t at = element->st_addr; at < element->en_addr; at += 4) {
		if (decoded->count == decoded->room) {
			decoded->room = decoded->room ? 2 * decoded->room :
							4096;
			decoded->addresses =
				realloc(decoded->addresses,
					decoded->room * sizeof(uint64_t));
			if (!decoded->addresses)
				abort();
		}
		decoded->addresses[decoded->count++] = at;
	}
}

static void add_timestamp(struct ete_decoded *decoded, uint64_t timestamp)
{
	decoded->timestamps_grow &= timestamp >= decoded->last_timestamp;
	decoded->last_timestamp = timestamp;
	decoded->timestamps++;
}

static ocsd_datapath_resp_t on_element(const void *context,
				       const ocsd_trc_index_t index,
				       const uint8_t channel,
				       const ocsd_generic_trace_elem *element)
{
	const struct referee *referee = context;
	struct ete_decoded *decoded = referee->decoded;

	(void)index;
	(void)channel;
	if (element->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE)
		add_range(decoded, element);
	else if (element->elem_type == OCSD_GEN_TRC_ELEM_EXCEPTION)
		decoded->exceptions++;
	else if (element->elem_type == OCSD_GEN_TRC_ELEM_TRACE_ON)
		decoded->trace_ons++;
	else if (element->elem_type == OCSD_GEN_TRC_ELEM_TIMESTAMP)
		add_timestamp(decoded, element->timestamp);
	else if (element->elem_type == OCSD_GEN_TRC_ELEM_CYCLE_COUNT)
		decoded->cycles += element->cycle_count;
	else if (element->elem_type == OCSD_GEN_TRC_ELEM_PE_CONTEXT &&
		 element->context.ctxt_id_valid)
		decoded->last_context_id = element->context.context_id;
	else if (element->elem_type == OCSD_GEN_TRC_ELEM_ADDR_NACC)
		decoded->errors++;
	return OCSD_RESP_CONT;
}

static uint32_t read_code(const void *context, const ocsd_vaddr_t address,
			  const ocsd_mem_space_acc_t space,
			  const uint32_t wanted, uint8_t *bytes)
{
	const struct referee *referee = context;
	uint32_t insn;

	(void)space;
	if (wanted < sizeof(insn) ||
	    !referee->code(referee->context, address, &insn))
		return 0;
	memcpy(bytes, &insn, sizeof(insn));
	return sizeof(insn);
}

static void configure(ocsd_ete_cfg *unit, uint64_t config)
{
	struct ete_registers registers;

	ete_registers_reset(&registers);
	memset(unit, 0, sizeof(*unit));
	unit->reg_idr0 = (uint32_t)ete_registers_read(&registers, 0x1e0);
	unit->reg_idr1 = (uint32_t)ete_registers_read(&registers, 0x1e4);
	unit->reg_idr2 = (uint32_t)ete_registers_read(&registers, 0x1e8);
	unit->reg_devarch = (uint32_t)ete_registers_read(&registers, 0xfbc);
	unit->reg_configr = (uint32_t)config;
	unit->reg_traceidr = 1;
	unit->arch_ver = ARCH_AA64;
	unit->core_prof = profile_CortexA;
}

/* OpenCSD 1.3 and 1.5 never free the object that this creates. */
static ocsd_err_t tell_referee(dcd_tree_handle_t tree, struct referee *referee)
{
	ocsd_err_t error;

	__lsan_disable();
	error = ocsd_dt_set_gen_elem_outfn(tree, on_element, referee);
	__lsan_enable();
	return error;
}

void ete_decode(struct ete_decoded *decoded, const uint8_t *bytes, size_t size,
		uint64_t config, ete_code_fn *code, void *context)
{
	struct referee referee = { decoded, code, context };
	dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	uint32_t consumed = 0;
	unsigned char id;
	ocsd_ete_cfg unit;

	*decoded = (struct ete_decoded){ .timestamps_grow = true };
	configure(&unit, config);
	if (ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETE,
				   OCSD_CREATE_FLG_FULL_DECODER, &unit, &id) ||
	    tell_referee(tree, &referee) ||
	    ocsd_dt_add_callback_mem_acc(tree, 0, ~0ull, OCSD_MEM_SPACE_ANY,
					 read_code, &referee) ||
	    ocsd_dt_process_data(tree, OCSD_OP_DATA, 0, (uint32_t)size, bytes,
				 &consumed) ||
	    consumed != size ||
	    ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL))
		decoded->errors++;
	ocsd_destroy_dcd_tree(tree);
}

void ete_decoded_free(struct ete_decoded *decoded)
{
	free(decoded->addresses);
}
