/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_KEPT_LOG_H
#define KT_COMMON_KEPT_LOG_H

#include "common/log.h"

/* A log that keeps its messages: of a thread, whose messages have their place
 * behind another's.
 */
struct kept_log;

/* Returns NULL when out of memory. */
struct kept_log *kept_log_new(void);
void kept_log_free(struct kept_log *kept);

/* Where messages go.  Owner: @kept. */
const struct log *kept_log_log(struct kept_log *kept);

/* Hands all messages to @log, in order, but those for which there was no memory. */
void kept_log_hand_on(const struct kept_log *kept, const struct log *log);

#endif
