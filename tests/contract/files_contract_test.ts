import { denoFiles } from "../../src/edge/deno_files.ts";
import { MemoryFiles } from "../fakes/memory_files.ts";
import { filesContract } from "./files_contract.ts";

filesContract("MemoryFiles", () =>
  Promise.resolve({
    files: new MemoryFiles(),
    folder: "/runs",
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));

filesContract("denoFiles", async () => {
  const folder = await Deno.makeTempDir();
  return {
    files: denoFiles,
    folder,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
});
