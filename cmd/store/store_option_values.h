/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_STORE_OPTION_VALUES_H
#define KT_CMD_STORE_OPTION_VALUES_H

#include "cmd/store/store_options.h"

/* Takes @argument of @option, which is argv's and may be cut into pieces, into
 * @options.
 *
 * Returns NULL, or what it should have been.
 */
const char *store_option_take(struct store_options *options,
			      enum store_option option, char *argument);

/* All tables but "function": the names are in the others. */
void store_tables_default(bool wanted[SQL_TABLES]);

#endif
