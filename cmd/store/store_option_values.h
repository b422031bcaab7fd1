/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_STORE_OPTION_VALUES_H
#define KT_CMD_STORE_OPTION_VALUES_H

#include "cmd/store/store_options.h"

/* Stores @argument of @option in @options. @argument points into argv and may
 * be split in place.
 *
 * Returns NULL, or a description of the expected argument.
 */
const char *store_option_take(struct store_options *options,
			      enum store_option option, char *argument);

/* Selects all tables but "function": the other tables contain the names. */
void store_tables_default(bool wanted[SQL_TABLES]);

#endif
