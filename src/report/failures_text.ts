/** The failures of a run by class, as a text for people and as JSON for programs. Pure. */
import { LISTED } from "../kit/fault.ts";
import { plural, whole } from "../kit/phrases.ts";
import type { Example, FailuresOfClass } from "../resume/failure_book.ts";
import { oneLine, wrap } from "./text.ts";

/** What `rollcall failures` knows of a run. */
export interface Failures {
  /** Path of the sidecar. */
  readonly sidecar: string;
  /** Recorded failed attempts. */
  readonly failures: number;
  /** The first classes, those with the most failures first. */
  readonly classes: readonly FailuresOfClass[];
  /** What is not among these: how many classes, of the thousands that are told apart, and how many failures. */
  readonly more: { readonly classes: number; readonly failures: number };
  /** Rollouts without a result by the class of their last failure; null without materialized inputs. */
  readonly left: Readonly<Record<string, number>> | null;
  /** Lines that are not JSON. */
  readonly bad: number;
}

/** The first {@link LISTED} of the classes, and the rest as counts. */
export function listed(
  classes: readonly FailuresOfClass[],
  failures: number,
): Pick<Failures, "classes" | "more"> {
  const first = classes.slice(0, LISTED);
  const told = first.reduce((sum, { failures }) => sum + failures, 0);
  return { classes: first, more: { classes: classes.length - first.length, failures: failures - told } };
}

/** A few lines a class. Ends with a line break. */
export function failuresText(found: Failures, { columns }: { readonly columns: number }): string {
  const { sidecar, failures, classes, more, left, bad } = found;
  if (failures === 0 && bad === 0) return `No failures are recorded in ${oneLine(sidecar)}.\n`;
  const lines = [`${plural(failures, "failed attempt")} in ${oneLine(sidecar)}:`];
  for (const one of classes) {
    const rest = left === null
      ? ""
      : `, ${plural(leftOf(one.name, left), "rollout")} without a result since then`;
    lines.push("", `${oneLine(one.name)}: ${plural(one.failures, "attempt")}${rest}`);
    const facts = [
      ["message", one.message ?? ""],
      ["response", one.body ?? ""],
      ["servers", `${[...one.servers].join(", ")}${one.moreServers ? " and more" : ""}`],
      ["such as", one.examples.map(named).join(", ")],
    ];
    for (const [label, text] of facts) {
      if (text === "") continue;
      wrap(oneLine(text!), Math.max(30, columns - 12)).forEach((line, k) =>
        lines.push(`  ${(k === 0 ? label! : "").padEnd(10)}${line}`)
      );
    }
  }
  if (more.failures > 0) {
    lines.push(
      "",
      `… and ${plural(more.failures, "attempt")} of ${whole(more.classes)} other classes`,
    );
  }
  if (bad > 0) lines.push("", `${plural(bad, "line")} that ${bad === 1 ? "is" : "are"} not JSON`);
  if (classes.length > 0) {
    lines.push(
      "",
      ...wrap(
        "To run such rollouts again, also those that failed permanently or are at the attempt limit: rerun " +
          "the same command with --resume --retry CLASS,…",
        columns,
      ),
    );
  }
  return `${lines.join("\n")}\n`;
}

function leftOf(name: string, left: Readonly<Record<string, number>>): number {
  return Object.hasOwn(left, name) ? left[name]! : 0;
}

/** `3-0 (aime/17)` */
function named({ task, rollout, id }: Example): string {
  return `${task}-${rollout}${id === null ? "" : ` (${id})`}`;
}

/** The same as one line of JSON. */
export function failuresJson({ sidecar, failures, classes, more, left, bad }: Failures): string {
  return JSON.stringify({
    sidecar,
    failures,
    classes: classes.map(({ name, failures, message, body, servers, moreServers, examples }) => ({
      class: name,
      failures,
      without_result: left === null ? null : leftOf(name, left),
      message,
      body,
      servers: [...servers],
      more_servers: moreServers,
      examples,
    })),
    more,
    not_json: bad,
  });
}
