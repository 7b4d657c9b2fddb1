/** What a Worker may do that is handed a run. */
import type { Permissions } from "../ports/sandbox.ts";

/** The runtime's permissions for a Worker that gets exactly these hosts and files, and nothing else. */
export function sandbox({ net, read, write }: Permissions): Deno.PermissionOptionsObject {
  return {
    net: [...net],
    read: [...read],
    write: [...write],
    env: false,
    run: false,
    ffi: false,
    sys: false,
    import: false,
  };
}
