/** What an aggregation did, as a text for people and as one JSON object for programs. */
import type { CheckedAggregate } from "../collect/aggregate.ts";
import { palette } from "./colour.ts";
import { healthJson, healthSentence } from "./health_text.ts";
import { metricsLines } from "./metrics_table.ts";
import {
  coverageSentence,
  fileLines,
  layOut,
  noteLines,
  roomOf,
  type TextOptions,
  unscoredTasks,
} from "./summary_layout.ts";
import { coverageJson, metricsJson } from "./summary_json.ts";
import { manyLines, oneLine, printableJson, wrap } from "./text.ts";
import { duration, plural, whole } from "../kit/phrases.ts";

/** How it ended, what is missing, key metrics, notes and files. Ends with a line break. */
export function aggregateText(summary: CheckedAggregate, options: TextOptions): string {
  const { ending, error, unscored, metrics, coverage, health, notes, files } = summary;
  const paint = palette(options.colour), room = roomOf(options);
  const sentence = (text: string) => text === "" ? [] : wrap(text, room);
  const tone = ending === "complete" ? paint.green : ending === "failed" ? paint.red : paint.yellow;
  return layOut(headline(summary), tone, [
    ["error", error === null ? [] : manyLines(error).map(paint.red)],
    ["coverage", coverage ? sentence(coverageSentence(coverage, SIDECARS)).map(paint.yellow) : []],
    ["expected", coverage ? sentence(expected(summary)) : []],
    ["tasks", coverage ? sentence(unscoredTasks(coverage)).map(paint.yellow) : []],
    [
      "unscored",
      unscored
        ? sentence(`${plural(unscored, "row")} whose reward is missing or not a number`).map(paint.yellow)
        : [],
    ],
    ["metrics", metrics?.length ? metricsLines(metrics, room) : []],
    ["health", sentence(healthSentence(health))],
    ["notes", noteLines(notes, room)],
    ["files", fileLines(files)],
  ], options);
}

const SIDECARS = "the shards' sidecars";

function headline({ ending, signal, shards, rows, elapsedS, coverage }: CheckedAggregate): string {
  const took = `in ${duration(elapsedS)}`;
  if (ending === "stopped") {
    return `Stopped${signal === null ? "" : ` by ${oneLine(signal)}`} ${took}; no partial files were left.`;
  }
  if (rows === null) return `Failed after ${duration(elapsedS)}.`;
  const what = `${plural(rows, "row")} of ${plural(shards, "shard")}`;
  if (coverage?.scored === 0) return `Nothing to score: ${what}.`;
  return `${ending === "failed" ? "Failed" : "Aggregated"}: ${what} ${took}.`;
}

/** Whether it is known what was owed, where something is missing or may be. */
function expected({ coverage }: CheckedAggregate): string {
  const { all, withInputs } = coverage!.shards;
  if (withInputs === all) return "";
  if (withInputs === 0) {
    return "no shard has materialized inputs, so rollcall cannot tell which rollouts are missing";
  }
  return `only ${whole(withInputs)} of ${plural(all, "shard")} ${withInputs === 1 ? "has" : "have"} ` +
    "materialized inputs; for the others rollcall cannot tell which rollouts are missing";
}

/** The summary as one line of JSON, without a line break: `aggregateSchema` of schemas.ts says what it holds. */
export function aggregateJson(summary: CheckedAggregate, told: readonly string[] = []): string {
  const { ending, error, signal, shards, rows, unscored, coverage, elapsedS, metrics, health, notes, files } =
    summary;
  return printableJson({
    ending,
    error,
    signal,
    shards,
    rows,
    unscored,
    coverage: coverageJson(coverage),
    elapsed_s: elapsedS,
    metrics: metricsJson(metrics),
    health: healthJson(health),
    notes: [...told, ...notes],
    files,
  });
}
