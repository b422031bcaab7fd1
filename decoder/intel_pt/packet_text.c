/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/packet_text.h"

#include <intel-pt.h>
#include <inttypes.h>
#include <stdio.h>

const char *packet_name(const struct pt_packet *packet)
{
	static const char *const names[] = {
		[ppt_pad] = "pad",	   [ppt_psb] = "psb",
		[ppt_psbend] = "psbend",   [ppt_fup] = "fup",
		[ppt_tip] = "tip",	   [ppt_tip_pge] = "tip.pge",
		[ppt_tip_pgd] = "tip.pgd", [ppt_tnt_8] = "tnt",
		[ppt_tnt_64] = "tnt.long", [ppt_mode] = "mode",
		[ppt_pip] = "pip",	   [ppt_vmcs] = "vmcs",
		[ppt_cbr] = "cbr",	   [ppt_tsc] = "tsc",
		[ppt_tma] = "tma",	   [ppt_mtc] = "mtc",
		[ppt_cyc] = "cyc",	   [ppt_stop] = "stop",
		[ppt_ovf] = "ovf",	   [ppt_mnt] = "mnt",
		[ppt_exstop] = "exstop",   [ppt_mwait] = "mwait",
		[ppt_pwre] = "pwre",	   [ppt_pwrx] = "pwrx",
		[ppt_ptw] = "ptw",
	};
	size_t index = (size_t)packet->type;

	if (index < sizeof(names) / sizeof(*names) && names[index])
		return names[index];
	return "other";
}

/* The oldest branch first, as perf and libipt's tools print them. */
static void tnt_text(const struct pt_packet_tnt *tnt, char *text, size_t size)
{
	size_t at = 0;

	for (unsigned int bit = tnt->bit_size; bit-- && at + 1 < size; at++)
		text[at] = tnt->payload >> bit & 1 ? 'T' : 'N';
	text[at] = '\0';
}

static void ip_text(const struct pt_packet_ip *ip, char *text, size_t size)
{
	if (ip->ipc == pt_ipc_suppressed)
		snprintf(text, size, "no address");
	else
		snprintf(text, size, "0x%" PRIx64 " ipc=%d", ip->ip,
			 (int)ip->ipc);
}

static void mode_text(const struct pt_packet_mode *mode, char *text,
		      size_t size)
{
	if (mode->leaf == pt_mol_exec)
		snprintf(text, size, "exec %d-bit",
			 mode->bits.exec.csl ? 64 :
			 mode->bits.exec.csd ? 32 : 16);
	else if (mode->leaf == pt_mol_tsx)
		snprintf(text, size, "tsx intx=%d abort=%d",
			 mode->bits.tsx.intx, mode->bits.tsx.abrt);
}

void packet_text(const struct pt_packet *packet, char *text, size_t size)
{
	text[0] = '\0';
	switch ((int)packet->type) {
	case ppt_tnt_8:
	case ppt_tnt_64:
		tnt_text(&packet->payload.tnt, text, size);
		break;
	case ppt_tip:
	case ppt_tip_pge:
	case ppt_tip_pgd:
	case ppt_fup:
		ip_text(&packet->payload.ip, text, size);
		break;
	case ppt_mode:
		mode_text(&packet->payload.mode, text, size);
		break;
	case ppt_pip:
		snprintf(text, size, "cr3=0x%" PRIx64 "%s",
			 packet->payload.pip.cr3,
			 packet->payload.pip.nr ? " guest" : "");
		break;
	case ppt_tsc:
		snprintf(text, size, "0x%" PRIx64, packet->payload.tsc.tsc);
		break;
	case ppt_tma:
		snprintf(text, size, "ctc=0x%x fc=0x%x",
			 packet->payload.tma.ctc, packet->payload.tma.fc);
		break;
	case ppt_mtc:
		snprintf(text, size, "0x%x", packet->payload.mtc.ctc);
		break;
	case ppt_cyc:
		snprintf(text, size, "%" PRIu64, packet->payload.cyc.value);
		break;
	case ppt_cbr:
		snprintf(text, size, "%u", packet->payload.cbr.ratio);
		break;
	case ppt_ptw:
		snprintf(text, size, "0x%" PRIx64 "%s",
			 packet->payload.ptw.payload,
			 packet->payload.ptw.ip ? " with fup" : "");
		break;
	default:
		break;
	}
}
