/**
 * What the outcome of a request means, answered or not: the one place that decides between a result, a failure, and a
 * request that did not reach its server or was turned away. Whether a failure runs again is `settle.ts`'s. Total:
 * whatever a server does has an outcome, and nothing here throws for it.
 */
import { retryAfterMs } from "../kit/retry_after.ts";
import { KEYS } from "../record/keys.ts";
import { DEEPEST_RESULT } from "../json/depth.ts";
import { JsonFault } from "../json/scan.ts";
import { isLiteralTrue, isNull } from "../json/kind.ts";
import { type JsonObject, readObject } from "../json/object.ts";
import { onOneLine } from "../json/edit.ts";
import { withoutSecrets } from "../kit/secrets.ts";
import { withoutErrorNumbers } from "../kit/system_error.ts";
import type { WireAnswer } from "../ports/wire.ts";
import { classNameOf, type Failure, type FailureKind } from "../record/failure.ts";

/** What one attempt came to. */
export type Outcome =
  /** A JSON object came; `declared` is the failure class it declares, `persist` whether it is to be kept. */
  | {
    readonly kind: "result";
    readonly result: JsonObject;
    readonly declared: string | null;
    readonly persist: boolean;
  }
  /** The attempt is over without a result. */
  | { readonly kind: "failure"; readonly failure: Failure }
  /**
   * No server has run it: to be sent again as the same attempt, not before the `floorMs` that the server asked for, if
   * it did. Waiting does not help a `hopeless` one: an unknown name, an untrusted certificate. `reason` is that of
   * `failure` without the server, for where that stands beside it.
   */
  | {
    readonly kind: "unsent";
    readonly failure: Failure;
    readonly reason: string;
    readonly floorMs: number | null;
    readonly hopeless: boolean;
  }
  /** Something in front of the server answered, and named no time: whether the row has failed depends on other answers. */
  | { readonly kind: "turned_away"; readonly failure: Failure; readonly reason: string }
  /** The answer shows that no further one could be used: the run ends, however failures are treated. */
  | { readonly kind: "fatal"; readonly message: string }
  /** Abandoned on our side. */
  | { readonly kind: "aborted" };

/** Statuses with which something in front of the server answered: the rollout did not run. Gym's list. */
const IN_FRONT = new Set([429, 502, 503, 504]);

/** Error bodies are kept to so many characters. Gym's number. */
const KEPT = 2000;

/**
 * Judges an answer.
 *
 * @param url where the request went, for messages
 * @param date reads the wall clock, for Retry-After headers that name a date
 */
export function judge(answer: WireAnswer, url: string, date: () => Date): Outcome {
  switch (answer.kind) {
    case "aborted":
      return { kind: "aborted" };
    case "not_sent": {
      const { hopeless = false } = answer, reason = withoutErrorNumbers(answer.reason);
      const failure = requestFailed("not_sent", `Cannot reach ${url}: ${reason}`);
      return { kind: "unsent", failure, reason, floorMs: null, hopeless };
    }
    case "possibly_delivered":
      return {
        kind: "failure",
        failure: requestFailed(
          "possibly_delivered",
          `No answer from ${url}: ${withoutErrorNumbers(answer.reason)}`,
        ),
      };
    case "answered":
      return answer.status >= 200 && answer.status < 300
        ? judgeResult(answer, url)
        : judgeStatus(answer, url, date);
  }
}

type Answered = WireAnswer & { kind: "answered" };

function judgeResult(answer: Answered, url: string): Outcome {
  if (answer.broken !== undefined) {
    return broken(answer, "body_broken_off", `The answer of ${url} broke off: ${answer.broken}`);
  }
  let result: JsonObject;
  try {
    result = readObject(answer.body, DEEPEST_RESULT);
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    if (fault.code === "too_deep") {
      const why = `is nested deeper than ${DEEPEST_RESULT} levels, which Gym's own tools cannot read`;
      return broken(answer, "too_deep", `The answer of ${url} ${why}`);
    }
    if (fault.code === "long_name") {
      return broken(answer, "long_name", `The answer of ${url} has ${fault.message}`);
    }
    const kind = fault.code;
    const start = beginning(answer.body, 200);
    return broken(
      answer,
      kind,
      `The answer of ${url} is not a JSON object: ${fault.message}. It ${
        start ? `begins ${JSON.stringify(start)}` : "is empty"
      }`,
    );
  }
  onOneLine(answer.body);
  return resultOf(result);
}

/** What a server's JSON object means: a result, which may declare that it failed or that it is not to be kept. */
export function resultOf(result: JsonObject): Outcome {
  return {
    kind: "result",
    result,
    declared: declaredClass(result),
    persist: !isLiteralTrue(result.raw(KEYS.noPersist)),
  };
}

/** The failure class a result declares, or null. One that is not a string is the beginning of its JSON. */
function declaredClass(result: JsonObject): string | null {
  const raw = result.raw(KEYS.failureClass);
  return raw === undefined || isNull(raw) ? null : classNameOf(raw);
}

function judgeStatus(answer: Answered, url: string, date: () => Date): Outcome {
  const { status } = answer;
  const redirect = status >= 300 && status < 400;
  const failure: Failure = {
    failureClass: IN_FRONT.has(status) ? "agent_request_failed" : "agent_run_error",
    kind: redirect ? "redirect" : answer.broken === undefined ? "http_status" : "body_broken_off",
    message: `${url} answered ${status}` +
      (redirect
        ? `: a redirect to ${withoutSecrets(answer.location ?? "nowhere")}, which is not followed`
        : "") +
      (answer.broken === undefined ? "" : `; the body broke off: ${answer.broken}`),
    status,
    body: errorBody(answer.body),
    delivery: "delivered",
  };
  if (!IN_FRONT.has(status)) return { kind: "failure", failure };
  const reason = `HTTP ${status}`;
  const floorMs = status === 429 || status === 503 ? retryAfterMs(answer.retryAfter, date()) : undefined;
  if (floorMs === undefined) return { kind: "turned_away", failure, reason };
  return { kind: "unsent", failure, reason, floorMs, hopeless: false };
}

/** A failure of an answer with a good status that cannot be used. */
export function broken({ status }: Pick<Answered, "status">, kind: FailureKind, message: string): Outcome {
  return {
    kind: "failure",
    failure: { failureClass: "agent_run_error", kind, message, status, body: null, delivery: "delivered" },
  };
}

function requestFailed(delivery: "not_sent" | "possibly_delivered", message: string): Failure {
  return {
    failureClass: "agent_request_failed",
    kind: delivery === "not_sent" ? "connection_failed" : "connection_broken",
    message,
    status: null,
    body: null,
    delivery,
  };
}

/** The body of an error status as it is kept: 2,000 characters, and `…` when it had more than 2,000 bytes; null if empty. */
export function errorBody(body: Uint8Array): string | null {
  if (body.length === 0) return null;
  return beginning(body, KEPT) + (body.length > KEPT ? "…" : "");
}

/** The first `characters` of a text, invalid UTF-8 replaced. */
function beginning(body: Uint8Array, characters: number): string {
  // No character takes more than four bytes, so what is cut in the middle lies beyond what is kept.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body.subarray(0, characters * 4 + 4));
  return [...text].slice(0, characters).join("");
}
