# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2054 # the commas are QEMU's
# --fast: a machine that was started once goes on from the state it had when it
# was ready for a command.  A state fits one shape of machine only.

# Adds to COMMAND and arguments; call it when COMMAND is otherwise whole.
saved_state() {
	local file
	file=$CACHE/states/$CLOCK-$(saved_state_key)
	COMMAND+=(-chardev "socket,id=monitor,fd=5"
		-mon "chardev=monitor,mode=readline")
	# What was touched last, another run does not tidy away.
	touch -c "$file"
	if [[ -e $file ]]; then
		COMMAND+=(-incoming "file:$file")
		arguments+=(--resumed)
		return
	fi
	mkdir -p "$CACHE/states"
	saved_state_tidy
	cache_has_space 1000 || {
		say "too little space in $CACHE to keep the machine's state"
		return 0
	}
	arguments+=(--save "$file")
}

# How many are kept of machines that have that clock: the tests have some thirty
# with the deterministic one.  With the host's clock the guest has measured how fast
# that is, wrongly if the host was very busy then: such a state should go soon.
declare -rA STATES_MOST=([virtual]=40 [host]=12)

# All that the guest could have seen: QEMU's command line, less the names of
# the host's folders, and the plugins' contents, wherever those were built.  Neither the
# truth is of it, which begins with the settings, that come later, nor --loss: until
# then nothing is traced.
saved_state_key() {
	local word
	{
		printf '%s\n' "$QEMU_VERSION" "$INITRAMFS"
		for word in "${COMMAND[@]}"; do
			case $word in
			local,id=* | dgram,id=link,* | if=none,id=scratch,*) ;;
			-plugin | */truth-*api*) ;;
			*.so | *.so,*)
				cat "${word%%,*}"
				word=${word%%,moments=*}
				[[ ! $word =~ ,loss=[0-9.]+ ]] ||
					word=${word/"${BASH_REMATCH[0]}"/}
				echo "${word#"${word%%,*}"}"
				;;
			*) printf '%s\n' "$word" ;;
			esac
		done
		printf '%s\n' "$OPT_DISK_MB"
	} | sha256sum | cut -c 1-32
}

# States are large (100 MB); those of old builds are of no use.  A name with a
# dot is a draft: what saves it needs a second.  Runs at the same time tidy the
# same folder: what is gone before find comes to it was to go.
saved_state_tidy() {
	local old kind
	find "$CACHE/states" -ignore_readdir_race -type f \
		\( -mtime +7 -o -name '*.*' -mmin +10 \) -delete || true
	for kind in "${!STATES_MOST[@]}"; do
		while IFS= read -r old; do
			rm -f "$CACHE/states/${old#* }"
		done < <(find "$CACHE/states" -ignore_readdir_race -type f \
			-name "$kind-*" -printf '%T@ %f\n' |
			sort -rn | tail -n +"${STATES_MOST[$kind]}")
	done
}
