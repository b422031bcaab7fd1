/* SPDX-License-Identifier: MIT */
/* A livepatch: /proc/cmdline is read by a function of this module. */
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/seq_file.h>

static __always_inline void put_word(struct seq_file *file, const char *word)
{
	seq_puts(file, word);
}

static int patched_cmdline_proc_show(struct seq_file *file, void *data)
{
	put_word(file, "patched");
	put_word(file, "\n");
	return 0;
}

static struct klp_func functions[] = {
	{
		.old_name = "cmdline_proc_show",
		.new_func = patched_cmdline_proc_show,
	},
	{}
};

static struct klp_object objects[] = { { .funcs = functions }, {} };

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init patched_init(void)
{
	return klp_enable_patch(&patch);
}

static void __exit patched_exit(void)
{
}

module_init(patched_init);
module_exit(patched_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_INFO(livepatch, "Y");
