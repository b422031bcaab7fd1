/* SPDX-License-Identifier: MIT */
#include "common/files/connection.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* A line of kcore_dir/sockets: a parsed line is written such that it parses to
 * the same connection.
 */
static void check(uint64_t socket, const struct connection *connection)
{
	struct connection again = { .is_server = !connection->is_server };
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	uint64_t read = 0;

	if (!out)
		return;
	connection_write(socket, connection, out);
	fclose(out);
	if (!connection_read(text, &read, &again) || read != socket ||
	    again.is_server != connection->is_server ||
	    !endpoint_is_equal(&again.local, &connection->local) ||
	    !endpoint_is_equal(&again.remote, &connection->remote))
		__builtin_trap();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *line = malloc(size + 1);
	struct connection connection;
	uint64_t socket;

	if (!line)
		return 0;
	if (size)
		memcpy(line, bytes, size);
	line[size] = '\0';
	if (connection_read(line, &socket, &connection))
		check(socket, &connection);
	free(line);
	return 0;
}
