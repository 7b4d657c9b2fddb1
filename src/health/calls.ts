/** Model calls: which failed, and which failures came last. */
import { part } from "./references.ts";
import type { CapturedCall } from "./trajectory.ts";

const FAILED = new Set<string | null>(["failed", "error", "cancelled"]);

/** Whether a call failed: by its HTTP status, its error, or the response's own status. */
export function isFailed({ response_metadata }: CapturedCall): boolean {
  const { status_code, error_category, response_status } = response_metadata;
  return (status_code ?? 0) >= 400 || Boolean(error_category) || FAILED.has(response_status);
}

/** Whether a call succeeded. One that did not fail, but whose HTTP status is not a success, did neither. */
export function isSuccessful(call: CapturedCall): boolean {
  const { status_code } = call.response_metadata;
  return !isFailed(call) && (status_code === null || (status_code >= 200 && status_code < 400));
}

/** How a finding names a call: by its id, by its response's, or else by its index. */
export function callId({ model_call_id, response_metadata }: CapturedCall, index: number): string {
  return model_call_id || response_metadata.response_id || String(index);
}

/** The calls to one model, in the order of the trajectory. */
export interface Chain {
  /** The model server as `type/name`; null for calls that name none. */
  readonly model: string | null;
  /** With their indexes among all calls. */
  readonly calls: readonly { readonly call: CapturedCall; readonly index: number }[];
}

/** The calls by model. */
export function chainsOf(calls: readonly CapturedCall[]): Chain[] {
  const chains = new Map<string | null, { call: CapturedCall; index: number }[]>();
  calls.forEach((call, index) => {
    const { model_ref } = call.response_metadata, model = model_ref && `${model_ref.type}/${model_ref.name}`;
    const chain = chains.get(model);
    if (chain) chain.push({ call, index });
    else chains.set(model, [{ call, index }]);
  });
  return [...chains].map(([model, calls]) => ({ model, calls }));
}

/**
 * The last call of a chain if the chain ended on a failure: if all its calls failed, or if the one that started last
 * did. If some have no start time the order is unknown: a retry can come before the call it retries.
 */
export function failedEnd({ calls }: Chain): Chain["calls"][number] | undefined {
  const last = calls.toSorted((a, b) =>
    (a.call.started_at ?? 0) - (b.call.started_at ?? 0) || a.index - b.index
  ).at(-1);
  if (!last || !isFailed(last.call)) return undefined;
  const isOrdered = calls.every(({ call }) => call.started_at !== null);
  return isOrdered || calls.every(({ call }) => isFailed(call)) ? last : undefined;
}

/** How many calls are repeats: of each identity, all but the first. Calls without one do not count. */
export function replayed(calls: readonly CapturedCall[]): number {
  if (calls.length < 2) return 0;
  const identities = calls.map(identityOf).filter((identity) => identity !== undefined);
  return identities.length - new Set(identities).size;
}

/** The call's own id comes first: some model servers give different calls the same response id. */
function identityOf({ model_call_id, response_metadata: { model_ref, response_id } }: CapturedCall) {
  if (model_call_id) return `call ${model_call_id}`;
  if (!response_id) return undefined;
  return part(model_ref?.type) + part(model_ref?.name) + part(response_id);
}
