/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_memory.h"
#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/coresight/coresight_tree.h"

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
