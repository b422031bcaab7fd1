/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_REFUSAL_H
#define KT_SERVE_REFUSAL_H

#include "common/log.h"
#include "serve/serve_message.h"

/* Sets the reason of @refused; @cause is an errno. Returns -ERROR_SYSTEM. */
int refusal_set(struct serve_refused *refused, int cause, const char *text);

/* A log_fn that stores the last error message, with errno, in @refused, a
 * struct serve_refused.
 */
void refusal_keep(void *refused, enum log_level level, const char *file,
		  uint64_t offset, const char *text);

#endif
