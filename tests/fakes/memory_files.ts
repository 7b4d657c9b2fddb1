/** A file system in memory, whose disk can fill up, whose power can fail, and which can be killed at any step. */
import type { AppendFile, Files, ReadFile } from "../../src/ports/files.ts";

/** No power any more: whoever sees this is dead. */
export class PowerCut extends Error {
  override name = "PowerCut";
}

/** One thing that is done to the file system. */
export interface Step {
  readonly what:
    | "append"
    | "read"
    | "rename"
    | "copyMode"
    | "remove"
    | "write"
    | "truncate"
    | "sync"
    | "close";
  readonly path: string;
}

interface Node {
  bytes: Uint8Array<ArrayBuffer>;
  /** What a power cut leaves of it. */
  durable: number;
}

const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** {@link Files} in memory. Folders exist as soon as they are named. */
export class MemoryFiles implements Files {
  readonly #nodes = new Map<string, Node>();
  /** Told of every step before it happens; what it throws happens instead. */
  before: (step: Step) => void = () => {};
  /** How many bytes the disk still takes. */
  room = Infinity;
  /** How many bytes are still written until the power fails. */
  power = Infinity;
  /** How many bytes one write takes at most. */
  mostPerWrite = Infinity;
  /** How long a sync takes. */
  syncing: () => Promise<void> = () => Promise.resolve();
  /** Permissions of files, where they are others than 644. */
  readonly modes = new Map<string, number>();
  /** Files that are open. */
  open = 0;

  /** A file system with these files on its disk. */
  constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
    for (const [path, content] of Object.entries(files)) this.put(path, content);
  }

  /** Puts a file on the disk, whole and durable, in no step at all. */
  put(path: string, content: string | Uint8Array): void {
    const bytes = typeof content === "string" ? encoder.encode(content) : content.slice();
    this.#nodes.set(path, { bytes, durable: bytes.length });
  }

  /** What a file holds; `undefined` when it is not there. */
  text(path: string): string | undefined {
    const node = this.#nodes.get(path);
    return node && decoder.decode(node.bytes);
  }

  /** What a file holds; `undefined` when it is not there. */
  bytes(path: string): Uint8Array | undefined {
    return this.#nodes.get(path)?.bytes.slice();
  }

  /** What a power cut would leave of a file's content. */
  durable(path: string): string {
    const { bytes, durable } = this.#node(path);
    return decoder.decode(bytes.subarray(0, durable));
  }

  /** All files. */
  all(): Record<string, string> {
    return Object.fromEntries([...this.#nodes.keys()].sort().map((path) => [path, this.text(path)!]));
  }

  append(path: string): AppendFile {
    this.#step("append", path);
    let node = this.#nodes.get(path);
    if (!node) this.#nodes.set(path, node = { bytes: new Uint8Array(), durable: 0 });
    return this.#appendTo(node, path);
  }

  read(path: string): ReadFile {
    this.#step("read", path);
    const node = this.#node(path);
    this.open++;
    return {
      size: () => node.bytes.length,
      readAt: (into, offset) => {
        const found = node.bytes.subarray(offset, offset + into.length);
        into.set(found);
        return found.length;
      },
      close: () => void this.open--,
    };
  }

  size(path: string): number | undefined {
    return this.#nodes.get(path)?.bytes.length;
  }

  rename(from: string, to: string): void {
    this.#step("rename", from);
    const node = this.#node(from);
    this.#nodes.delete(from);
    this.#nodes.set(to, node);
    this.#setMode(to, this.modes.get(from));
    this.#setMode(from, undefined);
  }

  copyMode(from: string, to: string): void {
    this.#step("copyMode", to);
    this.#node(from);
    this.#node(to);
    this.#setMode(to, this.modes.get(from));
  }

  remove(path: string): void {
    this.#step("remove", path);
    this.#nodes.delete(path);
    this.#setMode(path, undefined);
  }

  #setMode(path: string, mode: number | undefined): void {
    if (mode === undefined) this.modes.delete(path);
    else this.modes.set(path, mode);
  }

  #appendTo(node: Node, path: string): AppendFile {
    this.open++;
    return {
      size: () => node.bytes.length,
      isInPlace: () => this.#nodes.get(path) === node,
      write: (bytes) => {
        this.#step("write", path);
        if (this.room === 0 && bytes.length > 0) throw new Error("No space left on device (os error 28)");
        const n = Math.min(bytes.length, this.room, this.power, this.mostPerWrite);
        const grown = new Uint8Array(node.bytes.length + n);
        grown.set(node.bytes);
        grown.set(bytes.subarray(0, n), node.bytes.length);
        node.bytes = grown;
        this.room -= n;
        this.power -= n;
        return n;
      },
      truncate: (size) => {
        this.#step("truncate", path);
        const cut = new Uint8Array(size);
        cut.set(node.bytes.subarray(0, size));
        this.room += node.bytes.length - size;
        node.bytes = cut;
        node.durable = Math.min(node.durable, size);
      },
      sync: async () => {
        this.#step("sync", path);
        const { length } = node.bytes;
        await this.syncing();
        node.durable = Math.max(node.durable, Math.min(length, node.bytes.length));
      },
      close: () => {
        this.#step("close", path);
        this.open--;
      },
    };
  }

  #step(what: Step["what"], path: string): void {
    if (this.power === 0) throw new PowerCut(`no power to ${what} ${path}`);
    this.before({ what, path });
  }

  #node(path: string): Node {
    const node = this.#nodes.get(path);
    if (!node) throw new Error(`No such file or directory (os error 2): ${path}`);
    return node;
  }
}
