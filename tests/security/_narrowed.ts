/** What the command line's side can still do once it has given up what it does not need any more. */
import { denoWorld } from "../../src/edge/deno_world.ts";

const world = denoWorld("rollcall", [], () => () => {});
world.narrow();
for (
  const [what, attempt] of [
    ["fetch", () => fetch(Deno.args[0]!)],
    ["connect", () => Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(Deno.args[0]!).port) })],
    ["listen", () => Deno.listen({ hostname: "127.0.0.1", port: 0 })],
    ["run", () => new Deno.Command("true").output()],
    ["ask", async () => {
      const { state } = await Deno.permissions.request({ name: "net" });
      if (state !== "granted") throw new Deno.errors.NotCapable(state);
    }],
  ] as const
) {
  try {
    await attempt();
    console.log(`${what}: done`);
  } catch (error) {
    console.log(`${what}: ${/NotCapable|Requires \w+ access/.test(String(error)) ? "refused" : error}`);
  }
}
