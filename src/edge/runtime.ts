/**
 * Which releases of Deno rollcall may run on: those whose fetch is known to send a request once and to report what
 * became of it. `tests/dispatch_network/one_post_test.ts` proves it for the release that it runs on.
 */

/** The releases on which the test passed. On 2.8 a run with a server that restarts did not come to its end. */
const PROVEN = ["2.6", "2.7", "2.9"];

/** Why this release is refused; undefined when it is not. */
export function whyRefused(version: string): string | undefined {
  if (PROVEN.some((release) => releaseOf(release) === releaseOf(version))) return undefined;
  return `rollcall is not known to send each request exactly once on Deno ${version}: use a release of ` +
    `${PROVEN.join(", ")} (npx deno@2.6.8 …).`;
}

/** Whether fetch sends bytes once, whatever becomes of the connection, as up to 2.6. */
export function sendsBytesOnce(version: string): boolean {
  return releaseOf(version) <= releaseOf("2.6");
}

function releaseOf(version: string): number {
  const [major, minor] = version.split(".").map(Number) as [number, number];
  return major * 1000 + minor;
}

// As a program of its own, for tasks that build: one line and a failure where the release is refused.
if (import.meta.main) {
  const why = whyRefused(Deno.version.deno);
  if (why !== undefined) {
    console.error(why);
    Deno.exit(1);
  }
}
