#!/usr/bin/env bash
# Lays out dist/image, the root of a container: the executable, the shared libraries that it needs (glibc, libgcc_s) and
# the CA certificates, all of the system that this runs on. Containerfile makes an image of it.
set -euo pipefail
cd "$(dirname "$0")/.."

root=dist/image
rm -rf "$root"
install -D dist/rollcall "$root/usr/bin/rollcall"
# Of each library its path, links followed: "libc.so.6 => /lib/… (0x…)", and the loader's own line.
ldd dist/rollcall | grep -oE '/[^ ]+' | while read -r library; do
  install -D "$(readlink -f "$library")" "$root$library"
done
# Names of hosts and users are looked up by libraries that glibc loads by itself.
for library in libnss_files.so.2 libnss_dns.so.2 libresolv.so.2; do
  path=$(ldconfig -p | sed -nE "s/.*$library .*x86-64.*=> //p" | head -1)
  [ -z "$path" ] || install -D "$(readlink -f "$path")" "$root$path"
done
install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
mkdir -p -m 1777 "$root/tmp" "$root/runs"
echo "Made $root."
