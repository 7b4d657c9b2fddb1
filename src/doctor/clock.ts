/** Whether this machine's clock agrees with a server's. */
import { duration } from "../kit/phrases.ts";
import { type Finding, finding } from "./finding.ts";

/** A Date header has whole seconds, and an answer takes time. */
const USUAL_S = 5;

/** From here on certificates and the ends of Slurm jobs are misjudged. */
const TOO_MUCH_S = 300;

/** @param server the Date header of an answer that has just come, or none */
export function judgeClock(now: Date, server: string | undefined): Finding {
  const then = server === undefined ? NaN : Date.parse(server);
  if (Number.isNaN(then)) return finding("clock", "ok", `${now.toISOString()}; no server told its own time`);
  const off = (now.getTime() - then) / 1000;
  if (Math.abs(off) <= USUAL_S) return finding("clock", "ok", "agrees with the servers");
  return finding(
    "clock",
    Math.abs(off) > TOO_MUCH_S ? "warning" : "ok",
    `${duration(Math.abs(off))} ${off > 0 ? "ahead of" : "behind"} the servers` +
      (Math.abs(off) > TOO_MUCH_S
        ? ". Certificates and the end of a Slurm job may be misjudged; set it."
        : ""),
  );
}
