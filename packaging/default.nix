# SPDX-License-Identifier: MIT
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "ktrace-hw";
  version = "1.0";
  src = ./..;
  nativeBuildInputs = [ pkgs.pkg-config ];
  buildInputs = with pkgs; [
    curl
    elfutils
    libdeflate
    libedit
    libipt
    libiberty
    libmicrohttpd
    lz4
    opencsd
    sqlite
    xxHash
    zlib
    zstd
    zydis
  ];
  makeFlags = [ "PREFIX=$(out)" ];
  enableParallelBuilding = true;
  meta = {
    description = "Kernel tracer that reads the CPU's own trace unit";
    license = with pkgs.lib.licenses; [ mit gpl2Plus ];
    platforms = [ "x86_64-linux" "aarch64-linux" ];
  };
}
