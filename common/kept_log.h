/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_KEPT_LOG_H
#define KT_COMMON_KEPT_LOG_H

#include "common/log.h"

/* A log that buffers its messages, for a thread whose messages must appear
 * after those of another.
 */
struct kept_log;

/* Returns NULL when out of memory. */
struct kept_log *kept_log_new(void);
void kept_log_free(struct kept_log *kept);

/* Returns the log that buffers messages. Owner: @kept. */
const struct log *kept_log_log(struct kept_log *kept);

/* Passes all messages to @log, in order, except those lost when out of memory.
 */
void kept_log_hand_on(const struct kept_log *kept, const struct log *log);

#endif
