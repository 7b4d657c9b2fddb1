/** `rollcall aggregate`, as the collector does it: shards scored together and merged, and then checked. */
import { dirname } from "node:path";
import { type HealthSummary, type HealthTools, tryCheckHealth } from "../health/check_health.ts";
import { aggregate, type AggregateSummary, type AggregateTools } from "../metrics/aggregate.ts";
import type { AggregatePlan } from "../plan/aggregate_plan.ts";

/** What an aggregation did, the health checks included. */
export interface CheckedAggregate extends AggregateSummary {
  /** Null when there were no checks, or they failed. */
  readonly health: HealthSummary | null;
}

/**
 * Aggregates, then checks the merged rollouts, or those of the shards where none are merged.
 *
 * @throws {UsageFault} when the shards or the configuration are wrong; nothing was touched
 */
export async function aggregateAndCheck(
  plan: AggregatePlan,
  tools: AggregateTools & Pick<HealthTools, "fault">,
): Promise<CheckedAggregate> {
  const summary = await aggregate(plan, tools);
  if (!plan.health || summary.metrics === null) return { ...summary, health: null };
  const files = plan.merge ? [plan.paths] : plan.shards;
  const { health, notes } = await tryCheckHealth(
    {
      rollouts: files.map(({ rollouts }) => ({ path: rollouts, shown: rollouts })),
      paths: plan.paths,
      ignored: plan.health.ignored,
    },
    tools,
    `rollcall health ${dirname(files[0]?.rollouts ?? plan.paths.rollouts)} --rollouts-file NAME`,
  );
  return { ...summary, health, notes: [...summary.notes, ...notes] };
}
