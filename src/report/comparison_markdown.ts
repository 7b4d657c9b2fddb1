/** A comparison of runs for a pull request. Pure. */
import { metric, plural } from "../kit/phrases.ts";
import type { Comparison } from "./comparison_data.ts";
import { gateText, percent, pText, signed } from "./comparison_text.ts";
import { cut, oneLine } from "./text.ts";

const SHOWN_METRICS = 20, SHOWN_TASKS = 10, WIDEST = 80;

/** A heading and a table for each candidate and agent. */
export function comparisonMarkdown({ base, candidates, level, notes }: Comparison): string {
  const lines: string[] = [];
  for (const { run, agents, gates, differences } of candidates) {
    for (const agent of agents) {
      const name = agent.agent ? `, ${plain(agent.agent)}` : "";
      lines.push(`### ${plain(run.name)} against ${plain(base.name)}${name}`, "");
      lines.push(
        `${plural(agent.pairs, "task")} in both, ${agent.baseOnly.length} only in the base, ` +
          `${agent.candidateOnly.length} only in the candidate. Paired t over tasks${
            candidates.length > 1
              ? `, intervals corrected for ${candidates.length} candidates (Bonferroni), p by Holm`
              : ""
          }.`,
        "",
        `| metric | base | candidate | difference | ${percent(level)} | p |`,
        "| --- | ---: | ---: | ---: | --- | ---: |",
      );
      for (const one of agent.metrics.slice(0, SHOWN_METRICS)) {
        const interval = one.interval === null
          ? ""
          : `${signed(one.interval[0])} to ${signed(one.interval[1])}`;
        const p = pText(candidates.length > 1 ? one.corrected : one.p).replace("<", "&lt;");
        lines.push(
          `| ${plain(one.name)} | ${metric(one.base)} | ${metric(one.candidate)} | ${
            signed(one.difference)
          } | ${interval} | ${p} |`,
        );
      }
      lines.push("");
      if (agent.flips) {
        for (const [what, tasks] of [["lost", agent.flips.lost], ["won", agent.flips.won]] as const) {
          if (tasks.length === 0) continue;
          const shown = tasks.slice(0, SHOWN_TASKS).map(({ task, id }) =>
            id === null ? String(task) : plain(id)
          );
          const more = tasks.length - shown.length;
          lines.push(
            `- ${plural(tasks.length, "task")} ${what}: ${shown.join(", ")}${
              more > 0 ? ` and ${more} more` : ""
            }`,
          );
        }
        if (agent.flips.lost.length + agent.flips.won.length > 0) lines.push("");
      }
      for (const gate of gates.filter((gate) => gate.agent === agent.agent)) {
        lines.push(`- ${plain(gateText(gate))}`);
      }
      if (gates.length > 0) lines.push("");
    }
    const decisive = differences?.filter(({ decides }) => decides) ?? [];
    if (decisive.length > 0) {
      lines.push(`The runs differ in ${decisive.map(({ what }) => plain(what)).join(", ")}.`, "");
    }
  }
  for (const note of notes) lines.push(`> ${plain(note)}`, "");
  return lines.join("\n");
}

/** One line in which nothing is markup. */
function plain(text: string): string {
  return cut(oneLine(text), WIDEST * 3).replace(
    /[\\`*_{}[\]<>()#+!|~$]/g,
    (sign) => sign === "<" ? "&lt;" : sign === ">" ? "&gt;" : `\\${sign}`,
  );
}
