/** A Gym of one agent whose rollouts are answered as a case says; it keeps count of what was delivered. */
import { type Reply, TcpServer } from "../edge/_tcp_server.ts";
import type { Delivered } from "./rules.ts";

const GOOD: Reply = { body: '{"reward":1,"response":{"id":"r"}}' };

/** See the module's comment. */
export class Agent extends TcpServer {
  readonly delivered: Delivered[];

  /** @param play the answer to a delivery; undefined: a good one */
  constructor(
    play: (delivered: Delivered, count: number) => Reply | undefined = () => undefined,
    metrics: Reply = { body: '{"key_metrics":{"mean/reward":1.0}}' },
  ) {
    const delivered: Delivered[] = [];
    super(({ path, body }) => {
      if (path === "/aggregate_metrics") return metrics;
      if (path !== "/run") return { status: 404 };
      const row = JSON.parse(body);
      const { rollout_id, attempt: episodeAttempt } = row.episode_id ?? {};
      const id = rollout_id ?? `${row._ng_task_index}-${row._ng_rollout_index}`;
      const attempt = episodeAttempt ?? row._ng_attempt_index ?? 0;
      delivered.push({ id, attempt });
      return play({ id, attempt }, delivered.length - 1) ?? GOOD;
    });
    this.delivered = delivered;
  }

  /** `--server` for it. */
  get flag(): string {
    return `--server=a=${this.url}`;
  }
}
