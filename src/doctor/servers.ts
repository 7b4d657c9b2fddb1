/** Whether the servers of a run are alive. */
import type { Route } from "../config/topology.ts";
import { duration } from "../kit/phrases.ts";
import { systemReason } from "../kit/system_error.ts";
import type { GetLimits, Got, World } from "../ports/world.ts";
import { type Finding, finding } from "./finding.ts";

const TIMEOUT_MS = 10_000, MOST_BYTES = 1 << 20;

/** At once: more servers than this are asked one after the other. */
const AT_ONCE = 16;

/** Asks every server how it is, and returns the time that one of them told. */
export async function askServers(
  routes: readonly Route[],
  how: Required<Pick<GetLimits, "client" | "headers">>,
  { get, clock }: Pick<World, "get" | "clock">,
): Promise<{ readonly findings: Finding[]; readonly date: string | undefined }> {
  const findings: Finding[] = [], next = routes.entries();
  let date: string | undefined;
  const ask = async () => {
    for (const [place, { server, url }] of next) {
      const began = clock.now();
      try {
        const got = await get(`${url}/health`, { timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES, ...how });
        date ??= got.date;
        findings[place] = judgeAnswer(server, url, got, (clock.now() - began) / 1000);
      } catch (error) {
        findings[place] = finding(
          `server ${server}`,
          "fail",
          `${url} is unreachable: ${systemReason(error)}. Is it running?`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return { findings, date };
}

/** Any answer shows that a server is there; those of 500 and above that it is not well. */
function judgeAnswer(server: string, url: string, { status }: Got, seconds: number): Finding {
  const check = `server ${server}`;
  return status >= 500
    ? finding(check, "warning", `${url}/health answered ${status}. Is it still starting? See its log.`)
    : finding(check, "ok", `${url} answered in ${duration(seconds)}`);
}
