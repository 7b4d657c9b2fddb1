/** A request without a result, and its row in the failures sidecar. */
import { toJson } from "../json/edit.ts";
import { textOf } from "../json/text.ts";
import type { Stamps } from "./stamps.ts";

/** What became of the request of a failed attempt. */
export type Delivery = "not_sent" | "possibly_delivered" | "delivered";

/** What can go wrong with a request, in rollcall's terms. */
export type FailureKind = keyof typeof GYM_CLASSES;

/**
 * The class of exception that Gym names in `_ng_failure_type`, by kind; null where Gym has no such row, since it would
 * follow the redirect, crash, or repeat the request forever.
 */
const GYM_CLASSES = {
  http_status: "ClientResponseError",
  body_broken_off: "ClientPayloadError",
  not_json: "JSONDecodeError",
  too_deep: "JSONDecodeError",
  long_name: "JSONDecodeError",
  timeout: "TimeoutError",
  redirect: null,
  not_an_object: null,
  other_task: null,
  connection_failed: null,
  connection_broken: null,
} as const;

/** A failed attempt that the collector itself detected, as opposed to one that a server declared in its response. */
export interface Failure {
  /** `agent_run_error` when the server's code ran and failed, otherwise `agent_request_failed`. Gym's names. */
  readonly failureClass: "agent_run_error" | "agent_request_failed" | "agent_timeout";
  /** What went wrong, as a stable word for programs. */
  readonly kind: FailureKind;
  /** A sentence for people. */
  readonly message: string;
  /** The HTTP status, or null. */
  readonly status: number | null;
  /** The beginning of the body of an error status, or null. */
  readonly body: string | null;
  /** Whether a server may have run the rollout. */
  readonly delivery: Delivery;
}

/** The maximum length of a failure class's name, in characters. */
const CLASS = 200;

/** The name of a class that a server declared: its string, or the JSON of any other value; bounded. */
export function classNameOf(json: Uint8Array): string {
  return textOf(json, CLASS);
}

const CLOSE = toJson({}).subarray(1), COMMA = new TextEncoder().encode(",");

/**
 * The sidecar row of a failed attempt, in pieces: Gym's keys, rollcall's own and the row's stamps. Where Gym has a row
 * it is Gym's row, and the class of exception says what went wrong; `_ng_failure_kind` is for what Gym has no row for.
 */
export function failureRow(failure: Failure, stamps: Stamps): Uint8Array[] {
  const gymClass = GYM_CLASSES[failure.kind];
  const own = toJson({
    _ng_failure_class: failure.failureClass,
    _ng_failure_type: gymClass ?? failure.kind,
    _ng_failure_message: failure.message,
    _ng_failure_http_status: failure.status,
    _ng_failure_response_body: failure.body,
    ...(gymClass === null ? { _ng_failure_kind: failure.kind } : {}),
    _ng_failure_delivery: failure.delivery,
  });
  const pieces: Uint8Array[] = [own.subarray(0, own.length - 1)];
  for (const [name, value] of stamps) {
    const key = toJson({ [name]: 0 });
    pieces.push(COMMA, key.subarray(1, key.length - 2), value);
  }
  return [...pieces, CLOSE];
}
