/* SPDX-License-Identifier: MIT */
#include "report/text/user_mark.h"
#include "symbolize/functions/function_table.h"

#include <stddef.h>
#include <string.h>

/* The names in the interpreters' own sources. Packages strip static functions
 * only: Ruby's vm_exec_core() is one, so its only caller is marked too.
 */
static const struct {
	const char *function;
	const char *mark;
} interpreters[] = {
	{ "_PyEval_EvalFrameDefault", "  [u, interpreter of Python]" },
	{ "PyEval_EvalFrameEx", "  [u, interpreter of Python]" },
	{ "Perl_runops_standard", "  [u, interpreter of Perl]" },
	{ "Perl_runops_debug", "  [u, interpreter of Perl]" },
	{ "vm_exec_core", "  [u, interpreter of Ruby]" },
	{ "rb_vm_exec", "  [u, interpreter of Ruby]" },
	{ "luaV_execute", "  [u, interpreter of Lua]" },
	{ "Builtins_InterpreterEntryTrampoline",
	  "  [u, interpreter of JavaScript]" },
	{ "execute_ex", "  [u, interpreter of PHP]" },
	{ "execute_command_internal", "  [u, interpreter of bash]" },
};

const char *user_mark(const struct function *function)
{
	if (function->space != 'u')
		return "";
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(*interpreters);
	     i++)
		if (!strcmp(function->base, interpreters[i].function))
			return interpreters[i].mark;
	if (!strcmp(function->base, "Interpreter") &&
	    !strcmp(function->module, GENERATED_CODE))
		return "  [u, interpreter of Java]";
	return "  [u]";
}
