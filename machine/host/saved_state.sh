# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2054 # the commas are QEMU's
# --fast: a machine that was started once resumes from the state in which it was
# ready for a command. A state fits only one shape of machine.

# Adds to COMMAND and arguments; must be called when COMMAND is otherwise
# complete.
saved_state() {
	local file
	file=$CACHE/states/$CLOCK-$(saved_state_key)
	COMMAND+=(-chardev "socket,id=monitor,fd=5"
		-mon "chardev=monitor,mode=readline")
	# Touching the file keeps other runs from removing it as unused.
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

# The number of states to keep, by the machine's clock: the tests have about
# thirty with the deterministic clock. With the host's clock the guest has
# measured its speed, wrongly if the host was busy then, so such a state should
# be removed soon.
declare -rA STATES_MOST=([virtual]=40 [host]=12)

# The key covers everything that the guest could have seen: QEMU's command line
# without the names of host folders, and the contents of the plugins, wherever
# they were built. It does not include the truth, which starts with the settings
# that are sent later, nor --loss and faults of the unit: until then nothing is
# traced.
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
				[[ ! $word =~ ,fault=[a-z-]+ ]] ||
					word=${word/"${BASH_REMATCH[0]}"/}
				echo "${word#"${word%%,*}"}"
				;;
			*) printf '%s\n' "$word" ;;
			esac
		done
		printf '%s\n' "$OPT_DISK_MB"
	} | sha256sum | cut -c 1-32
}

# States are large (100 MB), and states of old builds are useless. A name with a
# dot is a draft, which is complete within a second. Several runs may tidy the
# folder at the same time: files that vanish before find reaches them were to be
# removed anyway.
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
