/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_MEMORY_H
#define KT_DECODER_CORESIGHT_MEMORY_H

struct code_space;
struct coresight_tree;

/* Makes OpenCSD read the code that @tree decodes from @code, which is borrowed.
 * Returns 0 or -ERROR_MEMORY.
 */
int coresight_memory_attach(struct coresight_tree *tree,
			    struct code_space *code);

/* Clears OpenCSD's cache of the code, so that it reads @code again. Returns 0
 * or -ERROR_MEMORY.
 */
int coresight_memory_refresh(struct coresight_tree *tree,
			     struct code_space *code);

#endif
