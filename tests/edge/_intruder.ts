/// <reference lib="deno.worker" />
/**
 * Code that has got into the collector's Worker and tries to get out: to other hosts, files, programs, the environment.
 * Answers with what came of each try: the name of the error, or what it got.
 */
import { Socket } from "node:net";
import { hostname } from "node:os";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";

/** What it is told. */
export interface Mission {
  /** A port where it has no business. */
  readonly decoy: number;
  /** The server of the run, and one of its paths that redirects to the decoy. */
  readonly server: string;
  /** A file beside those of the run. */
  readonly sibling: string;
  /** The folder they lie in. */
  readonly folder: string;
  /** A file of the run. */
  readonly own: string;
}

const tries = ({ decoy, server, sibling, folder, own }: Mission): Record<string, () => unknown> => ({
  "fetch another port": () => fetch(`http://127.0.0.1:${decoy}/`),
  "fetch another port by another name": () => fetch(`http://localhost:${decoy}/`),
  "fetch the server by another name": () => fetch(server.replace("127.0.0.1", "localhost")),
  "fetch another host": () => fetch("http://192.0.2.1/"),
  "follow the server's redirect": () => fetch(`${server}/away`, { redirect: "follow" }),
  "fetch through a proxy": () =>
    fetch(server, { client: Deno.createHttpClient({ proxy: { url: `http://127.0.0.1:${decoy}` } }) }),
  "fetch a file": () => fetch(`file://${sibling}`),
  "connect": () => Deno.connect({ hostname: "127.0.0.1", port: decoy }),
  "connect by another name": () => Deno.connect({ hostname: "localhost", port: decoy }),
  "connect as Node does": () =>
    new Promise((resolve, reject) =>
      new Socket().once("error", reject).connect(decoy, "127.0.0.1", () => resolve(1))
    ),
  "open a web socket": () =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${decoy}`);
      socket.onopen = resolve;
      socket.onerror = (event) => reject((event as ErrorEvent).error ?? new Error("no web socket"));
    }),
  "listen": () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
  "ask for a name": () => Deno.resolveDns("example.com", "A"),
  "read a file of the machine": () => Deno.readTextFile("/etc/hostname"),
  "read a file next to the run's": () => Deno.readTextFileSync(sibling),
  "read it as Node does": () => readFileSync(sibling),
  "read it by a detour": () =>
    Deno.readTextFileSync(`${folder}/../${folder.split("/").at(-1)}/${sibling.split("/").at(-1)}`),
  "write a file next to the run's": () => Deno.writeTextFileSync(sibling, ""),
  "make a file in the folder": () => Deno.writeTextFileSync(`${folder}/new`, ""),
  "take a file away": () => Deno.removeSync(sibling),
  "rename a file of the run to somewhere else": () => Deno.renameSync(own, `${folder}/new`),
  "rename another file to one of the run": () => Deno.renameSync(sibling, own),
  "link to a file of the machine": () => Deno.symlinkSync("/etc/hostname", own),
  "link a file next to the run's": () => Deno.linkSync(sibling, own),
  "list the folder": () => [...Deno.readDirSync(folder)],
  "make a temporary file": () => Deno.makeTempFileSync(),
  "read the environment": () => Deno.env.toObject(),
  "read a variable": () => Deno.env.get("PATH"),
  "read a variable as Node does": () => process.env.PATH,
  "run a program": () => new Deno.Command("true").outputSync(),
  "run a program as Node does": () => execFileSync("true"),
  "load a library": () => Deno.dlopen("libc.so.6", {}),
  "ask for the host's name": () => Deno.hostname(),
  "ask for it as Node does": () => hostname(),
  "import code": () => import(`http://127.0.0.1:${decoy}/x.ts`),
  "ask for more": async () => {
    const { state } = await Deno.permissions.request({ name: "net" });
    if (state !== "granted") throw new Deno.errors.NotCapable(state);
  },
  "start a Worker that may more": () =>
    new Worker("data:application/javascript,", { type: "module", deno: { permissions: { net: true } } }),
});

self.onmessage = async ({ data }: MessageEvent<Mission>) => {
  const came: Record<string, string> = {};
  for (const [what, attempt] of Object.entries(tries(data))) {
    try {
      came[what] = `got ${String(await attempt()).slice(0, 40)}`;
    } catch (error) {
      const { name, message } = error as Error;
      came[what] = `${name}: ${message}`;
    }
  }
  // What it may do, it can.
  await (await fetch(data.server)).body?.cancel();
  Deno.writeTextFileSync(data.own, "mine");
  came.allowed = Deno.readTextFileSync(data.own);
  self.postMessage(came);
};

self.postMessage("ready");
