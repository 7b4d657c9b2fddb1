/** Through which proxy requests go. */
import { type Finding, finding } from "./finding.ts";

/** @param ignored variables of the environment that name proxies */
export function judgeProxy(proxy: string | null, ignored: readonly string[]): Finding {
  if (proxy !== null) {
    const host = URL.parse(proxy)?.host ?? "the given proxy";
    return finding(
      "proxy",
      "ok",
      `requests to servers go through ${host}; the head server is asked without it`,
    );
  }
  const variables = ignored.filter((name) => name.toLowerCase() !== "no_proxy");
  if (variables.length === 0) return finding("proxy", "ok", "none");
  return finding(
    "proxy",
    "warning",
    `${
      variables.join(", ")
    } ignored: requests go to the servers directly. If they must go through a proxy, name it ` +
      `with --proxy URL.`,
  );
}
