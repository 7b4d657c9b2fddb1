/** A collector from its start to its end, whoever uses it and however it ends. */
import type { World } from "../ports/world.ts";
import type { Sandboxed } from "../ports/sandbox.ts";
import type { FromCollector } from "../collect/messages.ts";
import { RunFault } from "../kit/fault.ts";
import type { Permissions } from "../ports/sandbox.ts";

/** How to talk to a collector. */
export interface Talk<T> {
  /** Called at once, to be able to send it something at any time. */
  readonly meet: (collector: Sandboxed) => void;
  /** Takes what it says; `settle` ends the talk with its outcome. What it throws ends the talk too. */
  readonly hear: (message: FromCollector, collector: Sandboxed, settle: (outcome: T) => void) => void;
}

/**
 * Starts a collector in its sandbox, hears it out, and ends it.
 *
 * @param lost rejects when somebody else has taken over the output: the collector is stopped at once
 */
export async function withCollector<T>(
  world: World,
  permissions: Permissions,
  lost: Promise<never>,
  { meet, hear }: Talk<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const collector = world.startCollector(permissions, (said) => {
    const message = said as FromCollector;
    try {
      if (message.kind === "crashed") reject(new RunFault(message.message));
      else hear(message, collector, resolve);
    } catch (error) {
      reject(error); // out here nobody would catch it
    }
  });
  try {
    meet(collector);
    return await Promise.race([promise, lost]);
  } finally {
    collector.terminate();
  }
}
