/** A port that can be shut and opened again, in front of a server: what a restart looks like from outside. */

import { deadPort } from "../edge/_tcp_server.ts";

export class Door implements AsyncDisposable {
  /** The port, the same whenever it is open. */
  readonly port: number;
  readonly #behind: number;
  #listener: Deno.TcpListener | undefined;
  readonly #connections = new Set<Deno.TcpConn>();
  #pipes: Promise<unknown>[] = [];

  /** @param behind the port of 127.0.0.1 that it leads to */
  constructor(behind: number) {
    this.#behind = behind;
    this.port = deadPort(); // nobody else is handed it while the door is shut
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: this.port });
    this.#accept(this.#listener);
  }

  /** Cuts every connection and refuses new ones. */
  shut(): void {
    this.#listener?.close();
    this.#listener = undefined;
    for (const connection of this.#connections) hangUp(connection);
    this.#connections.clear();
  }

  /** Accepts connections again. */
  open(): void {
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: this.port });
    this.#accept(this.#listener);
  }

  /** Shuts it for good. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.shut();
    await Promise.allSettled(this.#pipes);
  }

  #accept(listener: Deno.TcpListener): void {
    this.#pipes.push((async () => {
      for await (const outside of listener) this.#pipes.push(this.#lead(outside));
    })());
  }

  async #lead(outside: Deno.TcpConn): Promise<void> {
    this.#connections.add(outside);
    const inside = await Deno.connect({ hostname: "127.0.0.1", port: this.#behind });
    if (!this.#connections.has(outside)) return hangUp(inside);
    this.#connections.add(inside);
    await Promise.allSettled([pipe(outside, inside), pipe(inside, outside)]);
    for (const connection of [outside, inside]) {
      this.#connections.delete(connection);
      hangUp(connection);
    }
  }
}

/** Ends both when one side has ended. */
async function pipe(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
  try {
    await from.readable.pipeTo(to.writable, { preventClose: true });
  } finally {
    hangUp(to);
  }
}

function hangUp(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
