/** Names of hosts. */

/** Labels of letters, digits, hyphens and underscores, or an address in brackets: what a name service can be asked for. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?)$/i;

/** Whether `hostname`, as a URL has it, can be the name or the address of a host. URLs take more: `a,b`, `*`, `a..b`. */
export function isHost(hostname: string): boolean {
  return HOST.test(hostname);
}
