/** Long work of a command lets other work have a turn now and then, and ends when the user wants it to. */
import type { World } from "../ports/world.ts";
import type { Signals } from "./signals.ts";

/** Called now and then; throws when a signal has come. */
export function breather({ clock }: Pick<World, "clock">, signals: Signals): () => Promise<void> {
  return async () => {
    await new Promise<void>((resolve) => clock.after(0, resolve));
    signals.check();
  };
}
