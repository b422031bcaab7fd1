/* SPDX-License-Identifier: MIT */
#include "view/http/token.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

bool view_token_make(struct view_token *token)
{
	uint8_t bytes[sizeof(token->text) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token->text + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

bool view_token_fits(const struct view_token *token, const char *text)
{
	size_t length = strlen(token->text);
	unsigned char differs = 0;

	if (strnlen(text, length) < length)
		return false;
	for (size_t i = 0; i < length; i++)
		differs |= (unsigned char)(text[i] ^ token->text[i]);
	return !differs && (!text[length] || text[length] == '/');
}
