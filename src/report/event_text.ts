/** What happens in a run, in words: one event, one text. Foreign words in it are not cleaned: the display does that. */
import type {
  FailureTold,
  LimitReached,
  Notice,
  RolloutId,
  ServerId,
  Stalled,
  Stopping,
} from "../events/run_event.ts";
import { list } from "../kit/fault.ts";
import { plural, whole } from "../kit/phrases.ts";
import { withoutErrorNumbers } from "../kit/system_error.ts";

/** The text that the user is shown of an event. */
export function eventText(event: Notice): string {
  switch (event.kind) {
    case "settled": {
      const { id, became, failure } = event;
      return failure
        ? `${rolloutText(id)} failed: ${failure.failureClass}${saying(failure)}`
        : `${rolloutText(id)}: ${became}`;
    }
    case "retried": {
      const { id, attempts, failure, later } = event;
      return `${rolloutText(id)}, attempt ${attempts}: ${failure.message ?? failure.failureClass}. ` +
        (later ? "Left for --resume." : "Retrying.");
    }
    case "server_paused": {
      const { reason, asked, windowS } = event;
      const what = asked ? `asked us to back off: ${reason}.` : untaken(reason);
      return `${serverText(event)} ${what} Waiting up to ${windowS} s for it; nothing is lost.`;
    }
    case "server_back":
      return `${serverText(event)} is back after ${seconds(event.afterMs)}.`;
    case "server_abandoned": {
      const { afterMs, asked } = event, after = afterMs > 0 ? ` after ${seconds(afterMs)}` : "";
      const what = asked ? `${askedText(asked)} It is abandoned` : "is abandoned";
      return `${serverText(event)} ${what}${after}. Rollouts of other servers go on.`;
    }
    case "connections_unkept":
      return `${event.origin} closed a connection instead of responding; ` +
        `its connections are no longer kept between requests.`;
    case "stalled":
      return stalledText(event);
    case "stopping":
      return stoppingText(event);
    case "limit_met": {
      const { inFlight } = event;
      const others = inFlight > 0 ? `; ${plural(inFlight, "rollout")} in flight will finish` : "";
      return `${limitText(event.limit)}: nothing new starts${others}.`;
    }
    case "metrics_awaited":
      return "All rollouts are done and written. Waiting for the servers' metrics (POST /aggregate_metrics).";
    case "no_more_shown":
      return `Further messages like this are not shown; see ${
        event.see ?? "the progress line, which names the servers that are paused"
      }.`;
    case "own_fault":
      return `A fault of rollcall's own, at ${event.where}; the run is not affected. Please report it:\n${event.stack}`;
    case "scoring":
      return `${SCORING[event.stage][0]} ${plural(event.count, SCORING[event.stage][1])}.`;
    case "earlier_run_kept":
      return `The rollouts of an earlier run are kept as ${event.path}.`;
    case "tail_dropped":
      return `The last line of ${event.path} was incomplete (${
        plural(event.bytes, "byte")
      }) and was dropped.`;
    case "lines_set_aside": {
      const { path, quarantine, lines, first } = event, one = lines === 1;
      return `${plural(lines, "line")} of ${path} ${one ? "is not a usable row" : "are not usable rows"}; ` +
        `moved to ${quarantine}. ${one ? "Its rollout" : "Their rollouts"} will run again:${
          list(first, lines)
        }`;
    }
    case "invalid_judged_again": {
      const { rollouts, failures } = event;
      return `${plural(rollouts, "rollout")} with an invalid judge response ${
        rollouts === 1 ? "was" : "were"
      } moved to ${failures} and will run again.`;
    }
    case "invalid_unreadable":
      return `${plural(event.rows, "row")} of these ${event.rows === 1 ? "is" : "are"} not JSON; moved to ` +
        `${event.quarantine}.`;
    case "rows_ignored": {
      const { path, why, rows, inputs } = event, [one, many] = IGNORED[why];
      return `${plural(rows, "row")} of ${path} ${rows === 1 ? one : many}${
        why === "unknown" ? ` ${inputs}` : ""
      }` +
        (why === "repeated" ? "; the first counts." : "; ignored.");
    }
  }
}

const SCORING = {
  reading: ["Reading", "shard"],
  merging: ["Merging", "row"],
  scoring: ["Scoring", "rollout"],
} as const;

const IGNORED = {
  repeated: ["has the identity of an earlier row", "have the identity of an earlier row"],
  unknown: ["belongs to no row of", "belong to no row of"],
} as const;

/** What reached a limit, and whose limit it is, without a period. */
export function limitText(limit: LimitReached): string {
  switch (limit.what) {
    case "failures":
      return `${whole(limit.failed)} of ${
        plural(limit.finished, "finished rollout")
      } failed (--max-failures ${limit.most})`;
    case "failure_rate":
      return `${whole(limit.failed)} of ${
        plural(limit.finished, "finished rollout")
      } failed (--max-failure-rate ${limit.rate})`;
    case "tokens":
      return `${whole(limit.used)} tokens are used (--token-budget ${limit.budget})`;
  }
}

/** `Rollout 3-0 (django__django-11099)`. */
export function rolloutText(id: RolloutId): string {
  return `Rollout ${idText(id)}`;
}

/** `3-0 (django__django-11099)`; without the second where the task has no id of its own. */
export function idText({ task, rollout, own }: RolloutId): string {
  return `${task}-${rollout}${own === undefined ? "" : ` (${own})`}`;
}

/** `Server math (http://…)`. */
export function serverText({ server, url }: ServerId): string {
  return `Server ${server} (${url})`;
}

/** What is known of a failure besides its class, behind a colon. */
export function saying({ message, body }: FailureTold): string {
  return [message, body].filter((text) => text !== null).map((text) => `: ${text}`).join("");
}

/** Why a server cannot be reached, as a sentence without its subject. */
export function unreachable(reason: string): string {
  const text = reasonText(reason);
  return `is unreachable: ${text}.${/connection refused/i.test(text) ? " Is it running?" : ""}`;
}

/** Why a server takes no rows, as a sentence without its subject; by a status something in front of it says so. */
function untaken(reason: string): string {
  return isStatus(reason) ? `is turning rows away: ${reason}.` : unreachable(reason);
}

/** Whether a reason is a status, not the system's words. */
export function isStatus(reason: string): boolean {
  return reason.startsWith("HTTP ");
}

/** For how much more time a server asked than there is, as a sentence without its subject. */
export function askedText(
  { forMs, windowMs }: { readonly forMs: number; readonly windowMs: number },
): string {
  return `asked us to wait ${seconds(forMs)}, longer than the retry window of ${seconds(windowMs)} has left.`;
}

/** The system's words without its numbers, and without who said them. */
export function reasonText(reason: string): string {
  return withoutErrorNumbers(reason).replace(/^tcp connect error: /, "")
    .replace(/^Connection /, "connection ").replace(/\.$/, "");
}

/** `3.4 s`, `34 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

function stalledText({ quietMs, inFlight, oldest }: Stalled): string {
  const rows = oldest.map(({ server, forMs, ...id }) => `${idText(id)} at ${server} for ${seconds(forMs)}`);
  return `Nothing has moved for ${quietMs / 60_000} minutes. The oldest of ${
    plural(inFlight, "rollout")
  } in flight: ${rows.join(", ")}. If that is too long, --rollout-timeout ends such rollouts.`;
}

function stoppingText({ why, waitsFor, graceS }: Stopping): string {
  const isError = why === "error";
  const stopping = isError ? "Stopping after an error" : `Stopping (${why})`;
  if (waitsFor === "metrics") return `${stopping}: waiting up to ${graceS} s for the metrics.`;
  const { inFlight } = waitsFor, one = inFlight === 1;
  return `${stopping}: ${plural(inFlight, "rollout")} in flight ${
    one ? "has" : "have"
  } ${graceS} s to finish; ` +
    `a ${isError ? "" : "second "}signal abandons ${one ? "it" : "them"}.`;
}
