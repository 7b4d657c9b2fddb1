/** What ended a run as a failure, in words: what happened, where, and what to do. */
import { accountOf } from "../collect/accounting.ts";
import type { Summary, Tally } from "../collect/tally.ts";
import type { RunError } from "../events/run_error.ts";
import { ATTEMPTS_VARIABLE } from "../record/attempts_cap.ts";
import { plural, whole } from "../kit/phrases.ts";
import { withoutErrorNumbers } from "../kit/system_error.ts";
import { classTexts } from "./classes.ts";
import {
  askedText,
  idText,
  isStatus,
  limitText,
  reasonText,
  rolloutText,
  saying,
  seconds,
  serverText,
  unreachable,
} from "./event_text.ts";

/**
 * The text of a run's error, or null. Foreign words in it are not cleaned.
 *
 * @param bySlurm whether the run's budget was what was left of the Slurm job
 */
export function errorText(
  { error, tally }: Pick<Summary, "error" | "tally">,
  bySlurm = false,
): string | null {
  return error && textOf(error, tally, bySlurm);
}

function textOf(error: RunError, tally: Tally, bySlurm: boolean): string {
  switch (error.kind) {
    case "rollout_failed": {
      const kept = accountOf(tally).done > 0 ? "The finished rollouts are kept; with" : "With";
      return `${rolloutText(error.id)} failed${saying(error.failure)}\n` +
        `${kept} --route-failures-to-sidecar a failed one does not end the run.`;
    }
    case "server_abandoned": {
      const { reason, afterMs, asked } = error, why = reasonText(reason);
      const what = asked
        ? askedText(asked)
        : isStatus(reason)
        ? `turned rows away for ${seconds(afterMs)}, as long as the retry window allows: ${why}.`
        : afterMs > 0
        ? `was unreachable for ${seconds(afterMs)}: ${why}.`
        : unreachable(reason);
      const others = accountOf(tally).left > 0 ? "Its other rollouts were not tried; fix" : "Fix";
      return `${serverText(error)} ${what} ${others} the cause, then continue with --resume.`;
    }
    case "unusable_answer":
      return `${serverText(error)}, rollout ${idText(error.id)}: ${error.why}`;
    case "cannot_send":
      return `Cannot send rollout ${idText(error.id)}: ${error.why}.`;
    case "fault":
      return withoutErrorNumbers(error.message);
    case "too_many_failures":
      return `${limitText(error.limit)}: ${classTexts(tally.failures).join(", ")}. See ${error.failures}; ` +
        `fix the cause, then continue with --resume.`;
    case "no_results": {
      const see = tally.failed > 0 ? ` See ${error.failures}.` : "";
      const expected = tally.owed || accountOf(tally).expected;
      const none = expected === 1
        ? "The only rollout has no result"
        : `None of ${whole(expected)} rollouts has a result`;
      const retry = tally.owed === 0 && tally.atCap > 0
        ? ` Retry those at the attempt limit with --retry-exhausted, or raise ${ATTEMPTS_VARIABLE}.`
        : "";
      return `${none}: ${causes(tally, error.budgetS, bySlurm)}.${retry}${see}`;
    }
    case "incomplete": {
      const { expected, done, toRun } = accountOf(tally), missing = expected - done;
      const retry = toRun > 0 ? "; --resume retries those that may run again" : "";
      return `${missing} of ${plural(expected, "rollout")} ${missing === 1 ? "is" : "are"} missing ` +
        `(require_complete): ${causes(tally, error.budgetS, bySlurm)}. See ${error.failures}${retry}.`;
    }
  }
}

/** Why rollouts have no result. */
function causes(tally: Tally, budgetS: number | null, bySlurm: boolean): string {
  const { terminal, atCap, failures, notPersisted, drained, limit } = tally;
  return [
    ...(terminal + atCap > 0
      ? [`${terminal + atCap} had already failed permanently or reached the attempt limit`]
      : []),
    ...classTexts(failures),
    ...(notPersisted ? [`${notPersisted} not kept, as the server asked (_ng_no_persist)`] : []),
    ...(drained
      ? [
        `${drained} not run (${
          limit?.what === "tokens"
            ? `token_budget=${limit.budget}`
            : bySlurm
            ? "the Slurm job ends too soon"
            : `dispatch_budget_s=${budgetS}`
        })`,
      ]
      : []),
  ].join(", ");
}
