/** An agent that answers rollouts, or misbehaves in a given way, and keeps count of what was delivered to it. */
import assert from "node:assert/strict";
import { type Reply, type Seen, TcpServer, type TcpServerOptions } from "../edge/_tcp_server.ts";
import type { Ended } from "./_rollcall.ts";

/** A rollout that was delivered. */
export interface Delivery {
  readonly task: number;
  /** Recorded failures before it, as the request says. */
  readonly attempt: number;
  /** How many requests of this very attempt came before. */
  readonly repeat: number;
  /** Which connection it came over, from 0. */
  readonly connection: number;
  /** Milliseconds on a clock that never jumps. */
  readonly at: number;
}

/** What the agent does about a delivery; undefined: it answers with a reward of 1. */
export type Play = (delivery: Delivery, agent: Agent) => Reply | Promise<Reply | undefined> | undefined;

/** An answer with a reward. */
export const GOOD: Reply = { body: JSON.stringify({ reward: 1, response: { id: "r" } }) };

/** See the module's comment. */
export class Agent extends TcpServer {
  /** Everything that was delivered, in order. */
  readonly deliveries: Delivery[];

  /** An agent on a free port. */
  constructor(play: Play = () => undefined, options?: TcpServerOptions) {
    const deliveries: Delivery[] = [];
    super(async (seen: Seen) => {
      const delivery = deliveryOf(seen, deliveries);
      deliveries.push(delivery);
      return await play(delivery, this) ?? GOOD;
    }, options);
    this.deliveries = deliveries;
  }

  /** Deliveries of one row. */
  of(task: number): Delivery[] {
    return this.deliveries.filter((delivery) => delivery.task === task);
  }
}

function deliveryOf({ body, connection }: Seen, before: readonly Delivery[]): Delivery {
  const { _ng_task_index: task, _ng_attempt_index: attempt = 0 } = JSON.parse(body);
  const repeat = before.filter((other) => other.task === task && other.attempt === attempt).length;
  return { task, attempt, repeat, connection, at: performance.now() };
}

/**
 * No rollout is lost and none runs twice: every row has exactly one end, in one of the files or undone as the
 * summary says; and each attempt was delivered once, or again only where the agent had asked for that.
 *
 * @param asked how many requests the agent answered with "come again"
 */
export function audit({ rollouts, failures, summary }: Ended, agent: Agent, rows: number, asked = 0): void {
  const done = rollouts.map((line) => line._ng_task_index);
  assert.equal(new Set(done).size, done.length, "a rollout is in the file twice");
  assert.ok(summary);
  const { owed, failed, drained, left, not_persisted } = summary as Record<string, number>;
  assert.equal(owed, rows);
  assert.equal(done.length + failed! + drained! + left! + not_persisted!, rows, "a rollout is lost");
  assert.equal(
    agent.deliveries.filter(({ repeat }) => repeat > 0).length,
    asked,
    "an attempt was delivered twice",
  );
  for (const task of new Set(agent.deliveries.map((delivery) => delivery.task))) {
    const recorded = failures.filter((line) => line._ng_task_index === task);
    const attempts = new Set(agent.of(task).map(({ attempt }) => attempt));
    assert.ok(attempts.size <= recorded.length + 1, `an attempt at ${task} is not recorded`);
  }
}
