/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_MEMORY_H
#define KT_DECODER_CORESIGHT_MEMORY_H

struct code_space;
struct coresight_tree;

/* Lets OpenCSD ask @code, borrowed, for what @tree decodes.  Returns 0 or
 * -ERROR_MEMORY.
 */
int coresight_memory_attach(struct coresight_tree *tree,
			    struct code_space *code);

/* Makes OpenCSD ask again: it keeps what it was told.  Likewise. */
int coresight_memory_refresh(struct coresight_tree *tree,
			     struct code_space *code);

#endif
