/**
 * Rollouts with an invalid judge response, as failures to retry: how a row of the rollouts file becomes one of the
 * sidecar, and which have become one already. Keys and rules are Gym's.
 */
import { KEYS } from "../record/keys.ts";
import { edit, toJson } from "../json/edit.ts";
import { type JsonObject, parse, stringOf } from "../json/object.ts";
import { isTrue } from "../json/truth.ts";
import { MemberScan } from "../json/member_scan.ts";
import type { TextLine } from "../kit/lines.ts";

const MIGRATED = KEYS.migrated;

/** What identifies an attempt here; the stage comes from orchestrators that run a task in several stages. */
const KEY = ["stage_index", KEYS.task, KEYS.rollout, KEYS.attempt] as const;

/** Files that an agent leaves next to its deliverables; by themselves they are nothing to judge. */
const NO_DELIVERABLES: ReadonlySet<string> = new Set([
  "finish_params.json",
  "history.json",
  "history.pkl",
  "inprogress_history.json",
  "metadata.json",
  "log.txt",
  "reference_files",
]);

/** Whether these file names include at least one deliverable. */
export function hasDeliverable(names: readonly string[]): boolean {
  return names.some((name) => !NO_DELIVERABLES.has(name));
}

/** The folder that a row says its deliverables are in. */
export function deliverablesOf(row: JsonObject): string | undefined {
  return stringOf(row.raw("deliverables_dir")) || undefined;
}

/**
 * The sidecar row of a rollouts row, in pieces.
 *
 * @param reusable whether its deliverables are still there
 */
export function migrated(row: JsonObject, reusable: boolean): Uint8Array[] {
  const drop = new Set<string>([KEYS.failureTerminal]);
  const set = new Map<string, Uint8Array>();
  if (!isTrue(row.raw(KEYS.failureClass))) set.set(KEYS.failureClass, toJson("judge_invalid"));
  set.set(MIGRATED, toJson(true));
  if (reusable) set.set("reuse_cached_deliverable", toJson(true));
  else drop.add("reuse_cached_deliverable");
  return edit(row, { set, drop });
}

/** What identifies a row's attempt. */
export function attemptKey(row: JsonObject): string {
  return KEY.map((name) => numberOf(row.raw(name))).join("/");
}

/** A member as a number; 0 without one, or for a container. */
function numberOf(raw: Uint8Array | undefined): number {
  if (!raw || raw[0] === 0x7b || raw[0] === 0x5b) return 0;
  return Number(parse(raw) ?? 0);
}

/** The keys of attempts in a sidecar that came from the rollouts file. */
export function migratedKeys(lines: Iterable<TextLine>): Set<string> {
  const keys = new Set<string>(), scan = new MemberScan([...KEY, MIGRATED]);
  for (const { bytes } of lines) {
    if (scan.scan(bytes) !== undefined || !scan.raw(KEY.length)) continue;
    keys.add(KEY.map((_, k) => scan.wholeNumber(k) ?? 0).join("/"));
  }
  return keys;
}
